//! The work of a point, stage by stage, each done once for all points that share it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::ExperimentError;
use super::results::hex;
use super::spec::{Data, Settings};
use crate::corpus::dataset::Dataset;
use crate::corpus::generate::{NewsParams, PapersParams};
use crate::corpus::names::ColumnMap;
use crate::corpus::{Corpus, Field, Pair, Paper, PaperId, ReadOptions, Truth, load};
use crate::embedding::{Embedding, train};
use crate::error::FileError;
use crate::evaluation::natural_duplicates;
use crate::inject::inject;
use crate::news::Articles;
use crate::progress::{Run, Silent};
use crate::seed::Seed;
use crate::text::{AnalyzerParams, Tokens};

pub(super) type Failed = Box<dyn std::error::Error + Send + Sync>;

/// Where the data of experiments lies.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The folder with the real data sets, if there is one.
    pub data: Option<PathBuf>,
}

impl Sources {
    /// The folder that `PAPERTWIN_DATA` names, if it does.
    pub fn from_environment() -> Sources {
        Sources { data: std::env::var_os("PAPERTWIN_DATA").filter(|v| !v.is_empty()).map(PathBuf::from) }
    }

    /// The file of a data set's records, where it is present.
    ///
    /// # Errors
    /// If it is not, with the way to get it; or if no data set has this name.
    pub fn records(&self, name: &str) -> Result<PathBuf, ExperimentError> {
        self.part(name, Dataset::records_file)
    }

    /// The file of a data set's known duplicates, where it is present.
    ///
    /// # Errors
    /// As for [`Sources::records`].
    pub fn pairs(&self, name: &str) -> Result<PathBuf, ExperimentError> {
        self.part(name, Dataset::pairs_file)
    }

    /// The file of a data set of pairs of records, where it is present; `None` for any other set.
    ///
    /// # Errors
    /// As for [`Sources::records`].
    fn record_pairs(&self, name: &str) -> Result<Option<PathBuf>, ExperimentError> {
        let described = Dataset::named(name).ok().and_then(|set| set.record_pairs_file(Path::new("")));
        described.map(|_| self.part(name, Dataset::record_pairs_file)).transpose()
    }

    fn part(&self, name: &str, file: fn(&Dataset, &Path) -> Option<PathBuf>) -> Result<PathBuf, ExperimentError> {
        let not_present = |way_on: String| ExperimentError::NotPresent { name: name.to_owned(), way_on };
        let dataset = Dataset::named(name).map_err(|error| not_present(error.to_string()))?;
        let Some(folder) = &self.data else {
            return Err(not_present(
                "set PAPERTWIN_DATA to the folder with the data sets; `papertwin datasets list` tells what they are"
                    .into(),
            ));
        };
        let way_on = || {
            format!("it is not in {}; `papertwin datasets fetch {name}` tells where it comes from", folder.display())
        };
        file(&dataset, folder).filter(|path| path.is_file()).ok_or_else(|| not_present(way_on()))
    }
}

/// Papers with the truth about them.
pub(super) struct Papers {
    pub corpus: Corpus,
    pub truth: Truth,
    pub natural: Truth,
    pub fields: Vec<Field>,
}

/// What was worked out last at each stage, with the settings that it was worked out from.
pub(super) struct Stages<'s> {
    sources: &'s Sources,
    loaded: Option<(String, Corpus)>,
    papers: Option<(String, Papers)>,
    embedding: Option<(String, Embedding)>,
    /// SHA-256 of every source that was read.
    pub hashes: BTreeMap<String, String>,
}

impl<'s> Stages<'s> {
    pub fn new(sources: &'s Sources) -> Stages<'s> {
        Stages { sources, loaded: None, papers: None, embedding: None, hashes: BTreeMap::new() }
    }

    /// The papers of a point, copies laid in, and the word vectors if its method needs some.
    pub fn at(&mut self, settings: &Settings, run: &Run) -> Result<(&Papers, Option<&Embedding>), Failed> {
        self.corpus(settings, run)?;
        let (data, loaded) = self.loaded.as_ref().expect("loaded just now");
        let papers = format!("{data} {:?} {} {}", settings.inject, settings.seed, settings.news.is_some());
        if self.papers.as_ref().is_none_or(|(key, _)| *key != papers) {
            self.papers = None;
            self.papers = Some((papers.clone(), lay_in(loaded, settings, self.sources)?));
        }
        let (_, laid) = self.papers.as_ref().expect("laid in just now");
        let text = settings.method.as_ref().and_then(|method| method.embedding_text());
        let Some(text) = text else { return Ok((laid, None)) };
        let source = settings.data.train_on.as_deref().unwrap_or(&papers);
        let embedding = format!("{source} {:?} {text:?} {}", settings.embedding, settings.seed);
        if self.embedding.as_ref().is_none_or(|(key, _)| *key != embedding) {
            self.embedding = None;
            let trained = match &settings.data.train_on {
                None => train_on(&laid.corpus, &laid.fields, text, settings, run)?,
                Some(name) => {
                    let other = Data { dataset: Some(name.clone()), ..Data::default() };
                    let corpus = read(self.sources, &other, settings.seed, run, &mut self.hashes)?;
                    // News have bodies where papers have abstracts.
                    let text_field = if settings.news.is_some() { Field::Body } else { Field::Abstract };
                    train_on(&corpus, &[Field::Title, text_field], text, settings, run)?
                }
            };
            self.embedding = Some((embedding, trained));
        }
        Ok((laid, self.embedding.as_ref().map(|(_, embedding)| embedding)))
    }

    /// The papers of a point as they were read or generated.
    pub fn corpus(&mut self, settings: &Settings, run: &Run) -> Result<&Corpus, Failed> {
        let data = format!("{:?}", settings.data);
        // Generated papers depend on the seed, those of a file do not.
        let generated = settings.data.generate.is_some() || settings.data.generate_news.is_some();
        let data = if generated { format!("{data} {}", settings.seed) } else { data };
        if self.loaded.as_ref().is_none_or(|(key, _)| *key != data) {
            self.loaded = None;
            self.loaded = Some((data, self.read(&settings.data, settings.seed, run)?));
        }
        Ok(&self.loaded.as_ref().expect("loaded just now").1)
    }

    /// The papers of a source, read anew.
    pub fn read(&mut self, data: &Data, seed: Seed, run: &Run) -> Result<Corpus, Failed> {
        read(self.sources, data, seed, run, &mut self.hashes)
    }
}

fn read(
    sources: &Sources,
    data: &Data,
    seed: Seed,
    run: &Run,
    hashes: &mut BTreeMap<String, String>,
) -> Result<Corpus, Failed> {
    let corpus = match (&data.generate, &data.generate_news, &data.dataset, data.files.as_slice()) {
        (None, Some(articles), None, []) => {
            hashes.insert("generated".to_owned(), format!("by the program, {articles} articles a seed"));
            let params = NewsParams { articles: (*articles).into(), furniture: false, ..NewsParams::default() };
            Corpus::new(params.check(seed.derive("experiment/news"))?.iter().collect())
        }
        (Some(papers), None, None, []) => {
            hashes.insert("generated".to_owned(), format!("by the program, {papers} papers a seed"));
            let seed = seed.derive("experiment/papers");
            let generated = PapersParams { papers: (*papers).into(), ..PapersParams::default() }.check(seed)?;
            Corpus::new(generated.iter().collect())
        }
        (None, None, Some(name), []) => match sources.record_pairs(name)? {
            Some(file) => read_record_pairs(name, &file, hashes)?,
            None => read_files(name, &[sources.records(name)?], run, hashes)?,
        },
        (None, None, None, [_, ..]) => {
            let files: Vec<PathBuf> = data.files.iter().map(PathBuf::from).collect();
            read_files(&data.files.join(" "), &files, run, hashes)?
        }
        _ => return Err("data: wanted exactly one of generate, generate-news, dataset and files".into()),
    };
    let mut papers = corpus.into_papers();
    papers.truncate(data.limit.unwrap_or(usize::MAX));
    if let Some(fill) = &data.fill {
        let there: BTreeSet<String> = papers.iter().map(|paper| bare_id(&paper.id).to_owned()).collect();
        let others = read_files(&fill.dataset, &[sources.records(&fill.dataset)?], run, hashes)?.into_papers();
        papers.extend(others.into_iter().filter(|paper| !there.contains(&paper.id)).take(fill.papers));
    }
    Ok(Corpus::new(papers))
}

/// The ends of the ids of the two records of a pair.
const ENDS: [&str; 2] = ["#a", "#b"];

/// An id without the end that says which record of a pair it is.
fn bare_id(id: &str) -> &str {
    ENDS.iter().find_map(|end| id.strip_suffix(end)).unwrap_or(id)
}

/// Both records of each line, one after the other, their ids told apart by [`ENDS`].
fn read_record_pairs(name: &str, file: &Path, hashes: &mut BTreeMap<String, String>) -> Result<Corpus, Failed> {
    let bytes = std::fs::read(file).map_err(FileError::at(file))?;
    hashes.insert(name.to_owned(), hex(&Sha256::digest(&bytes)));
    let lines = std::io::BufReader::new(flate2::read::MultiGzDecoder::new(bytes.as_slice())).lines();
    let mut papers = Vec::new();
    for (number, line) in lines.enumerate() {
        let line = line.map_err(FileError::at(file))?;
        let wrong = |reason: String| format!("{}, line {}: {reason}", file.display(), number + 1);
        let mut pair: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(&line).map_err(|error| wrong(error.to_string()))?;
        for (member, end) in ["a", "b"].into_iter().zip(ENDS) {
            let Some(serde_json::Value::Object(record)) = pair.remove(member) else {
                return Err(wrong(format!("no record {member:?}; wanted members a and b")).into());
            };
            let paper = Paper::from_json(record, &ColumnMap::default());
            papers.push(Paper { id: format!("{}{end}", paper.id), ..paper });
        }
    }
    Ok(Corpus::new(papers))
}

/// The two records of each pair; a pair of which a limit left one record is none.
fn truth_of_record_pairs(corpus: &Corpus) -> Truth {
    let is_pair = |two: &[Paper]| {
        let stem = |n: usize| two[n].id.strip_suffix(ENDS[n]);
        stem(0).is_some() && stem(0) == stem(1)
    };
    let pairs = corpus.papers().windows(2).enumerate().filter(|(_, two)| is_pair(two));
    let pair = |(place, _)| Pair::new(PaperId(place as u32), PaperId(place as u32 + 1));
    Truth::from_pairs(corpus.len(), pairs.filter_map(pair))
}

fn read_files(
    name: &str,
    files: &[PathBuf],
    run: &Run,
    hashes: &mut BTreeMap<String, String>,
) -> Result<Corpus, Failed> {
    let mut hash = Sha256::new();
    for file in files {
        let mut open = std::fs::File::open(file).map_err(FileError::at(file))?;
        std::io::copy(&mut open, &mut HashWriter(&mut hash)).map_err(FileError::at(file))?;
    }
    hashes.insert(name.to_owned(), hex(&hash.finalize()));
    let loaded = load(files, &ReadOptions::default(), run)?;
    if let Some(first) = loaded.rejected.first() {
        run.progress.warn(&format!(
            "{}: {} records rejected, the first at {}: {}",
            name,
            loaded.rejected.len(),
            first.place,
            first.reason
        ));
    }
    Ok(loaded.corpus)
}

struct HashWriter<'h>(&'h mut Sha256);

impl std::io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn lay_in(corpus: &Corpus, settings: &Settings, sources: &Sources) -> Result<Papers, Failed> {
    if let Some(news) = &settings.news {
        let fields = settings.data.fields.clone().unwrap_or_else(|| vec![Field::Title, Field::Body]);
        let corpus = Articles::of(corpus.clone(), Some(&news.label)).corpus();
        let none = Truth::from_pairs(corpus.len(), []);
        return Ok(Papers { natural: none.clone(), truth: none, corpus, fields });
    }
    let fields = settings.data.fields.clone().unwrap_or_else(|| vec![Field::Title, Field::Abstract]);
    if settings.data.labelled {
        let name = settings.data.dataset.as_deref().ok_or("data: labelled pairs belong to a dataset; give its name")?;
        let truth = match sources.record_pairs(name)? {
            Some(_) => truth_of_record_pairs(corpus),
            None => read_labels(&sources.pairs(name)?, corpus)?,
        };
        return Ok(Papers { corpus: corpus.clone(), natural: Truth::from_pairs(corpus.len(), []), truth, fields });
    }
    let injected = inject(corpus, &settings.inject.clone().check()?, settings.seed);
    let natural = natural_duplicates(&injected.corpus);
    Ok(Papers { natural, corpus: injected.corpus, truth: injected.truth, fields })
}

fn read_labels(path: &Path, corpus: &Corpus) -> Result<Truth, Failed> {
    let file = std::fs::File::open(path).map_err(FileError::at(path))?;
    Ok(Truth::read_csv(flate2::read::MultiGzDecoder::new(file), corpus, &Silent)?)
}

fn train_on(
    corpus: &Corpus,
    fields: &[Field],
    text: &AnalyzerParams,
    settings: &Settings,
    run: &Run,
) -> Result<Embedding, Failed> {
    let tokens = Tokens::of_corpus(corpus, fields, &text.clone().check()?, run);
    let run = Run { seed: settings.seed, ..run.clone() };
    Ok(train(&tokens, &settings.embedding.clone().check()?, &run)?.embedding)
}
