//! The arguments of every subcommand that cuts texts into words.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use papertwin::corpus::Field;
use papertwin::text::{Analyzer, AnalyzerParams, Digits, Hyphens, LanguageChoice, Marks, StopList, StopWords};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

/// How texts become words.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Words")]
pub struct TextArgs {
    /// The fields that a paper's text is made of: title, abstract, body, keywords
    #[arg(long, value_name = "FIELD,…", value_delimiter = ',', default_value = "title,abstract")]
    pub text_fields: Vec<Field>,
    /// auto, or the ISO 639-1 code of the one language of all texts; decides stop words and stems
    #[arg(long, value_name = "CODE", default_value = "auto")]
    pub language: LanguageChoice,
    /// Words that are left out: nltk (the list of the text's language), none, or a file with one word a line
    #[arg(long, value_name = "LIST", default_value = "nltk")]
    pub stop_words: String,
    /// Cut words to their Snowball stems
    #[arg(long)]
    pub stem: bool,
    /// Leave out words of fewer characters; there is no other least length
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub min_chars: u32,
    /// Words without a letter: keep or drop
    #[arg(long, value_name = "WHAT", default_value = "keep", value_parser = named::<Digits>)]
    pub digits: Digits,
    /// What a hyphen does: split (covid, 19) or keep (covid-19)
    #[arg(long, value_name = "WHAT", default_value = "split", value_parser = named::<Hyphens>)]
    pub hyphens: Hyphens,
    /// Accents: keep (café is not cafe) or drop
    #[arg(long, value_name = "WHAT", default_value = "keep", value_parser = named::<Marks>)]
    pub marks: Marks,
}

impl TextArgs {
    /// The parameters that the flags say.
    ///
    /// # Errors
    /// If the file of stop words cannot be read.
    pub fn params(&self) -> anyhow::Result<AnalyzerParams> {
        let stop_words = match self.stop_words.as_str() {
            "nltk" => StopWords::List(StopList::Nltk),
            "none" => StopWords::List(StopList::None),
            file => StopWords::Words(listed(Path::new(file))?),
        };
        Ok(AnalyzerParams {
            language: self.language,
            stop_words,
            stem: self.stem,
            min_chars: self.min_chars,
            digits: self.digits,
            hyphens: self.hyphens,
            marks: self.marks,
        })
    }

    /// The analyzer that the flags say.
    ///
    /// # Errors
    /// If the file of stop words cannot be read, or the flags do not go together.
    pub fn analyzer(&self) -> anyhow::Result<Analyzer> {
        Ok(self.params()?.check()?)
    }
}

fn listed(path: &Path) -> anyhow::Result<Vec<String>> {
    let text = std::fs::read_to_string(path).with_context(|| {
        format!("--stop-words {}: no list of that name (wanted nltk or none), and no file of words", path.display())
    })?;
    Ok(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

/// For `value_parser`: a choice of the library by the name that it has in TOML.
pub fn named<T: for<'de> Deserialize<'de>>(name: &str) -> Result<T, Error> {
    let name: StrDeserializer<'_, Error> = name.into_deserializer();
    T::deserialize(name)
}

/// Opens a file that a flag names.
///
/// # Errors
/// With the flag and the file.
pub fn open(flag: &str, path: &PathBuf) -> anyhow::Result<std::fs::File> {
    std::fs::File::open(path).with_context(|| format!("{flag} {}", path.display()))
}
