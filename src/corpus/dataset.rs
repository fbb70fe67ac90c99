//! The data sets that the project knows: `datasets/NAME/dataset.toml`, built into the program.
//!
//! A description says where a set comes from, under which licence, in which format, what its files are and hash to, and
//! how it is fetched or generated. The data itself is not part of the project; a folder of it is named by
//! `PAPERTWIN_DATA`.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Paper;
use super::formats::write_json_line;
use super::generate::{GenerateError, News, NewsParams, Papers, PapersParams};
use crate::error::FileError;
use crate::progress::Run;
use crate::seed::Seed;

macro_rules! described {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../datasets/", $name, "/dataset.toml")))),*]
    };
}

/// Every description: the name of its folder and its text.
const DESCRIBED: &[(&str, &str)] = described![
    "arxiv",
    "arxiv-revised",
    "cord19",
    "citation-network",
    "citeulike-a",
    "cora",
    "covid-multisource",
    "cytology-screening",
    "dblp-acm",
    "diabetes",
    "digital-work",
    "mis-mixed",
    "neuroimaging",
    "special-cases",
    "sra-copper",
    "srsr",
    "basil",
    "ecbplus",
    "lee",
    "og2021-titles",
    "reuters21578",
    "generated-papers",
    "generated-news",
];

/// What a set is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DatasetKind {
    /// Papers for the main experiments.
    Papers,
    /// Records with known duplicates.
    Labelled,
    /// News articles.
    News,
}

/// One file of a set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Where it lies under the data folder.
    pub path: String,
    /// SHA-256 of its bytes, in hexadecimal digits.
    pub sha256: String,
    /// What it holds: records, pairs, original files.
    pub holds: String,
}

/// How a set is generated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Generated {
    /// Papers.
    Papers(PapersParams),
    /// News articles.
    News(NewsParams),
}

/// The description of a data set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dataset {
    /// Its short name.
    pub name: String,
    /// Its full name.
    pub title: String,
    /// What it is for.
    pub kind: DatasetKind,
    /// The official source: an address.
    pub source: String,
    /// The licence, or that there is none.
    pub licence: String,
    /// The format of the official files, as `--format` names it.
    pub format: String,
    /// How many records the working copy has.
    pub papers: u64,
    /// How many pairs of records are labelled as duplicates; 0 where there are no labels.
    #[serde(default)]
    pub pairs: u64,
    /// What is special about it.
    pub about: String,
    /// How the official files are fetched and turned into the working copy.
    pub fetch: String,
    /// The files of the working copy.
    #[serde(default, rename = "part")]
    pub parts: Vec<Part>,
    /// How it is generated, if it is.
    #[serde(default)]
    pub generate: Option<Generated>,
}

/// Why a data set could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// No set has this name.
    #[error("no data set is called {name:?}; `papertwin datasets list` names them: {known}")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// A description that cannot be read.
    #[error("datasets/{name}/dataset.toml: {message}")]
    Description {
        /// The set.
        name: String,
        /// What is wrong.
        message: String,
    },
    /// The set is real and cannot be generated.
    #[error("{0} is real data and cannot be generated; `papertwin datasets fetch {0}` says where it comes from")]
    Real(String),
    /// The generator's parameters cannot be used.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// A file failed.
    #[error(transparent)]
    File(#[from] FileError),
}

/// What a part of the copy here is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copy {
    /// The file is there and hashes to what the description says.
    Same,
    /// The file is there and is another one.
    Different,
    /// There is no such file.
    Missing,
}

impl Dataset {
    /// All known sets, in the order in which they are listed.
    ///
    /// # Errors
    /// If a description cannot be read.
    pub fn all() -> Result<Vec<Dataset>, DatasetError> {
        DESCRIBED.iter().map(|(name, text)| Dataset::parse(name, text)).collect()
    }

    /// The set of this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(name: &str) -> Result<Dataset, DatasetError> {
        match DESCRIBED.iter().find(|(known, _)| *known == name) {
            Some((known, text)) => Dataset::parse(known, text),
            None => {
                let known: Vec<&str> = DESCRIBED.iter().map(|(known, _)| *known).collect();
                Err(DatasetError::Unknown { name: name.to_owned(), known: known.join(", ") })
            }
        }
    }

    fn parse(name: &str, text: &str) -> Result<Dataset, DatasetError> {
        let wrong = |message: String| DatasetError::Description { name: name.to_owned(), message };
        let dataset: Dataset = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if dataset.name != name {
            return Err(wrong(format!("its name is {:?}, and its folder's is {name:?}", dataset.name)));
        }
        Ok(dataset)
    }

    /// Whether every part, some or none lies in the data folder; hashes are not looked at. A generated set needs no
    /// copy and has no parts.
    pub fn present(&self, data: &Path) -> (usize, usize) {
        (self.parts.iter().filter(|part| data.join(&part.path).is_file()).count(), self.parts.len())
    }

    /// The file of the working copy's records: the first part.
    pub fn records_file(&self, data: &Path) -> Option<PathBuf> {
        self.parts.first().map(|part| data.join(&part.path))
    }

    /// The file of the pairs that are known to be duplicates, if there are labels.
    pub fn pairs_file(&self, data: &Path) -> Option<PathBuf> {
        let part = self.parts.iter().find(|part| part.holds == "pairs of duplicates")?;
        Some(data.join(&part.path))
    }

    /// The file whose lines hold two records of one paper each, members `a` and `b`, if the set is made of these.
    pub fn record_pairs_file(&self, data: &Path) -> Option<PathBuf> {
        let part = self.parts.iter().find(|part| part.holds == "pairs of records")?;
        Some(data.join(&part.path))
    }

    /// Compares every part of the copy in the data folder with the description.
    ///
    /// # Errors
    /// If a file is there and cannot be read.
    pub fn verify(&self, data: &Path, run: &Run) -> Result<Vec<(PathBuf, Copy)>, DatasetError> {
        self.parts
            .iter()
            .map(|part| {
                let path = data.join(&part.path);
                let found = match sha256(&path, run) {
                    Ok(sum) if sum == part.sha256 => Copy::Same,
                    Ok(_) => Copy::Different,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => Copy::Missing,
                    Err(error) => return Err(FileError::new(&path, error).into()),
                };
                Ok((path, found))
            })
            .collect()
    }

    /// The generator of a generated set, with another number of records if one is given.
    ///
    /// # Errors
    /// If the set is real, or the number is out of range.
    pub fn generator(&self, papers: Option<u64>, seed: Seed) -> Result<Generator, DatasetError> {
        match self.generate.clone() {
            None => Err(DatasetError::Real(self.name.clone())),
            Some(Generated::Papers(params)) => {
                let params = PapersParams { papers: papers.unwrap_or(params.papers), ..params };
                Ok(Generator::Papers(params.check(seed)?))
            }
            Some(Generated::News(params)) => {
                let params = NewsParams { articles: papers.unwrap_or(params.articles), ..params };
                Ok(Generator::News(params.check(seed)?))
            }
        }
    }
}

/// The SHA-256 of a file in hexadecimal digits.
///
/// # Errors
/// If it cannot be read.
pub fn sha256(path: &Path, run: &Run) -> io::Result<String> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let task = run.progress.start("hashing", Some(size), "bytes");
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        hash.update(&buffer[..count]);
        task.advance(count as u64);
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Something that makes records.
pub enum Generator {
    /// Papers.
    Papers(Papers),
    /// News articles.
    News(News),
}

/// Records that are made before they are written: what bounds the memory.
const BATCH: u64 = 4_096;

impl Generator {
    /// Writes all records as JSON lines, made on all threads, a few thousand in memory at a time; says how many.
    ///
    /// # Errors
    /// If the output cannot be written to.
    pub fn write_json_lines(&self, out: &mut dyn Write, run: &Run) -> io::Result<u64> {
        let lines = |papers: &mut dyn Iterator<Item = Paper>| -> io::Result<(u64, Vec<u8>)> {
            let mut bytes = Vec::new();
            let mut count = 0;
            for paper in papers {
                write_json_line(&paper, &mut bytes)?;
                count += 1;
            }
            Ok((count, bytes))
        };
        match self {
            Generator::Papers(papers) => {
                let task = run.progress.start("generating", Some(papers.len()), "papers");
                for start in (0..papers.len()).step_by(BATCH as usize) {
                    let end = (start + BATCH).min(papers.len());
                    let pieces: Vec<u64> = (start..end).step_by(64).collect();
                    let written: Vec<_> = pieces
                        .par_iter()
                        .map(|&piece| lines(&mut (piece..(piece + 64).min(end)).map(|number| papers.paper(number))))
                        .collect::<io::Result<_>>()?;
                    written.iter().try_for_each(|(_, bytes)| out.write_all(bytes))?;
                    task.advance(end - start);
                }
                Ok(papers.len())
            }
            Generator::News(news) => {
                let task = run.progress.start("generating", None, "articles");
                let mut made = 0;
                let mut story = 0;
                while made < news.articles() {
                    let stories: Vec<u64> = (story..story + 256).collect();
                    let written: Vec<_> = stories
                        .par_iter()
                        .map(|&number| lines(&mut news.story(number).into_iter()))
                        .collect::<io::Result<_>>()?;
                    let before = made;
                    for (count, bytes) in written {
                        if made < news.articles() {
                            out.write_all(&bytes)?;
                            made += count;
                        }
                    }
                    task.advance(made - before);
                    story += 256;
                }
                Ok(made)
            }
        }
    }

    /// All records, for formats that need to see them all before they write.
    pub fn records(&self) -> Vec<Paper> {
        match self {
            Generator::Papers(papers) => papers.iter().collect(),
            Generator::News(news) => news.iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_folder_is_described_and_every_description_is_read() {
        let all = Dataset::all().unwrap();
        let known: BTreeSet<String> = all.iter().map(|set| set.name.clone()).collect();
        let folders: BTreeSet<String> = std::fs::read_dir("datasets")
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.path().is_dir())
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        assert_eq!(known, folders);
        for set in &all {
            assert_eq!(set.generate.is_some(), set.parts.is_empty(), "{}", set.name);
            assert!(set.format.parse::<crate::corpus::formats::Format>().is_ok(), "{}: {}", set.name, set.format);
            assert!(set.parts.iter().all(|part| part.sha256.len() == 64), "{}", set.name);
            let labelled = set.kind == DatasetKind::Labelled;
            assert_eq!(set.pairs_file(Path::new("d")).is_some(), labelled, "{}", set.name);
            let records = set.records_file(Path::new("d"));
            assert_eq!(
                records.is_some_and(|file| file.to_string_lossy().ends_with(".jsonl.gz")),
                set.generate.is_none()
            );
            assert!(
                set.source.starts_with("http") || set.generate.is_some() || set.source.contains(' '),
                "{}",
                set.name
            );
        }
        let error = Dataset::named("nothing").unwrap_err().to_string();
        assert!(error.contains("\"nothing\"") && error.contains("generated-papers"), "{error}");
    }

    #[test]
    fn a_copy_is_the_same_different_or_missing() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a"), "abc").unwrap();
        std::fs::write(folder.path().join("b"), "abd").unwrap();
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let part = |path: &str| Part { path: path.into(), sha256: abc.into(), holds: "records".into() };
        let set = Dataset { parts: vec![part("a"), part("b"), part("c")], ..Dataset::named("arxiv").unwrap() };
        let found = set.verify(folder.path(), &Run::default()).unwrap();
        let copies: Vec<Copy> = found.into_iter().map(|(_, copy)| copy).collect();
        assert_eq!(copies, [Copy::Same, Copy::Different, Copy::Missing]);
        assert_eq!(set.present(folder.path()), (2, 3));
    }

    #[test]
    fn generated_lines_do_not_depend_on_threads_and_read_back() {
        let set = Dataset::named("generated-papers").unwrap();
        let write = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut out = Vec::new();
                let generator = set.generator(Some(150), Seed(4)).unwrap();
                assert_eq!(generator.write_json_lines(&mut out, &Run::default()).unwrap(), 150);
                (out, generator.records())
            })
        };
        let (one, records) = write(1);
        assert_eq!(one, write(3).0);
        let text = String::from_utf8(one).unwrap();
        let read: Vec<Paper> =
            text.lines().map(|line| Paper::from_json_text(line, &Default::default()).unwrap()).collect();
        assert_eq!(read, records);
        assert!(
            Dataset::named("arxiv")
                .unwrap()
                .generator(None, Seed(1))
                .is_err_and(|e| matches!(e, DatasetError::Real(_)))
        );
    }
}
