//! A table of results: what experiments write, what figures and notebooks read.

use std::fmt;
use std::io::{Read, Write};

/// One cell. Rates are written with six decimals, counts as integers, what is undefined as an empty cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Undefined, or not applicable.
    Empty,
    /// A count.
    Count(u64),
    /// A rate or a measure.
    Rate(f64),
    /// A name, or a parameter as it was written.
    Text(String),
}

impl Cell {
    /// The number in the cell, also when it was read from a file as text.
    pub fn number(&self) -> Option<f64> {
        match self {
            Cell::Empty => None,
            Cell::Count(n) => Some(*n as f64),
            Cell::Rate(x) => Some(*x),
            Cell::Text(text) => text.trim().parse().ok().filter(|x: &f64| x.is_finite()),
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Empty => Ok(()),
            Cell::Count(n) => n.fmt(f),
            // -0 and 0 are one number, so they are one text.
            Cell::Rate(x) if x.is_finite() => write!(f, "{:.6}", if *x == 0.0 { 0.0 } else { *x }),
            Cell::Rate(_) => Ok(()),
            Cell::Text(text) => f.write_str(text),
        }
    }
}

impl From<u64> for Cell {
    fn from(n: u64) -> Cell {
        Cell::Count(n)
    }
}
impl From<usize> for Cell {
    fn from(n: usize) -> Cell {
        Cell::Count(n as u64)
    }
}
impl From<f64> for Cell {
    fn from(x: f64) -> Cell {
        if x.is_finite() { Cell::Rate(x) } else { Cell::Empty }
    }
}
impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }
}
impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}
impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or(Cell::Empty, Into::into)
    }
}

/// Named columns and rows of cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

/// Why a table could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// Not a table: rows of different lengths, bad quotes, bad text.
    #[error("{0}")]
    Csv(#[from] csv::Error),
    /// A column that was asked for is not there.
    #[error("there is no column {wanted:?}; the columns are {found}")]
    NoColumn {
        /// The name asked for.
        wanted: String,
        /// The names there are.
        found: String,
    },
}

impl Table {
    /// A table without rows.
    pub fn new<S: Into<String>>(columns: impl IntoIterator<Item = S>) -> Table {
        Table { columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The rows.
    pub fn rows(&self) -> &[Vec<Cell>] {
        &self.rows
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If it has not one cell for each column.
    pub fn push(&mut self, row: Vec<Cell>) {
        assert_eq!(row.len(), self.columns.len(), "a row with one cell for each column");
        self.rows.push(row);
    }

    /// The place of a column.
    ///
    /// # Errors
    /// If there is none of this name; the message lists the names.
    pub fn column(&self, name: &str) -> Result<usize, TableError> {
        self.columns
            .iter()
            .position(|c| c == name)
            .ok_or_else(|| TableError::NoColumn { wanted: name.to_owned(), found: self.columns.join(", ") })
    }

    /// Writes the table as CSV, lines ended by a line feed.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write_csv(&self, out: impl Write) -> Result<(), TableError> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(&self.columns)?;
        for row in &self.rows {
            writer.write_record(row.iter().map(Cell::to_string))?;
        }
        writer.flush().map_err(csv::Error::from)?;
        Ok(())
    }

    /// Reads CSV, or tab-separated text where the header holds a tab. `NA`, `NaN`, `null`, `-` and nothing are empty cells.
    ///
    /// # Errors
    /// If rows differ in length or the text is not UTF-8.
    pub fn read_csv(mut input: impl Read) -> Result<Table, TableError> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes).map_err(csv::Error::from)?;
        let mut reader = csv::ReaderBuilder::new().delimiter(delimiter_of(&bytes)).from_reader(bytes.as_slice());
        let mut table = Table::new(reader.headers()?.iter().map(str::trim));
        for record in reader.records() {
            let cells = record?
                .iter()
                .map(|cell| match cell.trim() {
                    "" | "-" | "NA" | "N/A" | "NaN" | "nan" | "null" => Cell::Empty,
                    text => Cell::Text(text.to_owned()),
                })
                .collect();
            table.rows.push(cells);
        }
        Ok(table)
    }
}

/// What stands between the columns of a table, by its first line: a tab, or a semicolon where there is no comma, as
/// spreadsheets of many countries write it; otherwise a comma.
pub fn delimiter_of(table: &[u8]) -> u8 {
    let header = table.split(|&b| b == b'\n').next().unwrap_or_default();
    match (header.contains(&b'\t'), header.contains(&b','), header.contains(&b';')) {
        (true, ..) => b'\t',
        (false, false, true) => b';',
        _ => b',',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_written_by_rule_and_read_back_as_numbers() {
        let mut table = Table::new(["k", "rate", "name", "gap"]);
        table.push(vec![10u64.into(), (1.0 / 3.0).into(), "a,b".into(), f64::NAN.into()]);
        table.push(vec![5u64.into(), (-0.0).into(), "c".into(), None::<f64>.into()]);
        let mut bytes = Vec::new();
        table.write_csv(&mut bytes).unwrap();
        assert_eq!(String::from_utf8_lossy(&bytes), "k,rate,name,gap\n10,0.333333,\"a,b\",\n5,0.000000,c,\n");
        let back = Table::read_csv(bytes.as_slice()).unwrap();
        assert_eq!(back.rows()[0][1].number(), Some(0.333333));
        assert_eq!(back.rows()[1][3], Cell::Empty);
        assert!(back.column("f1").unwrap_err().to_string().contains("k, rate, name, gap"));
        let semicolons = Table::read_csv("a;b\r\n1;2,5\r\n".as_bytes()).unwrap();
        assert_eq!((semicolons.columns().len(), semicolons.rows()[0].len()), (2, 2));
        let tabs = Table::read_csv("lambda\tprecision\n1.00\tNA\n".as_bytes()).unwrap();
        assert_eq!(tabs.rows()[0], [Cell::Text("1.00".into()), Cell::Empty]);
    }
}
