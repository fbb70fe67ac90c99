//! Room 14: a table becomes a figure, SVG with the same bytes on every machine, PNG on request.
//!
//! ```
//! use papertwin::figures::{Figure, svg};
//! use papertwin::table::Table;
//! let table = Table::read_csv("k,f1,set\n5,0.7,a\n10,0.9,a\n5,0.6,b\n10,0.8,b\n".as_bytes())?;
//! let figure = Figure { x: "k".into(), y: vec!["f1".into()], series: vec!["set".into()], ..Figure::default() };
//! assert!(svg(&table, &figure)?.contains("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod draw;
mod heat;
mod select;

use serde::{Deserialize, Serialize};

pub use draw::{png, svg};
pub use select::drawn_rows;

use crate::table::TableError;

/// What is drawn from a table, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Figure {
    /// The line above the figure.
    pub title: String,
    /// The column along the bottom; its values are numbers, or names that are laid out in order of appearance.
    pub x: String,
    /// The columns upwards: numbers. Undefined cells are gaps.
    pub y: Vec<String>,
    /// One line for each combination of values of these columns.
    pub series: Vec<String>,
    /// One panel for each value of this column.
    pub panel: Option<String>,
    /// Only rows with these values: column = value.
    #[serde(rename = "where")]
    pub only: std::collections::BTreeMap<String, String>,
    /// Half the height of an error bar, in the unit of y.
    pub error: Option<String>,
    /// Text along the bottom; the column's name by default.
    pub x_label: Option<String>,
    /// Text at the side; the column's name by default.
    pub y_label: Option<String>,
    /// From and to along the bottom; fitted to the data by default. May run backwards.
    pub x_range: Option<[f64; 2]>,
    /// From and to upwards.
    pub y_range: Option<[f64; 2]>,
    /// Whether the bottom axis is logarithmic (positive numbers only).
    pub x_log: bool,
    /// Whether the axis at the side is logarithmic (positive numbers only).
    pub y_log: bool,
    /// Lines with marks, lines without, marks alone, or a table of coloured cells.
    pub kind: Kind,
    /// Width of one panel in pixels.
    pub width: u32,
    /// Height of one panel in pixels.
    pub height: u32,
}

impl Default for Figure {
    fn default() -> Figure {
        Figure {
            title: String::new(),
            x: String::new(),
            y: Vec::new(),
            series: Vec::new(),
            panel: None,
            only: Default::default(),
            error: None,
            x_label: None,
            y_label: None,
            x_range: None,
            y_range: None,
            x_log: false,
            y_log: false,
            kind: Kind::LinePoints,
            width: 440,
            height: 340,
        }
    }
}

/// How the points of a series are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A line, with marks on some points so that series can be told apart in print.
    #[default]
    LinePoints,
    /// A line alone.
    Line,
    /// Marks alone.
    Points,
    /// No axes: a table of coloured cells, a row a series, a column a value of x, the value of y written in the cell. Its
    /// size follows from the names.
    HeatMap,
}

/// Why a figure cannot be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FigureError {
    /// The table has not what the figure asks for.
    #[error(transparent)]
    Table(#[from] TableError),
    /// No row has a number for x and for y.
    #[error("no data: {rows} rows, of which none has a value in {x} and in {y}; look at the columns and at `where`")]
    NoData {
        /// Rows of the table.
        rows: usize,
        /// The x column.
        x: String,
        /// The y columns.
        y: String,
    },
    /// A setting that makes no sense.
    #[error("{0}")]
    Setting(String),
    /// The drawing library failed.
    #[error("drawing failed: {0}")]
    Drawing(String),
}
