//! `papertwin methods`: which methods there are, and what can be set.

use std::io::Write;

use clap::Args;
use papertwin::methods::NAMES;

use super::method_args::spec_of;
use super::{Context, Outcome};

pub const EXAMPLES: &str = "EXAMPLES
  papertwin methods
  papertwin methods minhash
  papertwin pairs papers.jsonl --method minhash --set shingle.size=2 --lambda 0.8 -o pairs.csv

A line of the list of a method is what --set takes, and, below [method.NAME], what an experiment takes.";

/// The arguments of `methods`.
#[derive(Args)]
pub struct Methods {
    /// The method whose parameters are listed; all methods without it
    #[arg(value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(NAMES))]
    name: Option<String>,
}

impl Methods {
    /// Lists.
    pub fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        let mut out = std::io::stdout().lock();
        match self.name {
            Some(name) => {
                let lines = settings(&name)?;
                lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
                context.say(format_args!("{} parameters of {name}, at their defaults", lines.len()));
            }
            None => {
                for name in NAMES {
                    writeln!(out, "{name:20}{}", spec_of(name, toml::Table::new())?.about())?;
                }
            }
        }
        Ok(Outcome::Clean)
    }
}

/// Every parameter of a method as `key.key = value`.
fn settings(name: &str) -> anyhow::Result<Vec<String>> {
    let table = toml::Table::try_from(spec_of(name, toml::Table::new())?)?;
    let mut lines = Vec::new();
    if let Some(toml::Value::Table(params)) = table.get(name) {
        flatten("", params, &mut lines);
    }
    Ok(lines)
}

fn flatten(prefix: &str, table: &toml::Table, lines: &mut Vec<String>) {
    for (key, value) in table {
        match value {
            toml::Value::Table(inner) if !inner.is_empty() => flatten(&format!("{prefix}{key}."), inner, lines),
            value => lines.push(format!("{prefix}{key} = {value}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::method_args::spec_of;

    #[test]
    fn what_is_listed_can_be_set() {
        for name in NAMES {
            for line in settings(name).unwrap() {
                let set: toml::Table = toml::from_str(&line).unwrap();
                assert_eq!(spec_of(name, set).unwrap(), spec_of(name, toml::Table::new()).unwrap(), "{name}: {line}");
            }
        }
        assert!(settings("portrait").unwrap().contains(&"keywords.k = 10".to_owned()));
    }
}
