//! Rows of f32 numbers, and numpy's file form of them.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;

use ndarray::Array2;
use ndarray_npy::{ReadNpyExt, WriteNpyExt};

use crate::error::FileError;

/// Rows in row-major order: m x n, standard layout.
pub type Matrix = Array2<f32>;

/// Why a matrix could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MatrixError {
    /// The file could not be opened, read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Not a .npy file of f32 or f64 rows.
    #[error("{path}: {reason}; wanted a .npy file with a two-dimensional array of f32 or f64 (numpy.save)")]
    Form {
        /// The file.
        path: String,
        /// What was found.
        reason: String,
    },
    /// A value that is not a finite number, or not one as f32.
    #[error("{path}: row {row}, column {column} is {value}; vectors must be finite numbers that f32 can hold")]
    NotFinite {
        /// The file.
        path: String,
        /// Row from 0.
        row: usize,
        /// Column from 0.
        column: usize,
        /// What was found.
        value: f64,
    },
}

/// Reads a .npy file of f32 or f64 rows. Column-major files are laid out anew.
///
/// # Errors
/// If the file cannot be read, is cut short, is of another form, or holds a NaN or an infinity.
pub fn read_npy(path: impl AsRef<Path>) -> Result<Matrix, MatrixError> {
    let path = path.as_ref();
    let name = path.display().to_string();
    let form = |reason: String| MatrixError::Form { path: name.clone(), reason };
    let open = || File::open(path).map_err(FileError::at(path));
    let mut magic = [0u8; 6];
    let length = open()?.metadata().map_err(FileError::at(path))?.len();
    if open()?.read(&mut magic).map_err(FileError::at(path))? < 6 || &magic != b"\x93NUMPY" {
        return Err(form("this is not a .npy file".into()));
    }
    let head = head(path).map_err(FileError::at(path))?;
    let (rows, width) = shape(&head).ok_or_else(|| form("the header names no two-dimensional shape".into()))?;
    let kind = kind(&head).ok_or_else(|| form("the header names no type of numbers".into()))?;
    let size = match kind.trim_start_matches(['<', '>', '=']) {
        "f4" => 4,
        "f8" => 8,
        _ => return Err(form(format!("the numbers are of type {kind}"))),
    };
    // A header that lies must not ask for memory: the file is at least as long as the numbers it announces.
    if rows.checked_mul(width).and_then(|n| n.checked_mul(size)).is_none_or(|bytes| bytes > length) {
        return Err(form(format!("the header announces {rows} x {width} numbers, the file has {length} bytes")));
    }
    let file = BufReader::new(open()?);
    let matrix = match size {
        4 => Matrix::read_npy(file).map_err(|error| form(error.to_string()))?,
        _ => {
            let exact = Array2::<f64>::read_npy(file).map_err(|error| form(error.to_string()))?;
            // What is finite, but not as f32, is named as it stands in the file.
            let lost = exact.indexed_iter().find(|&(_, &x)| x.is_finite() && !(x as f32).is_finite());
            if let Some(((row, column), &value)) = lost {
                return Err(MatrixError::NotFinite { path: name, row, column, value });
            }
            exact.mapv(|x| x as f32)
        }
    };
    let matrix = if matrix.is_standard_layout() { matrix } else { matrix.as_standard_layout().into_owned() };
    if matrix.as_slice().is_some_and(|numbers| numbers.iter().fold(true, |all, x| all & x.is_finite())) {
        return Ok(matrix);
    }
    match matrix.indexed_iter().find(|(_, x)| !x.is_finite()) {
        Some(((row, column), &value)) => Err(MatrixError::NotFinite { path: name, row, column, value: value.into() }),
        None => Ok(matrix),
    }
}

/// The beginning of a file, in which the header is.
fn head(path: &Path) -> std::io::Result<String> {
    let mut head = Vec::new();
    File::open(path)?.take(4096).read_to_end(&mut head)?;
    Ok(String::from_utf8_lossy(&head).into_owned())
}

/// The two numbers of the header's `'shape': (m, n)`.
fn shape(head: &str) -> Option<(u64, u64)> {
    let inside = head.split_once("'shape'")?.1.split_once('(')?.1.split_once(')')?.0;
    let mut numbers = inside.split(',').map(str::trim).filter(|n| !n.is_empty()).map(|n| n.parse().ok());
    let both = (numbers.next()??, numbers.next()??);
    numbers.next().is_none().then_some(both)
}

/// The type in the header's `'descr': '<f4'`.
fn kind(head: &str) -> Option<&str> {
    Some(head.split_once("'descr'")?.1.split_once('\'')?.1.split_once('\'')?.0)
}

/// Writes rows as a .npy file of little-endian f32.
///
/// # Errors
/// If the writer fails.
pub fn write_npy(matrix: &Matrix, out: impl Write) -> std::io::Result<()> {
    matrix.write_npy(out).map_err(std::io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn saved(bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.npy");
        std::fs::write(&path, bytes).unwrap();
        (folder, path)
    }

    #[test]
    fn what_is_written_is_read_back() {
        let matrix = array![[1.0f32, -2.5], [0.0, 3.25], [7.0, 8.0]];
        let mut bytes = Vec::new();
        write_npy(&matrix, &mut bytes).unwrap();
        let (_folder, path) = saved(&bytes);
        assert_eq!(read_npy(&path).unwrap(), matrix);
    }

    #[test]
    fn both_widths_orders_and_layouts_are_read() {
        let matrix = array![[1.0f32, -2.5, 3.0], [0.0, 3.25, 1e30]];
        let header = |kind, fortran| {
            let header = format!("{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': (2, 3), }}\n");
            let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
            bytes.extend((header.len() as u16).to_le_bytes());
            bytes.extend(header.as_bytes());
            bytes
        };
        let (by_row, by_column) = (matrix.iter(), matrix.t().to_owned());
        let mut big = header(">f4", "False");
        by_row.clone().for_each(|x| big.extend(x.to_be_bytes()));
        let mut wide = header("<f8", "False");
        by_row.for_each(|&x| wide.extend(f64::from(x).to_le_bytes()));
        let mut columns = header("<f4", "True");
        by_column.iter().for_each(|x| columns.extend(x.to_le_bytes()));
        for bytes in [big, wide, columns] {
            let (_folder, path) = saved(&bytes);
            let read = read_npy(&path).unwrap();
            assert!(read.is_standard_layout() && (read[[1, 2]] - 1e30).abs() < 1e24);
            assert_eq!(read.slice(ndarray::s![.., ..2]), matrix.slice(ndarray::s![.., ..2]));
        }
        for shape in [(0, 4), (3, 0), (0, 0)] {
            let mut bytes = Vec::new();
            write_npy(&Matrix::zeros(shape), &mut bytes).unwrap();
            let (_folder, path) = saved(&bytes);
            assert_eq!(read_npy(&path).unwrap().dim(), shape);
        }
    }

    #[test]
    fn a_file_cut_short_a_lying_header_and_a_nan_are_named() {
        let mut bytes = Vec::new();
        write_npy(&array![[1.0f32, f32::NAN]], &mut bytes).unwrap();
        let (_folder, path) = saved(&bytes);
        assert!(read_npy(&path).unwrap_err().to_string().contains("row 0, column 1 is NaN"));
        let (_folder, path) = saved(&bytes[..bytes.len() - 2]);
        assert!(read_npy(&path).unwrap_err().to_string().contains("wanted a .npy file"));
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (987654321, 2), }\n";
        let mut lie = b"\x93NUMPY\x01\x00".to_vec();
        lie.extend((header.len() as u16).to_le_bytes());
        lie.extend(header.as_bytes());
        let (_folder, path) = saved(&lie);
        assert!(read_npy(&path).unwrap_err().to_string().contains("the header announces 987654321 x 2 numbers"));
        for (wide, told) in [(1e300, "row 0, column 1 is 1000"), (f64::INFINITY, "row 0, column 1 is inf")] {
            let mut bytes = Vec::new();
            array![[1.0f64, wide]].write_npy(&mut bytes).unwrap();
            let (_folder, path) = saved(&bytes);
            assert!(read_npy(&path).unwrap_err().to_string().contains(told));
        }
        let mut bytes = Vec::new();
        array![[1i64, 2]].write_npy(&mut bytes).unwrap();
        let (_folder, path) = saved(&bytes);
        assert!(read_npy(&path).unwrap_err().to_string().contains("the numbers are of type <i8; wanted"));
        let (_folder, path) = saved(b"<html>");
        assert!(read_npy(&path).unwrap_err().to_string().contains("not a .npy file"));
    }
}
