//! Embeddings in files: what kind a file is, and the reading and writing of each kind.
//!
//! A kind is told by content, not by name, compressed (gzip, zstd) or not. What is wrong with a file is said with its
//! place; a row with a NaN or an infinity is dropped and counted, a word that comes again keeps its first vector.

mod finalfusion;
mod text;
mod word2vec;

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read, Write};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use super::{Embedding, EmbeddingError, Provenance};
use crate::error::FileError;
use crate::matrix::Matrix;
use crate::output::Output;

/// How much of a file is looked at to tell its kind.
const HEAD: usize = 1 << 20;

/// The kinds of embedding files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// finalfusion: words, unit vectors, their lengths, metadata.
    Fifu,
    /// word2vec binary: `V N`, then each word, a blank, N little-endian f32.
    Word2VecBinary,
    /// word2vec and fastText text (.vec): `V N`, then a line a word.
    Text,
    /// GloVe: the same without the first line.
    Glove,
    /// fastText binary; read only. A word's vector includes its subwords.
    FastText,
}

impl FileFormat {
    /// The format that a file name asks for: .fifu, .bin, .txt or .vec, .glove.
    pub fn by_extension(path: &Path) -> Option<FileFormat> {
        match path.extension()?.to_str()? {
            "fifu" => Some(FileFormat::Fifu),
            "bin" => Some(FileFormat::Word2VecBinary),
            "txt" | "vec" => Some(FileFormat::Text),
            "glove" => Some(FileFormat::Glove),
            _ => None,
        }
    }

    /// The name of the format.
    pub fn name(self) -> &'static str {
        match self {
            FileFormat::Fifu => "finalfusion",
            FileFormat::Word2VecBinary => "word2vec binary",
            FileFormat::Text => "word2vec text",
            FileFormat::Glove => "text without a header (GloVe)",
            FileFormat::FastText => "fastText binary",
        }
    }
}

/// How files are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Bytes that are not UTF-8 become U+FFFD; else they are an error that names the line and the byte.
    pub lossy: bool,
}

/// An embedding from a file, and what was noticed on the way.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The words and their vectors, not normalised.
    pub embedding: Embedding,
    /// The kind of the file.
    pub format: FileFormat,
    /// What the model says of itself: from the file, or from FILE.json beside it.
    pub provenance: Option<Provenance>,
    /// Rows read, good or bad.
    pub rows: u64,
    /// Rows dropped for a NaN or an infinity.
    pub not_finite: u64,
    /// Rows dropped because their word has come before.
    pub duplicates: u64,
    /// Rows dropped because their word is empty.
    pub empty: u64,
    /// Words with bytes that were replaced.
    pub replaced: u64,
}

impl Loaded {
    /// What should be told to the user: one line a kind of loss.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let mut note = |count: u64, what: &str| {
            if count > 0 {
                warnings.push(format!("{count} of {} vectors {what}", self.rows));
            }
        };
        note(self.not_finite, "dropped: they hold a NaN or an infinity");
        note(self.duplicates, "dropped: their words have come before (the first vector is kept)");
        note(self.empty, "dropped: their word is empty");
        note(self.replaced, "kept with U+FFFD for bytes of the word that are not UTF-8");
        warnings
    }
}

/// Reads an embedding of any kind.
///
/// # Errors
/// If the file cannot be read, is of another kind (and which), is cut short, or announces what it does not hold.
pub fn read(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Loaded, EmbeddingError> {
    let path = path.as_ref();
    let file = File::open(path).map_err(FileError::at(path))?;
    let metadata = file.metadata().map_err(FileError::at(path))?;
    if metadata.is_dir() {
        let error = std::io::Error::new(std::io::ErrorKind::IsADirectory, "is a folder");
        return Err(FileError::new(path, error).into());
    }
    let mut source: Box<dyn BufRead> = Box::new(BufReader::with_capacity(1 << 16, file));
    let start = source.fill_buf().map_err(FileError::at(path))?;
    let mut size = metadata.is_file().then_some(metadata.len());
    if start.starts_with(b"\x1f\x8b") {
        source = Box::new(BufReader::with_capacity(1 << 16, flate2::bufread::MultiGzDecoder::new(source)));
        size = None;
    } else if start.starts_with(b"\x28\xb5\x2f\xfd") {
        let decoder = zstd::stream::read::Decoder::with_buffer(source).map_err(FileError::at(path))?;
        source = Box::new(BufReader::with_capacity(1 << 16, decoder));
        size = None;
    }
    let mut head = Vec::new();
    source.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(FileError::at(path))?;
    let kind = kind_of(&head).map_err(|what| EmbeddingError::OtherKind { path: path.to_owned(), what })?;
    let mut reader = Cursor::new(head).chain(source);
    let mut rows = RowsRead::new(path, options.lossy);
    let mut provenance = None;
    match kind {
        FileFormat::Text => text::read(&mut reader, true, &mut rows)?,
        FileFormat::Glove => text::read(&mut reader, false, &mut rows)?,
        FileFormat::Word2VecBinary => word2vec::read(&mut reader, size, &mut rows)?,
        FileFormat::Fifu => provenance = finalfusion::read_fifu(&mut reader, &mut rows)?,
        FileFormat::FastText => finalfusion::read_fasttext(&mut reader, &mut rows)?,
    }
    let mut loaded = rows.finish(kind)?;
    loaded.provenance = provenance.or_else(|| side_file(path, loaded.embedding.len()));
    Ok(loaded)
}

/// Writes an embedding in the format of the file's extension; vectors are written as they are, not normalised (fifu
/// holds unit vectors and lengths, their product is the vector to 1e-7).
///
/// What the model says of itself goes into a fifu file, and for all other formats into a file FILE.json beside it.
///
/// # Errors
/// If the extension is none of .fifu .bin .txt .vec .glove, if a word cannot be written in the format so that it is
/// read back, if a number is not finite, or if the file cannot be written.
pub fn write(path: impl AsRef<Path>, embedding: &Embedding, about: Option<&Provenance>) -> Result<(), EmbeddingError> {
    ModelOutput::create(path)?.write(embedding, about)
}

/// A model file that is opened before the work starts.
pub struct ModelOutput {
    path: PathBuf,
    format: FileFormat,
    out: Output,
}

impl ModelOutput {
    /// Opens the file, so that a wrong extension or folder is known before the work starts.
    ///
    /// # Errors
    /// If the extension is not known or the folder cannot be written to.
    pub fn create(path: impl AsRef<Path>) -> Result<ModelOutput, EmbeddingError> {
        let path = path.as_ref();
        let format =
            FileFormat::by_extension(path).ok_or_else(|| EmbeddingError::Extension { path: path.to_owned() })?;
        Ok(ModelOutput { path: path.to_owned(), format, out: Output::create(path)? })
    }

    /// Writes the model and puts it in its place, see [`write()`].
    ///
    /// # Errors
    /// As [`write()`].
    pub fn write(self, embedding: &Embedding, about: Option<&Provenance>) -> Result<(), EmbeddingError> {
        let ModelOutput { path, format, mut out } = self;
        if let Some(row) = embedding.vectors().rows().into_iter().position(|row| row.iter().any(|x| !x.is_finite())) {
            let what = format!("not written: the vector of {:?} is not finite", embedding.words()[row]);
            return Err(EmbeddingError::Broken { path, what });
        }
        let blank: fn(char) -> bool = match format {
            FileFormat::Fifu | FileFormat::FastText => |_| false,
            FileFormat::Word2VecBinary => |c| c == ' ' || c == '\n',
            FileFormat::Text => |c| c == '\n' || c == '\r' || c == '\t',
            FileFormat::Glove => |c| c == '\n' || c == '\r' || c == '\t' || c == ' ',
        };
        let mut seen = FxHashSet::default();
        for word in embedding.words() {
            let why = match () {
                () if !seen.insert(word.as_str()) => "it comes twice",
                () if word.is_empty() => "it is empty",
                () if word.contains(blank) => "it holds a blank or a line end",
                () if format == FileFormat::Text && word.starts_with(' ') => "it begins with a blank",
                () => continue,
            };
            return Err(EmbeddingError::Unwritable { path, word: word.clone(), why });
        }
        match format {
            FileFormat::Fifu => finalfusion::write_fifu(&path, &mut out, embedding, about)?,
            FileFormat::Word2VecBinary => word2vec::write(&mut out, embedding).map_err(FileError::at(&path))?,
            FileFormat::Text => text::write(&mut out, embedding, true).map_err(FileError::at(&path))?,
            FileFormat::Glove => text::write(&mut out, embedding, false).map_err(FileError::at(&path))?,
            FileFormat::FastText => unreachable!("no extension asks for it"),
        }
        if let Some(about) = about
            && format != FileFormat::Fifu
        {
            let side = side_path(&path);
            let mut side_out = Output::create(&side)?;
            serde_json::to_writer_pretty(&mut side_out, about)
                .map_err(|e| FileError::new(&side, std::io::Error::other(e)))?;
            side_out.write_all(b"\n").map_err(FileError::at(&side))?;
            out.commit()?;
            side_out.commit()?;
        } else {
            out.commit()?;
        }
        Ok(())
    }
}

/// FILE.json
fn side_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".json");
    PathBuf::from(name)
}

/// What FILE.json says, if it is there and speaks of as many words.
fn side_file(path: &Path, words: usize) -> Option<Provenance> {
    let text = std::fs::read(side_path(path)).ok()?;
    serde_json::from_slice::<Provenance>(&text).ok().filter(|about| about.vocabulary == words)
}

/// The kind of a file, from its beginning; what else it is if it is none of ours.
fn kind_of(head: &[u8]) -> Result<FileFormat, String> {
    let other = |what: &str| Err(what.to_owned());
    if head.is_empty() {
        return other("an empty file");
    }
    if head.starts_with(b"FiFu") {
        return Ok(FileFormat::Fifu);
    }
    if head.starts_with(&793_712_314u32.to_le_bytes()) {
        return Ok(FileFormat::FastText);
    }
    if head[0] == 0x80 && head.get(1).is_some_and(|protocol| (2..=5).contains(protocol)) {
        return other(
            "a Python pickle (gensim's own format?); in Python: model.wv.save_word2vec_format(\"model.bin\", binary=True)",
        );
    }
    if head.starts_with(b"PK\x03\x04") {
        return other("a zip archive (a PyTorch model, numpy .npz or a packed file)");
    }
    if head.starts_with(b"\x93NUMPY") {
        return other("a numpy array, which has no words");
    }
    if head.starts_with(b"\x89HDF") {
        return other("an HDF5 file");
    }
    if head.starts_with(b"%PDF") {
        return other("a PDF");
    }
    if head.starts_with(b"SQLite format 3") {
        return other("an SQLite database");
    }
    if head.starts_with(b"version https://git-lfs") {
        return other("a Git LFS pointer; the file itself has not been fetched");
    }
    let start: Vec<u8> = head.trim_ascii_start().iter().take(200).map(u8::to_ascii_lowercase).collect();
    if start.starts_with(b"<!doctype html") || start.starts_with(b"<html") || start.starts_with(b"<head") {
        return other("an HTML page (an error page of a download?)");
    }
    if start.starts_with(b"<?xml") || start.starts_with(b"<!doctype") {
        return other("an XML document");
    }
    if start.starts_with(b"{\"") || start.starts_with(b"[{") || start.starts_with(b"{\n") {
        return other("JSON");
    }
    if start.is_empty() {
        return other("a file of blanks");
    }
    let line_end = head.iter().position(|&b| b == b'\n').unwrap_or(head.len());
    let first = text::fields(&head[..line_end]);
    if let [rows, dims] = first[..]
        && let (Some(_), Some(dims)) = (text::count(rows), text::count(dims))
    {
        let rest = &head[(line_end + 1).min(head.len())..];
        let row = &rest[..rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len())];
        let fields = text::fields(row);
        let numbers = fields.iter().rev().take(dims as usize).take_while(|field| text::number(field).is_some()).count();
        // A text row has its numbers written out; a short one is a broken text, as long as it looks like text.
        let is_text = rest.is_empty()
            || numbers as u64 == dims
            || (numbers >= 1 && numbers + 1 >= fields.len())
            || (rest.len() < 4 * dims as usize && !row.contains(&0));
        return Ok(if is_text { FileFormat::Text } else { FileFormat::Word2VecBinary });
    }
    if first.len() >= 2 && text::number(first[first.len() - 1]).is_some() {
        return Ok(FileFormat::Glove);
    }
    if head.iter().take(4096).any(|&b| b == 0) {
        other("binary data of no known kind")
    } else {
        other("a text whose first line is neither \"COUNT DIMS\" nor a word with numbers")
    }
}

/// Rows as they come from any reader: words are told apart, bad rows counted.
struct RowsRead<'p> {
    path: &'p Path,
    lossy: bool,
    dims: usize,
    words: Vec<String>,
    seen: FxHashSet<String>,
    numbers: Vec<f32>,
    rows: u64,
    not_finite: u64,
    duplicates: u64,
    empty: u64,
    replaced: u64,
}

impl<'p> RowsRead<'p> {
    fn new(path: &'p Path, lossy: bool) -> RowsRead<'p> {
        RowsRead {
            path,
            lossy,
            dims: 0,
            words: Vec::new(),
            seen: FxHashSet::default(),
            numbers: Vec::new(),
            rows: 0,
            not_finite: 0,
            duplicates: 0,
            empty: 0,
            replaced: 0,
        }
    }

    fn broken(&self, what: impl Into<String>) -> EmbeddingError {
        EmbeddingError::Broken { path: self.path.to_owned(), what: what.into() }
    }

    fn failed(&self, error: std::io::Error) -> EmbeddingError {
        if error.kind() == std::io::ErrorKind::UnexpectedEof {
            return self.broken(format!("the file is cut short after {} vectors", self.rows));
        }
        FileError::new(self.path, error).into()
    }

    /// Takes a row. `place` says where it stands, for messages.
    fn push(&mut self, word: &[u8], vector: &[f32], place: impl Fn() -> String) -> Result<(), EmbeddingError> {
        self.rows += 1;
        let word = match std::str::from_utf8(word) {
            Ok(word) => word.to_owned(),
            Err(_) if self.lossy => {
                self.replaced += 1;
                String::from_utf8_lossy(word).into_owned()
            }
            Err(error) => {
                let at = error.valid_up_to();
                return Err(self.broken(format!(
                    "{}: the word {:?} is not UTF-8 (byte {:#04x} at its place {at}); read it with --lossy",
                    place(),
                    String::from_utf8_lossy(word),
                    word[at]
                )));
            }
        };
        if word.is_empty() {
            self.empty += 1;
        } else if vector.iter().any(|x| !x.is_finite()) {
            self.not_finite += 1;
        } else if self.seen.contains(&word) {
            self.duplicates += 1;
        } else {
            if self.words.len() >= u32::MAX as usize {
                return Err(self.broken("more than 2^32 - 1 words"));
            }
            self.seen.insert(word.clone());
            self.words.push(word);
            self.numbers.extend_from_slice(vector);
        }
        Ok(())
    }

    fn finish(self, format: FileFormat) -> Result<Loaded, EmbeddingError> {
        if self.words.is_empty() {
            return Err(self.broken(format!("no usable vector among {} rows", self.rows)));
        }
        let shape = (self.words.len(), self.dims);
        let vectors = Matrix::from_shape_vec(shape, self.numbers).expect("each word was pushed with N numbers");
        Ok(Loaded {
            embedding: Embedding::new(self.words, vectors),
            format,
            provenance: None,
            rows: self.rows,
            not_finite: self.not_finite,
            duplicates: self.duplicates,
            empty: self.empty,
            replaced: self.replaced,
        })
    }
}

#[cfg(test)]
mod tests;
