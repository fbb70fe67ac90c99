//! Files that are written whole or not at all: opened before the work starts, renamed into place after it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use tempfile::NamedTempFile;

use crate::error::FileError;

/// The places of all outputs that are open in this process, and the file that each is built in: each place must be of its
/// own, and none may be an input.
static OPEN: Mutex<BTreeMap<PathBuf, Option<PathBuf>>> = Mutex::new(BTreeMap::new());

fn open_outputs() -> MutexGuard<'static, BTreeMap<PathBuf, Option<PathBuf>>> {
    // A map of paths is whole whatever panicked beside it.
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An error if this file is about to be written: it would be read and replaced in one run.
///
/// # Errors
/// If an [`Output`] for the same file is open.
pub fn check_input(path: impl AsRef<Path>) -> Result<(), FileError> {
    let path = path.as_ref();
    match std::fs::canonicalize(path) {
        Ok(real) if open_outputs().contains_key(&real) => Err(FileError::new(
            path,
            io::Error::new(io::ErrorKind::InvalidInput, "is an input and an output; write to another file"),
        )),
        _ => Ok(()),
    }
}

/// Removes the files under construction, for a process that is told to end. An output that is committed later fails.
pub fn abandon() {
    for part in open_outputs().values().flatten() {
        // Nobody is left to tell.
        let _ = std::fs::remove_file(part);
    }
}

/// A file under construction, beside the place where it will stand. Dropped without [`Output::commit`] it leaves the
/// old file as it was and nothing else. `-` is standard output.
pub struct Output {
    target: Option<Target>,
    path: PathBuf,
    /// As it stands in the list of open outputs.
    place: PathBuf,
}

enum Target {
    Standard(BufWriter<io::Stdout>),
    /// A device or a pipe: nothing can be renamed over it, what is written is gone.
    Device(BufWriter<File>),
    File(BufWriter<Part>),
}

/// A file under construction. What is written goes to the disk meanwhile, so that little of it is left to wait for at the end.
struct Part {
    file: NamedTempFile,
    /// Bytes written since the disk was last asked to take what there is.
    since: usize,
    syncing: Option<JoinHandle<io::Result<()>>>,
}

impl Part {
    /// Bytes after which the disk is asked.
    const OFTEN: usize = 8 << 20;

    fn new(file: NamedTempFile) -> Part {
        Part { file, since: 0, syncing: None }
    }

    /// Waits for the disk. An error is told to one who asks only once, so it must not be lost here.
    fn settle(&mut self) -> io::Result<()> {
        match self.syncing.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(_)) => Err(io::Error::other("the thread that waits for the disk panicked")),
            None => Ok(()),
        }
    }

    fn into_file(mut self) -> io::Result<NamedTempFile> {
        self.settle()?;
        Ok(self.file)
    }
}

impl Write for Part {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.since += written;
        if self.since >= Part::OFTEN && self.syncing.as_ref().is_none_or(JoinHandle::is_finished) {
            self.settle()?;
            self.since = 0;
            let file = self.file.as_file().try_clone()?;
            self.syncing = thread::Builder::new().name("disk".into()).spawn(move || file.sync_data()).ok();
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Output {
    /// Opens the output, so that a folder that cannot be written to is known before the work starts.
    ///
    /// # Errors
    /// If the folder does not exist or cannot be written to, or if the path is a folder.
    pub fn create(path: impl AsRef<Path>) -> Result<Output, FileError> {
        let path = path.as_ref();
        if path == Path::new("-") {
            claim(path, path, None)?;
            return Ok(Output {
                target: Some(Target::Standard(BufWriter::new(io::stdout()))),
                path: path.to_owned(),
                place: path.to_owned(),
            });
        }
        if path.is_dir() {
            return Err(FileError::new(
                path,
                io::Error::new(io::ErrorKind::IsADirectory, "is a folder; name a file in it"),
            ));
        }
        // A link is followed, so that the file it points to is replaced and not the link.
        let path = &std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if std::fs::metadata(path).is_ok_and(|m| !m.is_file()) {
            let device = File::options().write(true).open(path).map_err(FileError::at(path))?;
            return Ok(Output {
                target: Some(Target::Device(BufWriter::new(device))),
                path: path.to_owned(),
                place: PathBuf::new(),
            });
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            let reason = format!("there is no folder {}; make it first", folder.display());
            return Err(FileError::new(path, io::Error::new(io::ErrorKind::NotFound, reason)));
        }
        let place = place_of(folder, path);
        let file = tempfile::Builder::new()
            .prefix(".papertwin-")
            .suffix(".part")
            .tempfile_in(folder)
            .map_err(|source| FileError::new(path, source))?;
        claim(&place, path, Some(file.path()))?;
        Ok(Output {
            target: Some(Target::File(BufWriter::with_capacity(1 << 16, Part::new(file)))),
            path: path.to_owned(),
            place,
        })
    }

    /// Writes what is buffered and puts the file in its place.
    ///
    /// # Errors
    /// If the disk is full or the file cannot be renamed; the old file stays then.
    pub fn commit(mut self) -> Result<(), FileError> {
        let path = self.path.clone();
        match self.target.take() {
            None => Ok(()),
            Some(Target::Standard(mut out)) => out.flush().map_err(FileError::at(&path)),
            Some(Target::Device(mut out)) => out.flush().map_err(FileError::at(&path)),
            Some(Target::File(out)) => {
                let part = out.into_inner().map_err(|e| FileError::new(&path, e.into_error()))?;
                let file = part.into_file().map_err(FileError::at(&path))?;
                set_usual_mode(file.as_file()).map_err(FileError::at(&path))?;
                file.as_file().sync_data().map_err(FileError::at(&path))?;
                file.persist(&path).map_err(|e| FileError::new(&path, e.error))?;
                Ok(())
            }
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        open_outputs().remove(&self.place);
    }
}

/// Where an output will stand, also if it does not stand there yet.
fn place_of(folder: &Path, path: &Path) -> PathBuf {
    let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    path.file_name().map_or_else(|| folder.clone(), |name| folder.join(name))
}

fn claim(place: &Path, path: &Path, part: Option<&Path>) -> Result<(), FileError> {
    if let Entry::Vacant(free) = open_outputs().entry(place.to_owned()) {
        free.insert(part.map(Path::to_owned));
        return Ok(());
    }
    Err(FileError::new(
        path,
        io::Error::new(io::ErrorKind::AlreadyExists, "is named for two outputs; give each a file of its own"),
    ))
}

impl Output {
    fn writer(&mut self) -> &mut dyn Write {
        match self.target.as_mut().expect("an output has its target until it is committed") {
            Target::Standard(out) => out,
            Target::Device(out) => out,
            Target::File(out) => out,
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}

/// Temporary files are private to their owner; a finished output has the mode of any other file.
#[cfg(unix)]
fn set_usual_mode(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn set_usual_mode(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_that_is_not_committed_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        std::fs::write(&path, "old").unwrap();
        let mut out = Output::create(&path).unwrap();
        out.write_all(b"new").unwrap();
        drop(out);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let mut out = Output::create(&path).unwrap();
        out.write_all(b"new").unwrap();
        out.commit().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_long_output_goes_to_the_disk_while_it_is_written_and_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long.csv");
        let line = [b'x'; 1 << 16];
        let mut out = Output::create(&path).unwrap();
        let times = 3 * Part::OFTEN / line.len();
        (0..times).for_each(|_| out.write_all(&line).unwrap());
        let Some(Target::File(part)) = &out.target else { panic!("a file") };
        assert!(part.get_ref().syncing.is_some());
        out.commit().unwrap();
        assert!(std::fs::read(&path).unwrap() == line.repeat(times));
    }

    #[test]
    fn two_outputs_of_one_place_and_an_input_that_is_an_output_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.csv");
        std::fs::write(&path, "old").unwrap();
        let first = Output::create(&path).unwrap();
        let second = Output::create(folder.path().join("./x.csv")).err().unwrap();
        assert!(second.to_string().contains("named for two outputs"), "{second}");
        assert!(check_input(&path).unwrap_err().to_string().contains("is an input and an output"));
        drop(first);
        assert!(check_input(&path).is_ok() && Output::create(&path).is_ok());
    }

    #[test]
    fn what_is_abandoned_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let out = Output::create(folder.path().join("x.csv")).unwrap();
        let part = open_outputs().get(&out.place).cloned().flatten().unwrap();
        assert!(part.is_file());
        // Only this one: other tests write at the same time.
        open_outputs().values_mut().filter(|other| **other != Some(part.clone())).for_each(|other| *other = None);
        abandon();
        assert!(!part.exists());
        assert!(out.commit().is_err());
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_written_to_and_links_are_followed() {
        use std::os::unix::fs::FileTypeExt;
        let mut out = Output::create("/dev/null").unwrap();
        out.write_all(b"gone").unwrap();
        out.commit().unwrap();
        assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let mut out = Output::create(&link).unwrap();
        out.write_all(b"new").unwrap();
        out.commit().unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn a_missing_folder_is_an_error_that_names_the_file() {
        let error = Output::create("/nonexistent-folder/x.csv").err().unwrap();
        assert!(error.to_string().contains("/nonexistent-folder/x.csv"), "{error}");
    }
}
