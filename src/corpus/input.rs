//! From a path to text: what a file is packed in (gz, zst, zip) and how its letters are written is found from its
//! bytes, never from its name. Everything streams; only a zip file on standard input is laid into a temporary file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::ReadError;
use super::formats::WARC_MARK;
use crate::error::FileError;
use crate::progress::{Run, Task};

/// Bytes that are read at once, and looked at for recognising encodings and formats.
pub(super) const WINDOW: usize = 64 << 10;

type Bytes = Box<dyn BufRead + Send>;

/// One text to be read: a file, a member of an archive, or standard input.
pub(super) struct Input {
    /// As the user named it; `archive.zip:member`.
    pub file: Arc<str>,
    /// The file's own name without endings of compression.
    pub name: String,
    /// Where it lies, if it is a plain or compressed file.
    pub path: Option<PathBuf>,
    pub bytes: Bytes,
}

/// Opens a path (`-` is standard input): one input, or one for each member of a zip archive.
pub(super) fn open_path(path: &Path, run: &Run) -> Result<Vec<Input>, ReadError> {
    if path == Path::new("-") {
        return open_bytes("-", Box::new(io::stdin()), None, run);
    }
    let failed = |source| ReadError::File(FileError::new(path, source));
    let file = File::open(path).map_err(failed)?;
    let meta = file.metadata().map_err(failed)?;
    if meta.is_dir() {
        let source = io::Error::new(io::ErrorKind::IsADirectory, "is a folder; name the files in it");
        return Err(failed(source));
    }
    let name = path.display().to_string();
    let size = meta.is_file().then_some(meta.len());
    let task = run.progress.start(&format!("reading {}", file_name(&name)), size, "bytes");
    let counted = Counted { input: file, task };
    open_bytes(&name, Box::new(counted), Some(path), run)
}

/// The same for a stream of bytes under a name.
pub(super) fn open_bytes(
    name: &str,
    bytes: Box<dyn Read + Send>,
    path: Option<&Path>,
    run: &Run,
) -> Result<Vec<Input>, ReadError> {
    let mut bytes: Bytes = Box::new(BufReader::with_capacity(WINDOW, bytes));
    let failed = |source| ReadError::File(FileError::new(name, source));
    // A compressed file inside a compressed file happens; an endless tower of them is an attack.
    for _ in 0..4 {
        let (head, rest) = peek(bytes, 300).map_err(failed)?;
        bytes = rest;
        let starts = |magic: &[u8]| head.starts_with(magic);
        if starts(b"\x1f\x8b") {
            bytes = Box::new(BufReader::with_capacity(WINDOW, flate2::bufread::MultiGzDecoder::new(bytes)));
        } else if starts(b"\x28\xb5\x2f\xfd") {
            let decoder = zstd::Decoder::with_buffer(bytes).map_err(failed)?;
            bytes = Box::new(BufReader::with_capacity(WINDOW, decoder));
        } else if starts(b"PK\x03\x04") || starts(b"PK\x05\x06") {
            return match path {
                Some(path) => members(path, name, run),
                None => {
                    let mut file = tempfile::NamedTempFile::new().map_err(failed)?;
                    io::copy(&mut bytes, &mut file).map_err(failed)?;
                    // The open handles of the members keep the file alive after its name is gone.
                    members(file.path(), name, run)
                }
            };
        } else if let Some(what) = foreign(&head) {
            return Err(ReadError::Unusable { file: name.to_owned(), reason: what.to_owned() });
        } else {
            // The documents of a web archive have encodings of their own.
            let bytes: Bytes = if starts(WARC_MARK) { bytes } else { Box::new(Decoded::new(bytes, name, run)) };
            return Ok(vec![Input { file: name.into(), name: file_name(name), path: path.map(Path::to_owned), bytes }]);
        }
    }
    Err(ReadError::Unusable { file: name.to_owned(), reason: "is compressed more than three times over".into() })
}

/// What a file that is no text is, and what to do with it.
fn foreign(head: &[u8]) -> Option<&'static str> {
    const KNOWN: &[(&[u8], &str)] = &[
        (b"%PDF", "is a PDF; wanted a file of records"),
        (b"\xfd7zXZ\0", "is compressed with xz; unpack it first (xz -d)"),
        (b"BZh", "is compressed with bzip2; unpack it first (bzip2 -d)"),
        (b"7z\xbc\xaf\x27\x1c", "is a 7z archive; unpack it first"),
        (b"Rar!", "is a rar archive; unpack it first"),
        (b"\xd0\xcf\x11\xe0", "is an old office document; save it as CSV first"),
        (b"SQLite format 3", "is an SQLite database; export its table as CSV first"),
        (b"PAR1", "is a Parquet file; convert it to JSON lines or CSV first"),
        (b"\x93NUMPY", "is a numpy array; wanted a file of records"),
        (b"\x89PNG", "is a picture; wanted a file of records"),
        (b"\x7fELF", "is a program; wanted a file of records"),
    ];
    if head.get(257..262) == Some(b"ustar") {
        return Some("is a tar archive; unpack it first (tar -x)");
    }
    if let Some((_, what)) = KNOWN.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Some(what);
    }
    let utf16 = Encoding::for_bom(head).is_some() || wide(head).is_some();
    let control = head.iter().filter(|&&b| b < 9 || (14..27).contains(&b)).count();
    (!utf16 && control * 10 > head.len()).then_some("is no text; wanted a file of records")
}

/// UTF-16 without a mark: every other byte of the beginning is zero.
fn wide(head: &[u8]) -> Option<&'static Encoding> {
    let pairs = head.len() / 2;
    if pairs < 4 {
        return None;
    }
    let zeros = |odd: usize| (0..pairs).filter(|i| head[2 * i + odd] == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    match () {
        () if odd * 2 > pairs && even * 10 < pairs => Some(UTF_16LE),
        () if even * 2 > pairs && odd * 10 < pairs => Some(UTF_16BE),
        () => None,
    }
}

/// The first bytes, and a reader that still gives them.
fn peek(mut bytes: Bytes, count: usize) -> io::Result<(Vec<u8>, Bytes)> {
    let mut head = Vec::with_capacity(count);
    (&mut bytes).take(count as u64).read_to_end(&mut head)?;
    let rest = Box::new(BufReader::with_capacity(WINDOW, Cursor::new(head.clone()).chain(bytes)));
    Ok((head, rest))
}

/// The last part of a path without the endings of compression.
pub(super) fn file_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\', ':']).next().unwrap_or(name);
    let mut last = last;
    for ending in [".gz", ".zst", ".zip"] {
        last = last.strip_suffix(ending).unwrap_or(last);
    }
    last.to_owned()
}

/// The members of a zip archive, in its order, without folders and the leavings of file managers.
fn members(path: &Path, name: &str, run: &Run) -> Result<Vec<Input>, ReadError> {
    let unusable = |reason: String| ReadError::Unusable { file: name.to_owned(), reason };
    let failed = |source| ReadError::File(FileError::new(name, source));
    let file = BufReader::new(File::open(path).map_err(failed)?);
    let mut archive = zip::ZipArchive::new(file).map_err(|e| unusable(format!("is a broken zip archive: {e}")))?;
    let mut found = Vec::new();
    for index in 0..archive.len() {
        let member = archive.by_index(index).map_err(|e| unusable(format!("zip member {}: {e}", index + 1)))?;
        let inner = member.name().map_err(|e| unusable(format!("zip member {}: {e}", index + 1)))?.into_owned();
        if inner == "[Content_Types].xml" {
            return Err(unusable("is an office document (xlsx, docx); save it as CSV first".into()));
        }
        let hidden = inner.starts_with("__MACOSX/") || file_name(&inner).starts_with('.');
        if member.is_dir() || hidden {
            continue;
        }
        let start = member.data_start().ok_or_else(|| unusable(format!("zip member {inner}: no data")))?;
        found.push((inner, start, member.compressed_size(), member.size(), member.crc32(), member.compression()));
    }
    let mut inputs = Vec::new();
    for (inner, start, packed, size, sum, method) in found {
        let mut file = File::open(path).map_err(failed)?;
        file.seek(SeekFrom::Start(start)).map_err(failed)?;
        let data = BufReader::with_capacity(WINDOW, file.take(packed));
        let plain: Box<dyn Read + Send> = match method {
            zip::CompressionMethod::Stored => Box::new(data),
            zip::CompressionMethod::Deflated => Box::new(flate2::bufread::DeflateDecoder::new(data)),
            other => return Err(unusable(format!("zip member {inner} is packed by {other:?}; unpack it first"))),
        };
        let checked = Checked { input: plain, sum: flate2::Crc::new(), wanted: sum, size };
        inputs.extend(open_bytes(&format!("{name}:{inner}"), Box::new(checked), None, run)?);
    }
    Ok(inputs)
}

/// Tells the progress how many bytes were read.
struct Counted {
    input: File,
    task: Box<dyn Task>,
}

impl Read for Counted {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(out)?;
        self.task.advance(count as u64);
        Ok(count)
    }
}

/// A zip member whose length and checksum are compared at its end.
struct Checked<R> {
    input: R,
    sum: flate2::Crc,
    wanted: u32,
    size: u64,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(out)?;
        self.sum.update(&out[..count]);
        let whole = u64::from(self.sum.amount()) == self.size & 0xffff_ffff && self.sum.sum() == self.wanted;
        if count == 0 && !out.is_empty() && !whole {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the zip member is damaged or cut short"));
        }
        Ok(count)
    }
}

/// Bytes of any encoding as UTF-8.
///
/// A byte order mark decides. Without one the text is ASCII until the first byte that is not; then the next 64 KiB
/// decide: UTF-8 if they hold at least as many well-formed sequences as ill-formed ones (which become U+FFFD and are
/// counted), else what chardetng guesses.
struct Decoded {
    bytes: Bytes,
    state: State,
    out: Vec<u8>,
    at: usize,
    /// Bytes taken from the input and not yet decoded.
    waiting: Vec<u8>,
    mended: u64,
    file: String,
    run: Run,
}

enum State {
    Start,
    Ascii,
    Utf8,
    Other(Box<encoding_rs::Decoder>),
    End,
}

impl Decoded {
    fn new(bytes: Bytes, file: &str, run: &Run) -> Decoded {
        Decoded {
            bytes,
            state: State::Start,
            out: Vec::new(),
            at: 0,
            waiting: Vec::new(),
            mended: 0,
            file: file.to_owned(),
            run: run.clone(),
        }
    }

    /// Takes bytes until so many wait; false at the end of the input.
    fn gather(&mut self, count: usize) -> io::Result<bool> {
        while self.waiting.len() < count {
            let chunk = self.bytes.fill_buf()?;
            if chunk.is_empty() {
                return Ok(false);
            }
            self.waiting.extend_from_slice(chunk);
            let used = chunk.len();
            self.bytes.consume(used);
        }
        Ok(true)
    }

    /// Decodes the next piece into `out`; leaves it empty only at the end.
    fn decode(&mut self) -> io::Result<()> {
        self.out.clear();
        self.at = 0;
        while self.out.is_empty() {
            match &mut self.state {
                State::Start => {
                    self.gather(WINDOW)?;
                    let head = &self.waiting;
                    self.state = if let Some((encoding, length)) = Encoding::for_bom(head) {
                        self.waiting.drain(..length);
                        if encoding == UTF_8 { State::Utf8 } else { other(encoding) }
                    } else if let Some(encoding) = wide(head) {
                        other(encoding)
                    } else {
                        State::Ascii
                    };
                }
                State::Ascii => {
                    let more = self.gather(1)?;
                    if !more && self.waiting.is_empty() {
                        self.state = State::End;
                    } else if self.waiting.is_ascii() {
                        std::mem::swap(&mut self.out, &mut self.waiting);
                    } else {
                        let whole = !self.gather(WINDOW)?;
                        self.state = match guess(&self.waiting, whole) {
                            None => State::Utf8,
                            Some(encoding) => {
                                self.run.progress.warn(&format!(
                                    "{}: not UTF-8; read as {}",
                                    self.file,
                                    encoding.name()
                                ));
                                other(encoding)
                            }
                        };
                    }
                }
                State::Utf8 => {
                    let more = self.gather(WINDOW)?;
                    self.utf8(!more);
                    if !more {
                        self.state = State::End;
                    }
                }
                State::Other(decoder) => {
                    let more = {
                        let chunk = self.bytes.fill_buf()?;
                        self.waiting.extend_from_slice(chunk);
                        let used = chunk.len();
                        self.bytes.consume(used);
                        used > 0
                    };
                    let length = decoder.max_utf8_buffer_length(self.waiting.len()).unwrap_or(WINDOW);
                    self.out.resize(length.max(16), 0);
                    let (_, read, written, bad) = decoder.decode_to_utf8(&self.waiting, &mut self.out, !more);
                    self.mended += u64::from(bad);
                    self.out.truncate(written);
                    self.waiting.drain(..read);
                    if !more {
                        self.state = State::End;
                    }
                }
                State::End => {
                    if self.mended > 0 {
                        let message = format!("{}: {} places that are no text became U+FFFD", self.file, self.mended);
                        self.run.progress.warn(&message);
                        self.mended = 0;
                    }
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Moves what is well-formed from `waiting` to `out`, the rest as U+FFFD; a cut sequence at the end waits for more.
    fn utf8(&mut self, last: bool) {
        if std::str::from_utf8(&self.waiting).is_ok() {
            std::mem::swap(&mut self.out, &mut self.waiting);
            return;
        }
        let mut cut = 0;
        let mut chunks = self.waiting.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.out.extend_from_slice(chunk.valid().as_bytes());
            let bad = chunk.invalid();
            if bad.is_empty() {
                continue;
            }
            let unfinished = std::str::from_utf8(bad).is_err_and(|e| e.error_len().is_none());
            if !last && unfinished && chunks.peek().is_none() {
                cut = bad.len();
            } else {
                self.out.extend_from_slice("\u{fffd}".as_bytes());
                self.mended += 1;
            }
        }
        let keep = self.waiting.len() - cut;
        self.waiting.drain(..keep);
    }
}

fn other(encoding: &'static Encoding) -> State {
    State::Other(Box::new(encoding.new_decoder_without_bom_handling()))
}

/// The encoding of a window that is not all ASCII; `None` for UTF-8.
fn guess(window: &[u8], whole: bool) -> Option<&'static Encoding> {
    let (mut good, mut bad) = (0u64, 0u64);
    let mut chunks = window.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count() as u64;
        let cut = chunks.peek().is_none() && !whole;
        bad += u64::from(!chunk.invalid().is_empty() && !cut);
    }
    if good >= bad {
        return None;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(window, whole);
    let guessed = detector.guess(None, Utf8Detection::Deny);
    // A handful of letters is little evidence for telling the Latin code pages apart; the western one is by far the
    // most common.
    let letters = window.iter().filter(|byte| !byte.is_ascii()).count();
    let latin = ["windows-1250", "windows-1252", "windows-1254", "windows-1257", "ISO-8859-2", "ISO-8859-4"];
    let western = letters < 32 && latin.contains(&guessed.name());
    Some(if western { encoding_rs::WINDOWS_1252 } else { guessed })
}

impl Read for Decoded {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let ready = self.fill_buf()?;
        let count = ready.len().min(out.len());
        out[..count].copy_from_slice(&ready[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Decoded {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.out.len() {
            self.decode()?;
        }
        Ok(&self.out[self.at..])
    }

    fn consume(&mut self, bytes: usize) {
        self.at += bytes;
    }
}
