//! Picks the points of a figure out of a table.

use super::{Figure, FigureError, Kind};
use crate::table::{Cell, Table};

/// Points with gaps between them.
pub(super) struct Series {
    pub name: String,
    /// x, y and half an error bar; `None` is a gap.
    pub points: Vec<Option<(f64, f64, f64)>>,
}

pub(super) struct Panel {
    pub name: String,
    /// For each series of the whole figure, by its place there, what it has in this panel.
    pub series: Vec<Series>,
}

pub(super) struct Selected {
    pub panels: Vec<Panel>,
    /// The names along the bottom where x is not a number.
    pub categories: Vec<String>,
    pub x_range: (f64, f64),
    pub y_range: (f64, f64),
}

/// At most so many points of a series are drawn; more cannot be seen.
const MOST_POINTS: usize = 2_000;

pub(super) fn select(table: &Table, figure: &Figure) -> Result<Selected, FigureError> {
    let x = table.column(&figure.x)?;
    if figure.y.is_empty() {
        return Err(FigureError::Setting("a figure needs at least one column for y".into()));
    }
    let ys = figure.y.iter().map(|y| table.column(y)).collect::<Result<Vec<_>, _>>()?;
    let by = figure.series.iter().map(|s| table.column(s)).collect::<Result<Vec<_>, _>>()?;
    let panel = figure.panel.as_ref().map(|p| table.column(p)).transpose()?;
    let error = figure.error.as_ref().map(|e| table.column(e)).transpose()?;
    let (rows, categorical) = rows_of(table, figure, x)?;
    let mut categories = Vec::new();
    let mut panels = Vec::new();
    let mut names = Vec::new();
    let mut points: Vec<(usize, usize, Option<(f64, f64, f64)>)> = Vec::new();
    for row in rows {
        let at_panel = place(&mut panels, panel.map_or(String::new(), |c| row[c].to_string()));
        let at_x = if categorical { Some(place(&mut categories, row[x].to_string()) as f64) } else { row[x].number() };
        for (&y, y_name) in ys.iter().zip(&figure.y) {
            let mut parts: Vec<String> = by
                .iter()
                .zip(&figure.series)
                .map(|(&c, name)| match (&row[c], row[c].number()) {
                    (_, Some(_)) => format!("{name} = {}", row[c]),
                    (Cell::Empty, None) => format!("no {name}"),
                    _ => row[c].to_string(),
                })
                .collect();
            if ys.len() > 1 {
                parts.push(y_name.clone());
            }
            let series = place(&mut names, parts.join(", "));
            let bar = error.and_then(|c| row[c].number()).unwrap_or(0.0).abs();
            let point = at_x.zip(row[y].number()).filter(|point| has_place(figure, *point));
            points.push((at_panel, series, point.map(|(x, y)| (x, y, bar))));
        }
    }
    let mut selected: Vec<Panel> = panels
        .into_iter()
        .map(|name| Panel {
            name,
            series: names.iter().map(|n| Series { name: n.clone(), points: Vec::new() }).collect(),
        })
        .collect();
    for (panel, series, point) in points {
        selected[panel].series[series].points.push(point);
    }
    let seen: Vec<(f64, f64, f64)> =
        selected.iter().flat_map(|p| &p.series).flat_map(|s| s.points.iter().flatten().copied()).collect();
    if seen.is_empty() {
        return Err(FigureError::NoData { rows: table.rows().len(), x: figure.x.clone(), y: figure.y.join(", ") });
    }
    for series in selected.iter_mut().flat_map(|p| &mut p.series) {
        series.points = thin(std::mem::take(&mut series.points));
    }
    let x_range = match figure.x_range {
        Some(range) => given(range, "x-range")?,
        None if categorical => (-0.5, categories.len() as f64 - 0.5),
        None => fitted(seen.iter().map(|p| p.0), figure.x_log),
    };
    let y_range = match figure.y_range {
        Some(range) => given(range, "y-range")?,
        None => {
            let ends = seen.iter().flat_map(|p| [p.1 - p.2, p.1 + p.2]);
            fitted(ends.filter(|end| !figure.y_log || *end > 0.0), figure.y_log)
        }
    };
    Ok(Selected { panels: selected, categories, x_range, y_range })
}

/// How many rows of a table have a place in a figure.
///
/// # Errors
/// If a column that the figure names is not there.
pub fn drawn_rows(table: &Table, figure: &Figure) -> Result<usize, FigureError> {
    let x = table.column(&figure.x)?;
    let ys = figure.y.iter().map(|y| table.column(y)).collect::<Result<Vec<_>, _>>()?;
    let (rows, categorical) = rows_of(table, figure, x)?;
    let drawn = rows.into_iter().filter(|row| {
        // Names stand side by side: any place does.
        let at_x = if categorical { Some(1.0) } else { row[x].number() };
        ys.iter().any(|&y| at_x.zip(row[y].number()).is_some_and(|point| has_place(figure, point)))
    });
    Ok(drawn.count())
}

/// The rows that a figure is about, and whether its bottom axis has names instead of numbers.
fn rows_of<'t>(table: &'t Table, figure: &Figure, x: usize) -> Result<(Vec<&'t Vec<Cell>>, bool), FigureError> {
    let only = figure.only.iter().map(|(c, v)| Ok((table.column(c)?, v))).collect::<Result<Vec<_>, FigureError>>()?;
    let rows: Vec<&Vec<Cell>> = table
        .rows()
        .iter()
        .filter(|row| only.iter().all(|(c, v)| row[*c].to_string() == **v || same_number(&row[*c], v)))
        .collect();
    let categorical =
        figure.kind == Kind::HeatMap || rows.iter().any(|row| row[x] != Cell::Empty && row[x].number().is_none());
    Ok((rows, categorical))
}

/// Whether the axes of a figure have a place for a point.
fn has_place(figure: &Figure, (x, y): (f64, f64)) -> bool {
    (!figure.x_log || x > 0.0) && (!figure.y_log || y > 0.0)
}

fn same_number(cell: &Cell, value: &str) -> bool {
    cell.number().zip(value.parse().ok()).is_some_and(|(a, b): (f64, f64)| a == b)
}

fn place(names: &mut Vec<String>, name: String) -> usize {
    names.iter().position(|n| *n == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    })
}

fn given(range: [f64; 2], name: &str) -> Result<(f64, f64), FigureError> {
    let [from, to] = range;
    if from.is_finite() && to.is_finite() && from != to {
        Ok((from, to))
    } else {
        Err(FigureError::Setting(format!("{name} from {from} to {to} is empty; wanted two different numbers")))
    }
}

/// A range with some air around the data. Rates that fill most of 0 to 1 get all of it; a constant gets a range too.
fn fitted(values: impl Iterator<Item = f64>, log: bool) -> (f64, f64) {
    let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    if log {
        return if least == most { (least / 2.0, most * 2.0) } else { (least / 1.1, most * 1.1) };
    }
    if least >= 0.0 && most <= 1.0 && most - least >= 0.5 {
        return (0.0, 1.0);
    }
    let span = most - least;
    // A difference that is lost in rounding would make a range without width.
    let air = if span > least.abs().max(most.abs()) * 1e-9 { span * 0.05 } else { most.abs().max(1e-9) * 0.05 };
    (least - air, most + air)
}

/// Keeps the first and last point, every gap, and evenly spaced points between.
fn thin<P: Copy>(points: Vec<Option<P>>) -> Vec<Option<P>> {
    let step = points.len().div_ceil(MOST_POINTS).max(1);
    let last = points.len().saturating_sub(1);
    points.into_iter().enumerate().filter(|(n, p)| n % step == 0 || *n == last || p.is_none()).map(|(_, p)| p).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_air_and_are_never_empty() {
        assert_eq!(fitted([0.0, 0.7].into_iter(), false), (0.0, 1.0));
        assert_eq!(fitted([1.0, 1.0].into_iter(), false), (0.95, 1.05));
        let (low, high) = fitted([5.0, 10.0].into_iter(), false);
        assert_eq!((low, high), (4.75, 10.25));
        for constant in [0.0, 1e300, -3.0, 1e-300] {
            let (low, high) = fitted([constant].into_iter(), false);
            assert!(low < constant && constant < high, "{constant}");
        }
    }

    #[test]
    fn rows_become_series_in_panels_with_gaps() {
        let table = Table::read_csv("k,f1,set,p\n5,0.2,b,x\n10,NA,b,x\n20,0.4,b,x\n5,0.9,a,y\n".as_bytes()).unwrap();
        let figure = Figure {
            x: "k".into(),
            y: vec!["f1".into()],
            series: vec!["set".into()],
            panel: Some("p".into()),
            ..Figure::default()
        };
        let selected = select(&table, &figure).unwrap();
        assert_eq!(selected.panels.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!(selected.panels[0].series[0].points, [Some((5.0, 0.2, 0.0)), None, Some((20.0, 0.4, 0.0))]);
        assert_eq!(selected.panels[0].series[1].points, []);
        assert_eq!(selected.panels[1].series[1].points, [Some((5.0, 0.9, 0.0))]);
        let none = Figure { only: [("set".to_owned(), "zz".to_owned())].into(), ..figure };
        assert!(matches!(select(&table, &none), Err(FigureError::NoData { rows: 4, .. })));
    }

    #[test]
    fn long_series_are_thinned_but_keep_their_ends_and_gaps() {
        let mut points: Vec<Option<usize>> = (0..10_001).map(Some).collect();
        points[3] = None;
        let thinned = thin(points);
        assert!(thinned.len() <= MOST_POINTS + 3);
        assert_eq!((thinned[0], thinned[thinned.len() - 1]), (Some(0), Some(10_000)));
        assert!(thinned.contains(&None));
    }
}
