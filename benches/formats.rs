//! How fast the bibliographic formats are read and written: bytes and records a second, on generated records.
//!
//! `cargo bench --bench formats`; read the throughput columns.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use papertwin::corpus::formats::{Format, writers};
use papertwin::corpus::{Layout, Paper, ReadOptions, load_opened, open_reader};
use papertwin::progress::Run;
use papertwin::seed::Seed;
use rand::Rng;

const RECORDS: usize = 5_000;

const WRITTEN: &[(&str, Format)] = &[
    ("ris", Format::Ris),
    ("bib", Format::Bibtex),
    ("nbib", Format::Nbib),
    ("enw", Format::Endnote),
    ("xml", Format::EndnoteXml),
    ("json", Format::Csl),
    ("jsonl", Format::Jsonl),
];

fn main() {
    divan::main();
}

/// Records of the size that databases export: a title, an abstract of 200 words, five authors, six keywords.
fn papers() -> Vec<Paper> {
    let mut random = Seed::default().stream("bench/formats");
    let syllables = ["ka", "ro", "mi", "ten", "sol", "ver", "an", "dü", "is", "pe", "gra", "lo"];
    let mut word = |capital: bool| {
        let mut word: String = (0..random.gen_range(1..4)).map(|_| syllables[random.gen_range(0..12)]).collect();
        if capital {
            word[..1].make_ascii_uppercase();
        }
        word
    };
    let mut words = |count: usize| (0..count).map(|n| word(n == 0)).collect::<Vec<_>>().join(" ");
    (0..RECORDS)
        .map(|n| Paper {
            id: format!("key{n}"),
            title: words(12),
            abstract_text: words(200),
            authors: (0..5).map(|_| format!("{}, {}", words(1), words(1))).collect(),
            year: (1980 + n % 40).to_string(),
            venue: words(4),
            volume: (n % 90).to_string(),
            number: (n % 12).to_string(),
            pages: format!("{}-{}", n % 900, n % 900 + 9),
            doi: format!("10.5555/{n}_x"),
            keywords: (0..6).map(|_| words(2)).collect(),
            ..Paper::default()
        })
        .collect()
}

fn text(extension: &str) -> Vec<u8> {
    let writer = writers().iter().find(|writer| writer.extensions().contains(&extension)).expect("it is in the list");
    let mut out = Vec::new();
    writer.write(&papers(), &Layout::default(), &mut out).expect("memory can be written to");
    out
}

#[divan::bench(args = WRITTEN.iter().map(|(extension, _)| *extension), sample_count = 10)]
fn read(bencher: Bencher, extension: &str) {
    let text = text(extension);
    let format = WRITTEN.iter().find(|(known, _)| *known == extension).map(|(_, format)| *format);
    let options = ReadOptions { format, ..ReadOptions::default() };
    bencher.counter(BytesCount::new(text.len())).counter(ItemsCount::new(RECORDS)).bench_local(|| {
        let run = Run::default();
        let inputs =
            open_reader("bench", std::io::Cursor::new(text.clone()), &options, &run).expect("it is this format");
        let loaded = load_opened(inputs, &options, &run).expect("it is small");
        assert_eq!(loaded.kept(), RECORDS as u64);
        loaded
    });
}

/// The same texts read by other parsers: `biblatex` for BibTeX, `biblib` for the others that it knows.
#[divan::bench(args = ["ris", "bib", "nbib", "enw", "xml"], sample_count = 10)]
fn read_by_peer(bencher: Bencher, extension: &str) {
    use biblib::{CitationParser, EndNoteXmlParser, EnwParser, PubMedParser, RisParser};
    let text = String::from_utf8(text(extension)).expect("what is written is text");
    bencher.counter(BytesCount::new(text.len())).counter(ItemsCount::new(RECORDS)).bench_local(|| match extension {
        "bib" => biblatex::Bibliography::parse(&text).expect("it is BibTeX").len(),
        "ris" => RisParser::new().parse(&text).expect("it is RIS").len(),
        "nbib" => PubMedParser::new().parse(&text).expect("it is nbib").len(),
        "enw" => EnwParser::new().parse(&text).expect("it is EndNote").len(),
        _ => EndNoteXmlParser::new().parse(&text).expect("it is EndNote XML").len(),
    });
}

#[divan::bench(args = WRITTEN.iter().map(|(extension, _)| *extension), sample_count = 10)]
fn write(bencher: Bencher, extension: &str) {
    let papers = papers();
    let writer = writers().iter().find(|writer| writer.extensions().contains(&extension)).expect("it is in the list");
    let size = text(extension).len();
    bencher.counter(BytesCount::new(size)).counter(ItemsCount::new(RECORDS)).bench_local(|| {
        let mut out = Vec::with_capacity(size);
        writer.write(&papers, &Layout::default(), &mut out).expect("memory can be written to");
        out
    });
}
