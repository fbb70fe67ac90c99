//! What a day costs: real articles added day by day, and the same days once more on top of the archive that they made.
//!
//! `cargo bench --bench news_days -- ARTICLES [DAYS]`. One row a day: articles, articles compared (the day and the window before it),
//! edges, seconds, bytes written, archive before the day. Then the days come again a year later under other ids, so that the archive is
//! larger and everything else alike, and a fit tells seconds = a + b * articles of the day + c * articles compared + d * articles of the archive.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use papertwin::news::{Article, Articles, BatchParams, MltParams, SameSource, State};
use papertwin::progress::Run;

struct Day {
    new: f64,
    compared: f64,
    archive: f64,
    seconds: f64,
    written: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    let Some(path) = words.next().map(PathBuf::from) else {
        println!("no articles were named; cargo bench --bench news_days -- ARTICLES [DAYS]");
        return Ok(());
    };
    let most: usize = words.next().map_or(Ok(60), |n| n.parse())?;
    let papers = papertwin::corpus::load(&[path], &Default::default(), &Run::default())?.corpus.into_papers();
    let papers = papers.into_iter().filter(|paper| !paper.body.is_empty()).collect();
    let articles = Articles::of(papertwin::corpus::Corpus::new(papers), None);
    let mut days: BTreeMap<String, Vec<Article>> = BTreeMap::new();
    for article in articles.as_slice() {
        if let Some(published) = article.published {
            days.entry(published.strftime("%Y-%m-%d").to_string()).or_default().push(article.clone());
        }
    }
    let outlets: std::collections::BTreeSet<&str> = articles.as_slice().iter().map(|a| a.source.as_str()).collect();
    let same_source = if outlets.len() > 1 { SameSource::Drop } else { SameSource::Keep };
    let more_like_this = MltParams { same_source, ..MltParams::default() };
    let folder = tempfile::tempdir()?;
    let state = State::open(folder.path(), Some(BatchParams { more_like_this, ..BatchParams::default() }))?;
    let mut rounds: Vec<Vec<Day>> = Vec::new();
    let mut archive = 0;
    for round in 0..2 {
        let later = jiff::SignedDuration::from_hours(round * 366 * 24);
        let mut rows = Vec::new();
        println!("day,articles,compared,edges,seconds,kib_written,archive,file_kib");
        for day in days.values().take(most) {
            let batch: Vec<Article> = day
                .iter()
                .map(|article| Article {
                    id: format!("{round}/{}", article.id),
                    published: article.published.map(|instant| instant + later),
                    ..article.clone()
                })
                .collect();
            let batch = Articles::from_articles(batch);
            let (start, written) = (Instant::now(), bytes_written());
            let report = state.advance(&batch, &Run::default())?;
            let seconds = start.elapsed().as_secs_f64();
            let written = bytes_written().saturating_sub(written) as f64 / 1024.0;
            let compared: usize = report.steps.iter().map(|step| step.compared).sum();
            let edges: usize = report.steps.iter().map(|step| step.edges).sum();
            let name = report.steps.first().and_then(|step| step.day.clone()).unwrap_or_default();
            let file = std::fs::metadata(folder.path().join("news.redb")).map_or(0, |meta| meta.len() / 1024);
            println!("{name},{},{compared},{edges},{seconds:.4},{written:.0},{archive},{file}", batch.len());
            rows.push(Day {
                new: batch.len() as f64,
                compared: compared as f64,
                archive: archive as f64,
                seconds,
                written,
            });
            archive += batch.len();
        }
        rounds.push(rows);
    }
    for (name, of) in [("seconds", (|day: &Day| day.seconds) as fn(&Day) -> f64), ("KiB written", |day| day.written)] {
        let sums: Vec<f64> = rounds.iter().map(|rows| rows.iter().map(of).sum()).collect();
        println!("{name}: first round {:.2}, second round {:.2}, ratio {:.3}", sums[0], sums[1], sums[1] / sums[0]);
        let all: Vec<&Day> = rounds.iter().flatten().collect();
        let rows: Vec<[f64; 4]> = all.iter().map(|day| [1.0, day.new, day.compared, day.archive]).collect();
        let values: Vec<f64> = all.iter().map(|day| of(day)).collect();
        let Some(fit) = least_squares(&rows, &values) else { continue };
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let rest: f64 = rows.iter().zip(&values).map(|(row, y)| (y - dot(row, &fit)).powi(2)).sum();
        let total: f64 = values.iter().map(|y| (y - mean).powi(2)).sum();
        println!(
            "{name} = {:.4} + {:.3e} * articles + {:.3e} * compared + {:.3e} * archive; R2 {:.3}; at the end the archive's part is {:.1} % of a mean day",
            fit[0],
            fit[1],
            fit[2],
            fit[3],
            1.0 - rest / total,
            100.0 * fit[3] * archive as f64 / mean
        );
    }
    Ok(())
}

fn dot(row: &[f64; 4], fit: &[f64; 4]) -> f64 {
    row.iter().zip(fit).map(|(x, b)| x * b).sum()
}

/// The least squares of four columns, by the normal equations; `None` where they depend on each other.
fn least_squares(rows: &[[f64; 4]], values: &[f64]) -> Option<[f64; 4]> {
    let mut system = [[0.0; 5]; 4];
    for (row, y) in rows.iter().zip(values) {
        for i in 0..4 {
            for j in 0..4 {
                system[i][j] += row[i] * row[j];
            }
            system[i][4] += row[i] * y;
        }
    }
    for i in 0..4 {
        let pivot = (i..4).max_by(|&a, &b| system[a][i].abs().total_cmp(&system[b][i].abs()))?;
        system.swap(i, pivot);
        if system[i][i].abs() < 1e-12 {
            return None;
        }
        for other in (0..4).filter(|&other| other != i) {
            let factor = system[other][i] / system[i][i];
            for column in i..5 {
                system[other][column] -= factor * system[i][column];
            }
        }
    }
    Some(std::array::from_fn(|i| system[i][4] / system[i][i]))
}

/// Bytes that this process wrote to files, where the system tells it.
fn bytes_written() -> u64 {
    let io = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
    io.lines().find_map(|line| line.strip_prefix("write_bytes: ")?.trim().parse().ok()).unwrap_or(0)
}
