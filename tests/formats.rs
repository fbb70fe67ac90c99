//! The bibliographic formats from outside: real files are broken in many ways, and what is read must come back.

use std::sync::{Arc, Mutex};

use papertwin::corpus::formats::{Format, writers};
use papertwin::corpus::{Kind, Layout, Loaded, Paper, ReadOptions, load_opened, open_reader};
use papertwin::progress::{Progress, Run, Silent, Task};
use proptest::prelude::*;

/// Keeps the warnings.
#[derive(Default)]
struct Warnings(Mutex<Vec<String>>);

impl Progress for Warnings {
    fn start(&self, _: &str, _: Option<u64>, _: &'static str) -> Box<dyn Task> {
        Box::new(Silent)
    }
    fn warn(&self, message: &str) {
        self.0.lock().unwrap().push(message.to_owned());
    }
}

struct Read {
    loaded: Loaded,
    warnings: Vec<String>,
}

impl Read {
    fn papers(&self) -> &[Paper] {
        self.loaded.corpus.papers()
    }
    fn titles(&self) -> Vec<&str> {
        self.papers().iter().map(|paper| paper.title.as_str()).collect()
    }
    fn years(&self) -> Vec<&str> {
        self.papers().iter().map(|paper| paper.year.as_str()).collect()
    }
    fn format(&self) -> Format {
        self.loaded.files[0].format
    }
    fn reasons(&self) -> Vec<String> {
        self.loaded.rejected.iter().map(|r| format!("{}: {}", r.place, r.reason)).collect()
    }
}

fn read_files(files: &[(&str, &[u8])]) -> Read {
    let warnings = Arc::new(Warnings::default());
    let run = Run { progress: warnings.clone(), ..Run::default() };
    let options = ReadOptions::default();
    let mut inputs = Vec::new();
    for (name, bytes) in files {
        inputs.extend(open_reader(name, std::io::Cursor::new(bytes.to_vec()), &options, &run).unwrap());
    }
    let loaded = load_opened(inputs, &options, &run).unwrap();
    let warnings = warnings.0.lock().unwrap().clone();
    Read { loaded, warnings }
}

fn read(name: &str, text: impl AsRef<[u8]>) -> Read {
    read_files(&[(name, text.as_ref())])
}

fn write(extension: &str, papers: &[Paper]) -> String {
    let writer = writers().iter().find(|writer| writer.extensions().contains(&extension)).unwrap();
    let mut out = Vec::new();
    writer.write(papers, &Layout::default(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The papers as JSON: their places are not compared.
fn same(papers: &[Paper]) -> Vec<serde_json::Value> {
    papers.iter().map(|paper| serde_json::to_value(paper).unwrap()).collect()
}

fn extra<'a>(paper: &'a Paper, name: &str) -> Vec<&'a str> {
    match paper.extra.get(name) {
        None => Vec::new(),
        Some(serde_json::Value::String(text)) => vec![text],
        Some(value) => value.as_array().unwrap().iter().map(|value| value.as_str().unwrap()).collect(),
    }
}

mod ris {
    use super::*;

    #[test]
    fn o_001_stray_tag_and_text_between_records() {
        let read = read(
            "ovid.ris",
            "1. \nTY  - JOUR\nT1  - Ladder tests for goat balance\nA1  - Quill R.\nY1  - 2021//\nER  -  \n\nLink to the \
             Ovid Full Text or citation: http://example.org/x1\n\nC1  - Database: Demo <1988 to 2022 Week 7>\n\nSearch \
             Strategy:\n----------\n2. \nTY  - JOUR\nT1  - Ramp tests for goat balance\nA1  - Quill R.\nY1  - \
             2022//\nER  -  \n",
        );
        assert_eq!(read.titles(), ["Ladder tests for goat balance", "Ramp tests for goat balance"]);
        assert_eq!(read.years(), ["2021", "2022"]);
        assert_eq!(read.papers()[1].authors, ["Quill R."]);
        let json = serde_json::to_string(read.papers()).unwrap();
        for stray in ["Search", "Link to", "Database: Demo"] {
            assert!(!json.contains(stray), "{json}");
        }
        assert_eq!(read.warnings, ["ovid.ris: 6 lines outside of the records were ignored: 1, 8, 10, 12, 13, 14"]);
        assert_eq!(read.papers()[1].place.line, 15);
    }

    #[test]
    fn o_002_empty_tag_without_a_blank_after_it() {
        let read = read(
            "embase.ris",
            "TY  - JOUR\nTI  - Elbow braces in junior rowers\nAB  - Braces were worn for ten weeks and\nthe pain scores \
             fell in both arms.\nVL  - 21\nIS  - 4\nSP  -\nDO  - http://dx.doi.org/10.5555/ROW.2020.050\nER  -\n",
        );
        let paper = &read.papers()[0];
        assert_eq!((paper.volume.as_str(), paper.number.as_str(), paper.pages.as_str()), ("21", "4", ""));
        assert_eq!(paper.abstract_text, "Braces were worn for ten weeks and the pain scores fell in both arms.");
        assert_eq!(paper.doi, "http://dx.doi.org/10.5555/ROW.2020.050");
    }

    #[test]
    fn o_003_a_long_record() {
        let mut text = "TY  - JOUR\nTI  - One paper with many keywords\nPY  - 2020\n".to_owned();
        for n in 1..=450 {
            text.push_str(&format!("KW  - term {n}\n"));
        }
        text.push_str("ER  - \nTY  - JOUR\nTI  - A short second paper\nPY  - 2021\nER  - \n");
        let read = read("long.txt", text);
        assert_eq!((read.format(), read.papers().len()), (Format::Ris, 2));
        assert_eq!(read.papers()[0].keywords.len(), 450);
        assert_eq!(read.papers()[0].keywords[449], "term 450");
    }

    #[test]
    fn o_004_the_type_is_not_first() {
        let read = read(
            "sorted_tags.ris",
            "DB  - DemoBase\nC8  - \nTI  - Sleep sites of rock rabbits\nSP  - 31-40\nAB  - NA\nTY  - JOUR\nVL  - 12\nAU  \
             - Marlowe, A. J.\nJO  - Upland Notes\nER  - \n\nDB  - DemoBase\nTI  - Feeding sites of rock rabbits\nAB  - \
             NA\nTY  - JOUR\nAU  - Marlowe, A. J.\nJO  - Upland Notes\nER  - \n",
        );
        assert_eq!(read.titles(), ["Sleep sites of rock rabbits", "Feeding sites of rock rabbits"]);
        let paper = &read.papers()[0];
        assert_eq!((paper.pages.as_str(), paper.abstract_text.as_str()), ("31-40", ""));
        assert_eq!((paper.source.as_str(), paper.venue.as_str()), ("DemoBase", "Upland Notes"));
        assert!(read.warnings.is_empty(), "{:?}", read.warnings);
        // The placeholder comes back all the same, with the type in front.
        let text = write("ris", read.papers());
        assert!(text.starts_with("TY  - JOUR\nDB  - DemoBase\nC8  - \nTI  - Sleep"), "{text}");
        assert!(text.contains("AB  - NA\n"), "{text}");
    }

    #[test]
    fn o_005_byte_order_mark_and_crlf() {
        let read = read(
            "bom.ris",
            "\u{feff}TY  - JOUR\r\nTI  - Bees near tramlines\r\nAB  - First line\r\nsecond line.\r\nER  - \r\n",
        );
        let paper = &read.papers()[0];
        assert_eq!((paper.kind.as_str(), paper.abstract_text.as_str()), ("JOUR", "First line second line."));
        let json = serde_json::to_string(paper).unwrap();
        assert!(!json.contains('\u{feff}') && !json.contains("\\r"), "{json}");
    }

    #[test]
    fn o_006_the_access_date_never_is_the_year() {
        let lines = ["Y2  - 2021/06/14", "PY  - 1996", "Y1  - 1996/10/02"];
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let dates = order.map(|n| lines[n]).join("\n");
            let text = format!("TY  - JOUR\nTI  - Droplet spin in cold traps\nAU  - Varga, Ilse\n{dates}\nER  - \n");
            let read = read("spin.ris", text);
            let paper = &read.papers()[0];
            assert_eq!((paper.year.as_str(), paper.published.as_str()), ("1996", "1996-10-02"));
            assert_eq!(extra(paper, "accessed"), ["2021/06/14"]);
        }
        let only = read("only.ris", "TY  - JOUR\nTI  - No date\nY2  - 2021/06/14\nER  - \n");
        assert_eq!(only.papers()[0].year, "");
    }

    #[test]
    fn o_007_endnote_tags_in_a_file_named_ris() {
        let read = read(
            "notris.ris",
            "\u{feff}%0 Journal Article\n%T Wind noise near tram stops\n%A Okafor, Lena\n%D 2017\n\n%0 Journal \
             Article\n%T Rain noise near tram stops\n%A Okafor, Lena\n%D 2018\n",
        );
        assert_eq!(read.format(), Format::Endnote);
        assert_eq!(read.titles(), ["Wind noise near tram stops", "Rain noise near tram stops"]);
        assert_eq!(read.years(), ["2017", "2018"]);
    }

    #[test]
    fn o_008_synonyms_of_tags() {
        let one = "TY  - JOUR\nTI  - Paddle grip and wrist strain\nAB  - Wrist strain fell with a wide grip.\nAU  - Lowe, \
                   Kit\nJO  - Rowing Notes\nPY  - 2016\nER  - \n";
        let two = "TY  - JOUR\nT1  - Paddle grip and wrist strain\nN2  - Wrist strain fell with a wide grip.\nA1  - Lowe, \
                   Kit\nAU  - Lowe, Kit\nJF  - Rowing Notes\nY1  - 2016//\nER  - \n";
        let read = read_files(&[("a.ris", one.as_bytes()), ("b.ris", two.as_bytes())]);
        let [one, two] = read.papers() else { panic!("two papers") };
        for paper in [one, two] {
            assert_eq!(paper.title, "Paddle grip and wrist strain");
            assert_eq!(paper.abstract_text, "Wrist strain fell with a wide grip.");
            assert_eq!(paper.authors, ["Lowe, Kit"]);
            assert_eq!((paper.venue.as_str(), paper.year.as_str()), ("Rowing Notes", "2016"));
        }
    }

    #[test]
    fn o_009_pages_with_several_dashes() {
        let pages = ["S12-S19-e3", "12-15, 18", "e45", "1-e7", "200–3", "200--203", "5-5", "100-99"];
        let papers: Vec<Paper> = pages
            .iter()
            .map(|pages| Paper { title: "Kelp counts".into(), pages: (*pages).into(), ..Paper::default() })
            .collect();
        for extension in ["ris", "bib", "nbib", "enw", "xml", "json"] {
            let back = read("kelp", write(extension, &papers));
            let found: Vec<&str> = back.papers().iter().map(|paper| paper.pages.as_str()).collect();
            assert_eq!(found, pages, "{extension}");
        }
    }

    #[test]
    fn o_010_unknown_and_repeated_tags_come_back() {
        let text =
            "TY  - JOUR\nTI  - Two serial numbers\nSN  - 1111-1119\nSN  - 2222-2227\nZZ  - my shelf 4\nER  - \n\n";
        let read = read("odd.ris", text);
        assert_eq!(extra(&read.papers()[0], "issn"), ["1111-1119", "2222-2227"]);
        assert!(read.warnings.is_empty());
        assert_eq!(write("ris", read.papers()), text);
    }

    #[test]
    fn a_record_comes_back_tag_by_tag() {
        let text = "TY  - CHAP\nA1  - Lowe, Kit\nA1  - Guild of Rowers,\nA2  - Berg, Tove\nT1  - Grip\nN2  - An abstract.\nUR  \
                    - http://example.org/1\nUR  - http://example.org/2\nN1  - a note\nSP  - 5\nEP  - 9\nKW  - one\ntwo\nPB  \
                    - Press\nER  - \n\n";
        let read = read("own.ris", text);
        let paper = &read.papers()[0];
        assert_eq!(paper.authors, ["Lowe, Kit", "{Guild of Rowers}"]);
        assert_eq!(paper.keywords, ["one", "two"]);
        assert_eq!(paper.pages, "5-9");
        assert_eq!(write("ris", read.papers()), text);
    }

    #[test]
    fn what_changed_replaces_the_old_tags_at_their_place() {
        let text =
            "TY  - JOUR\nT1  - Old title\nZZ  - shelf\nY1  - 2016/02//\nAU  - A, B\nAU  - C, D\nDO  - 10.1/x\nER  - \n";
        let mut paper = read("own.ris", text).papers()[0].clone();
        paper.title = "New title".into();
        paper.authors = vec!["E, F".into()];
        paper.year = "2017".into();
        paper.published = String::new();
        paper.volume = "4".into();
        paper.doi = String::new();
        assert_eq!(
            write("ris", &[paper]),
            "TY  - JOUR\nT1  - New title\nZZ  - shelf\nPY  - 2017\nAU  - E, F\nVL  - 4\nER  - \n\n"
        );
    }

    #[test]
    fn records_without_an_end_and_text_after_them() {
        let read = read(
            "open.ris",
            "TY  - JOUR\nTI  - One\nAB  - First.\n\nSecond.\nPY  - 2001\n\n2.\nTY  - JOUR\nTI  - Two\n\nrest of nothing",
        );
        assert_eq!(read.titles(), ["One", "Two"]);
        assert_eq!(read.papers()[0].abstract_text, "First. Second.");
        assert_eq!(read.warnings, ["open.ris: 2 lines outside of the records were ignored: 8, 12"]);
    }

    #[test]
    fn one_blank_before_the_dash_and_small_letters() {
        let read = read("narrow.ris", "TY - JOUR\nTI - One\nAB - 5 - 7\nER - \nty  - JOUR\nti  - Two\ner  - \n");
        assert_eq!(read.titles(), ["One", "Two"]);
        assert_eq!(read.papers()[0].abstract_text, "5 - 7");
    }

    #[test]
    fn a_type_alone_is_rejected_with_its_place() {
        let read = read("thin.ris", "TY  - JOUR\nER  - \n\nTY  - JOUR\nTI  - One\nER  - \n");
        assert_eq!(read.titles(), ["One"]);
        assert_eq!(read.reasons(), ["thin.ris, line 1, record 1: the record has a type and nothing else"]);
    }
}

mod bibtex {
    use super::*;

    #[test]
    fn o_011_months_strings_and_concatenation() {
        let read = read(
            "macros.bib",
            r#"@string{jtn = "Journal of Tram Noise"}
@article{k1,
  title   = {Squeal on tight curves},
  author  = {Berg, Tove},
  journal = jtn,
  year    = 2010,
  month   = "9~" # sep,
}
@article{k2, title={Squeal on wet rails}, author={Berg, Tove},
  journal = jtn # ", Series B", year={2011}, month=Jul}
"#,
        );
        assert_eq!(read.years(), ["2010", "2011"]);
        let venues: Vec<&str> = read.papers().iter().map(|paper| paper.venue.as_str()).collect();
        assert_eq!(venues, ["Journal of Tram Noise", "Journal of Tram Noise, Series B"]);
        let published: Vec<&str> = read.papers().iter().map(|paper| paper.published.as_str()).collect();
        assert_eq!(published, ["2010-09-09", "2011-07"]);
        assert!(read.warnings.is_empty(), "{:?}", read.warnings);
        assert_eq!(read.papers()[1].place.line, 9);
    }

    #[test]
    fn o_012_nested_braces() {
        let read = read(
            "nested.bib",
            "@article{n1, title = {What {Makes} {{Ice}} {S}ing in {ACM} Technology? {Baby} steps}, author = {Hadd}, month \
             = may, year = {1993}}",
        );
        assert_eq!(read.titles(), ["What Makes Ice Sing in ACM Technology? Baby steps"]);
        assert_eq!((read.years(), read.papers()[0].authors.as_slice()), (vec!["1993"], &["Hadd".to_owned()][..]));
    }

    #[test]
    fn o_013_unbalanced_brace() {
        let read = read(
            "brace.bib",
            "@article{good1, title={Stable bridges}, author={Ito, K.}, year={2001}}\n@article{bad, title={Rates rose by 3 \
             to 15{{\\%}, author={Ito, K.}, year={2002}}\n@article{good2, title={Unstable bridges}, author={Ito, K.}, \
             year={2003}}\n@article{good3, title={Floating bridges}, author={Ito, K.}, year={2004}}\n",
        );
        assert_eq!(read.titles(), ["Stable bridges", "Rates rose by 3 to 15%", "Unstable bridges", "Floating bridges"]);
        assert_eq!(read.years(), ["2001", "2002", "2003", "2004"]);
        assert_eq!(read.warnings.len(), 1);
        assert!(read.warnings[0].starts_with("brace.bib, line 2, record 2: "), "{:?}", read.warnings);
    }

    #[test]
    fn braces_that_swallow_or_drop_a_field() {
        let swallow = read("a.bib", "@book{a, title={A {B}, author={C}, year={2002}}\n\n@book{b, title={D}}\n");
        assert_eq!(swallow.titles(), ["A B", "D"]);
        assert_eq!(
            (swallow.papers()[0].authors.as_slice(), swallow.years()),
            (&["C".to_owned()][..], vec!["2002", ""])
        );
        let early = read("b.bib", "@book{a, title={A}}, author={C}, year={2002}}\n@book{b, title={D}}\n");
        assert_eq!(early.titles(), ["A", "D"]);
        assert_eq!(early.years(), ["2002", ""]);
        let one_line = read("c.bib", "@book{a, title={{A}, year={2001}} @book{b, title={D}} @article{c, title={E}}");
        assert_eq!(one_line.titles(), ["A", "D", "E"]);
        let commas = read("d.bib", "@book{a\n title = {A}\n year = 2001\n}\n@misc{title = {B}}");
        assert_eq!((commas.titles(), commas.years()), (vec!["A", "B"], vec!["2001", ""]));
        let round = read("e.bib", "@article(a, title = {A :) B}, note = \"x) y\", year = 1999)\n@misc{b, title={B}}");
        assert_eq!((round.titles(), round.years()), (vec!["A :) B", "B"], vec!["1999", ""]));
    }

    #[test]
    fn o_014_two_papers_with_one_key() {
        let read = read(
            "scopus.bib",
            "@ARTICLE{Rossi20181, author={Rossi, P. and Lund, D.}, title={Label advice for repair manuals}, \
             journal={Emp. Repair}, year={2018}, pages={1-19}, doi={10.5555/er.2018.0001}}\n@ARTICLE{Rossi20181, \
             author={Rossi, P. and Chau, M.-L.}, title={Quick help in repair forums}, journal={Emp. Repair}, \
             year={2018}, pages={1-27}, doi={10.5555/er.2018.0002}}\n",
        );
        assert_eq!(read.titles(), ["Label advice for repair manuals", "Quick help in repair forums"]);
        let text = write("bib", read.papers());
        assert!(text.contains("@ARTICLE{Rossi20181,") && text.contains("@ARTICLE{Rossi20181-2,"), "{text}");
    }

    #[test]
    fn o_015_one_paper_in_two_styles() {
        let read = read(
            "sor.bib",
            "@inproceedings{sor2009,\n  title={Drainwhiff: a drifting sensor for in-situ drain gas checks},\n  \
             author={Sorensen, Jo and Limb, Jae Su and Fried, Jon},\n  booktitle={2009 6th Annual Demo Conference on \
             Sensors}, pages={1--9}, year={2009}}\n@INPROCEEDINGS{sor2009,\n  author={J. {Sorensen} and J. S. {Limb} and \
             J. {Fried}},\n  booktitle={2009 6th Annual Demo Conference on Sensors},\n  title={DrainWhiff: A Drifting \
             Sensor for In-situ Drain Gas Checks}, year={2009}, volume={}, number={}, pages={1-9}}\n",
        );
        let [one, two] = read.papers() else { panic!("two papers") };
        assert_eq!((one.place.line, two.place.line), (1, 5));
        assert_eq!(two.authors, ["J. Sorensen", "J. S. Limb", "J. Fried"]);
        assert_eq!((one.pages.as_str(), two.pages.as_str()), ("1-9", "1-9"));
        assert_eq!((two.volume.as_str(), two.number.as_str()), ("", ""));
        assert_eq!(one.venue, two.venue);
    }

    #[test]
    fn o_016_values_that_are_no_numbers() {
        let read = read(
            "salt.bib",
            "@article{p1, title={Price of salt}, number={C7}, pages={C112}, volume={18-19}, price={$12.40}, \
             month={Jan--Feb}, year={c. 1998}}",
        );
        let paper = &read.papers()[0];
        assert_eq!(
            [&paper.pages, &paper.volume, &paper.number, &paper.year],
            ["C112", "18-19", "C7", "1998"].map(str::to_owned).each_ref()
        );
        assert!(read.warnings.is_empty(), "{:?}", read.warnings);
        assert!(write("bib", read.papers()).contains("price = {$12.40}"));
    }

    #[test]
    fn o_017_accents() {
        let read = read(
            "acc.bib",
            r#"@article{a1, title={{\AA}sa's na{\"\i}ve fa{\c c}ade},
 author={Mart{\'{\i}}nez, Lo{\"{\i}}c and Stra{\ss}er, J{\o}rn and {\v C}apek, Zo\"e and \O{}rsted, Fran\c{c}ois and {\L}uk, Ren\'e}, year=2001}"#,
        );
        assert_eq!(read.titles(), ["Åsa's naïve façade"]);
        assert_eq!(
            read.papers()[0].authors,
            ["Martínez, Loïc", "Straßer, Jørn", "Čapek, Zoë", "Ørsted, François", "Łuk, René"]
        );
    }

    #[test]
    fn o_018_combining_characters_stay() {
        let read = read("mix.bib", "@article{j1, title={Pin\u{303}ata makers in S\\~{a}o Tom\\'e}, year=2002}\n");
        assert_eq!(read.titles(), ["Piñata makers in São Tomé"]);
    }

    #[test]
    fn o_019_markup_as_math() {
        let read = read(
            "h1.bib",
            r"@article{h1, title={$\less$p$\greater$Notes on $\less$em$\greater$Lithobia$\less$/em$\greater$ from slate quarries$\less$/p$\greater$}, year=2019, doi={10.5555/zx.1}}",
        );
        assert_eq!(read.titles(), ["<p>Notes on <em>Lithobia</em> from slate quarries</p>"]);
    }

    #[test]
    fn o_020_particles_stay_as_they_are_written() {
        let read = read(
            "names.bib",
            "@misc{a, title={Locks}, author={van der Aa, Yrsa and de la Cruz, María José}}\n@misc{b, title={Locks}, \
             author={Yrsa van der Aa and {van der Aa}, Y. and Aa, Y. van der}}",
        );
        assert_eq!(read.papers()[0].authors, ["van der Aa, Yrsa", "de la Cruz, María José"]);
        assert_eq!(read.papers()[1].authors, ["Yrsa van der Aa", "van der Aa, Y.", "Aa, Y. van der"]);
    }

    #[test]
    fn o_021_suffixes_and_bodies() {
        let read = read(
            "suffix.bib",
            "@misc{a, title={Levers}, author={Benson, Jr., Brent W. and Brent W. Benson, Jr.}}\n@misc{b, title={Report}, \
             author={{Society of Tram and Bus Riders}}}",
        );
        assert_eq!(read.papers()[0].authors, ["Benson, Jr., Brent W.", "Brent W. Benson, Jr."]);
        assert_eq!(read.papers()[1].authors, ["{Society of Tram and Bus Riders}"]);
        // Every format has its own way to say that it is a body.
        assert!(write("ris", read.papers()).contains("AU  - Society of Tram and Bus Riders,\n"));
        assert!(write("nbib", read.papers()).contains("CN  - Society of Tram and Bus Riders\n"));
        assert!(write("json", read.papers()).contains("{\"literal\":\"Society of Tram and Bus Riders\"}"));
        for extension in ["ris", "bib", "nbib", "enw", "xml", "json"] {
            let text = write(extension, read.papers());
            let back = super::read("back", &text);
            assert_eq!(back.papers().len(), 2, "{text}");
            assert_eq!(back.papers()[1].authors, ["{Society of Tram and Bus Riders}"], "{extension}");
        }
    }

    #[test]
    fn o_022_isbn_and_escaped_doi() {
        let read = read(
            "towers.bib",
            r#"@incollection{c1, author="O’Dell, Eva", title="{Why sand towers lean}", year="2016", booktitle="Handbook of Towers", pages="5--22", isbn="9780000000002", doi="10.5555/978-1-111-11111-1{\_}31-1"}
@incollection{c2, author={Vance, Ivo W. and Moor, P.}, title={{A short history of towers}}, year={2017}, booktitle={Handbook of Towers}, pages={40--61}, isbn={9780000000002}, doi={10.5555/978-1-111-11111-1{\_}2-1}}"#,
        );
        let [one, two] = read.papers() else { panic!("two papers") };
        assert_eq!((one.title.as_str(), two.title.as_str()), ("Why sand towers lean", "A short history of towers"));
        assert_eq!(one.doi, "10.5555/978-1-111-11111-1_31-1");
        assert_eq!(two.doi, "10.5555/978-1-111-11111-1_2-1");
        assert_eq!(extra(two, "isbn"), ["9780000000002"]);
        assert_eq!((two.venue.as_str(), two.pages.as_str()), ("Handbook of Towers", "40-61"));
        assert_eq!(Kind::of(&two.kind), Kind::Chapter);
    }

    #[test]
    fn an_entry_inherits_from_the_one_it_refers_to() {
        let read = read(
            "cross.bib",
            "@inproceedings{a, title={Part}, crossref={p}}\n@proceedings{p, title={The Meeting}, year=2003, \
             publisher={Press}, editor={Ed, I.}}",
        );
        let paper = &read.papers()[0];
        assert_eq!((paper.venue.as_str(), paper.year.as_str()), ("The Meeting", "2003"));
        assert_eq!(extra(paper, "publisher"), ["Press"]);
    }

    #[test]
    fn an_entry_comes_back_field_by_field() {
        let text = "@InProceedings{ho:09,\n  Title = {On {B}races and \\\"uber},\n  author = {Ho, A. and {UN Body}},\n  \
                    booktitle = {Proc. of {X}},\n  year = 2009,\n  month = feb,\n  my-note = {a {\\%} b},\n  file = \
                    {:a\\:b.pdf:PDF},\n  pages = {3--9}\n}\n\n";
        let read = read("own.bib", text);
        assert_eq!(read.titles(), ["On Braces and über"]);
        assert_eq!(write("bib", read.papers()), text);
    }

    #[test]
    fn text_and_addresses_between_entries() {
        let read = read(
            "mail.bib",
            "Mail me@home.org {now}\n@comment{jabref-meta: x{y}}\n@preamble{\"x\"}\n@misc{a, title={A@b{c}}}",
        );
        assert_eq!(read.titles(), ["A@bc"]);
    }
}

mod nbib {
    use super::*;

    #[test]
    fn o_023_blank_first_line_wrapped_title_doi_and_pii() {
        let text = "\nPMID- 90000001\nOWN - NLM\nDP  - 2016 Mar 3\nTI  - How gravel bars sort their \n      \
                    pebbles.\nPG  - 2071-83\nLID - S0000-1111(16)30099-8 [pii]\nLID - 10.5555/j.peb.2016.02.017 \
                    [doi]\nAB  - We dug nine trenches in gravel bars and weighed \n      every pebble.\nFAU - Lind, Mara \
                    T\nAU  - Lind MT\nAD  - Demo Lab, Example Street: \n      m.lind@example.org.\n";
        let read = read("cite.nbib", text);
        let [paper] = read.papers() else { panic!("one paper") };
        assert_eq!(paper.title, "How gravel bars sort their pebbles.");
        assert_eq!((paper.doi.as_str(), paper.id.as_str()), ("10.5555/j.peb.2016.02.017", "90000001"));
        assert_eq!(extra(paper, "pmid"), ["90000001"]);
        assert_eq!((paper.year.as_str(), paper.published.as_str()), ("2016", "2016-03-03"));
        assert_eq!(paper.authors, ["Lind, Mara T"]);
        assert_eq!(paper.pages, "2071-83");
        assert_eq!(paper.abstract_text, "We dug nine trenches in gravel bars and weighed every pebble.");
        let unwrapped = text.trim_start().replace(" \n      ", " ");
        assert_eq!(write("nbib", read.papers()), unwrapped);
    }

    #[test]
    fn o_024_several_records_and_no_last_line_end() {
        let read = read(
            "three.nbib",
            "PMID- 1\nTI  - Alpha paper.\nDP  - 2001\n\nPMID- 2\nTI  - Beta paper.\nDP  - 2002\nSO  - Demo J. \
             2002\n\n\nPMID- 3\nTI  - Gamma paper.\nDP  - 2003\nAB  -",
        );
        assert_eq!(read.years(), ["2001", "2002", "2003"]);
        let ids: Vec<&str> = read.papers().iter().map(|paper| paper.id.as_str()).collect();
        assert_eq!(ids, ["1", "2", "3"]);
        assert_eq!(read.papers()[2].abstract_text, "");
        let lines: Vec<u64> = read.papers().iter().map(|paper| paper.place.line).collect();
        assert_eq!(lines, [1, 5, 11]);
    }

    #[test]
    fn o_025_seasons_and_ranges() {
        let read = read(
            "dp.nbib",
            "PMID- 11\nTI  - Season one.\nDP  - Summer 2018\n\nPMID- 12\nTI  - Season two.\nDP  - 1998 Dec-1999 \
             Jan\n\nPMID- 13\nTI  - Season three.\nDP  - 2020 Jul-Aug\n",
        );
        assert_eq!(read.years(), ["2018", "1998", "2020"]);
        let published: Vec<&str> = read.papers().iter().map(|paper| paper.published.as_str()).collect();
        assert_eq!(published, ["Summer 2018", "1998 Dec-1999 Jan", "2020 Jul-Aug"]);
    }

    #[test]
    fn persons_and_bodies_in_their_order() {
        let read = read(
            "who.nbib",
            "PMID- 5\nTI  - Who\nFAU - One, Ann\nAUID- ORCID: 1\nAU  - One A\nAU  - Two B\nCN  - The Group\nFAU - Three, \
             Cy\nAU  - Three C\n",
        );
        assert_eq!(read.papers()[0].authors, ["One, Ann", "Two B", "{The Group}", "Three, Cy"]);
    }
}

mod xml {
    use super::*;

    #[test]
    fn o_035_dblp_without_its_document_type() {
        let text = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<!DOCTYPE dblp SYSTEM \"dblp.dtd\">\n<dblp>\n<article \
                    key=\"a/1\"><author>R. &Ouml;st</author><title>On <i>n</i>-way locks in H<sub>2</sub>O \
                    tanks.</title><year>1994</year></article>\n<inproceedings key=\"b/2\"><author>Ana Nicol&ograve; \
                    0002</author><title>Locks &amp; keys.</title><year>1995</year></inproceedings>\n</dblp>\n";
        let read = read("dblp.xml", text);
        assert_eq!(read.format(), Format::DblpXml);
        assert_eq!(read.titles(), ["On n-way locks in H2O tanks.", "Locks & keys."]);
        assert_eq!(read.papers()[0].authors, ["R. Öst"]);
        assert_eq!(read.papers()[1].authors, ["Ana Nicolò"]);
        assert_eq!(extra(&read.papers()[1], "author_numbers"), ["Ana Nicolò 0002"]);
        assert_eq!((read.papers()[1].id.as_str(), read.papers()[1].place.line), ("b/2", 5));
    }

    #[test]
    fn pubmed_articles_and_a_broken_one() {
        let article = |number: u32, end: &str| {
            format!(
                "<PubmedArticle><MedlineCitation><PMID Version=\"1\">{number}</PMID><Article><Journal><ISSN \
                 IssnType=\"Print\">1111-1119</ISSN><JournalIssue><Volume>7</Volume><Issue>2</Issue><PubDate><Year>2016\
                 </Year><Month>Mar</Month></PubDate></JournalIssue><Title>Demo journal</Title><ISOAbbreviation>Demo \
                 J</ISOAbbreviation></Journal><ArticleTitle>Role of <i>x</i> &amp; H<sub>2</sub>O</ArticleTitle>\
                 <Pagination><MedlinePgn>5-9</MedlinePgn></Pagination><Abstract><AbstractText Label=\"AIM\">To \
                 see.</AbstractText><AbstractText>Seen.</AbstractText></Abstract><AuthorList><Author><LastName>Lind\
                 </LastName><ForeName>Mara T</ForeName></Author><Author><CollectiveName>The Group</CollectiveName>\
                 </Author></AuthorList><PublicationTypeList><PublicationType>Journal \
                 Article</PublicationType><PublicationType>Published \
                 Erratum</PublicationType></PublicationTypeList></Article><CommentsCorrectionsList><CommentsCorrections \
                 RefType=\"ErratumFor\"><PMID>77</PMID></CommentsCorrections></CommentsCorrectionsList>\
                 </MedlineCitation><PubmedData><ArticleIdList><ArticleId IdType=\"doi\">10.5555/a.{number}</ArticleId>\
                 <ArticleId IdType=\"pmc\">PMC9</ArticleId></ArticleIdList><ReferenceList><Reference><ArticleIdList>\
                 <ArticleId IdType=\"doi\">10.5555/other</ArticleId></ArticleIdList></Reference></ReferenceList>\
                 </PubmedData>{end}\n"
            )
        };
        let text = format!(
            "<PubmedArticleSet>\n{}{}{}",
            article(1, "</PubmedArticle>"),
            article(2, ""),
            article(3, "</PubmedArticle>")
        );
        let read = read("pubmed.xml", text);
        assert_eq!(read.format(), Format::PubmedXml);
        let ids: Vec<&str> = read.papers().iter().map(|paper| paper.id.as_str()).collect();
        assert_eq!(ids, ["1", "3"]);
        assert_eq!(
            read.reasons(),
            ["pubmed.xml, line 3, record 2: the element does not end before the next one begins"]
        );
        let paper = &read.papers()[0];
        assert_eq!(paper.title, "Role of x & H2O");
        assert_eq!(paper.abstract_text, "AIM: To see. Seen.");
        assert_eq!(paper.authors, ["Lind, Mara T", "{The Group}"]);
        assert_eq!(
            (paper.published.as_str(), paper.pages.as_str(), paper.doi.as_str()),
            ("2016-03", "5-9", "10.5555/a.1")
        );
        assert_eq!((Kind::of(&paper.kind), extra(paper, "corrections")), (Kind::Erratum, vec!["ErratumFor 77"]));
        assert_eq!(extra(paper, "pmcid"), ["PMC9"]);
    }

    #[test]
    fn endnote_comes_back_with_what_is_not_known() {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><xml><records><record><database name=\"My.enl\" \
                    path=\"C:\\x\">My.enl</database><source-app name=\"EndNote\" \
                    version=\"20\">EndNote</source-app><rec-number>12</rec-number><ref-type name=\"Journal \
                    Article\">17</ref-type><contributors><authors><author><style face=\"normal\">Lowe, \
                    Kit</style></author><author>Berg, Tove</author></authors></contributors><titles><title><style>Grip \
                    &amp; </style><style face=\"italic\">strain</style></title><secondary-title>Rowing \
                    Notes</secondary-title></titles><pages>5-9</pages><dates><year>2016</year></dates><custom7>shelf \
                    4</custom7><isbn>1111-1119&#xD;2222-2227</isbn></record></records></xml>";
        let read = read("lib.xml", text);
        assert_eq!(read.format(), Format::EndnoteXml);
        let paper = &read.papers()[0];
        assert_eq!((paper.title.as_str(), paper.venue.as_str()), ("Grip & strain", "Rowing Notes"));
        assert_eq!(paper.authors, ["Lowe, Kit", "Berg, Tove"]);
        assert_eq!(extra(paper, "issn"), ["1111-1119", "2222-2227"]);
        let back = write("xml", read.papers());
        for kept in [
            "<database name=\"My.enl\" path=\"C:\\x\">My.enl</database>",
            "<ref-type name=\"Journal Article\">17</ref-type>",
            "<authors><author>Lowe, Kit</author><author>Berg, Tove</author></authors>",
            "<custom7>shelf 4</custom7>",
            "<isbn>1111-1119&#xD;2222-2227</isbn>",
        ] {
            assert!(back.contains(kept), "{kept} in {back}");
        }
        let again = super::read("lib.xml", &back);
        assert_eq!(same(again.papers()), same(read.papers()));
    }
}

mod json {
    use super::*;

    const WORK: &str = r#"{"DOI":"10.5555/X","title":["Grip <i>and</i> strain"],"author":[{"given":"Kit","family":"Lowe","sequence":"first"},{"name":"The Group"}],"container-title":["Rowing Notes"],"issued":{"date-parts":[[2016,3]]},"page":"5-9","type":"journal-article","abstract":"<jats:p>An aim.</jats:p>","is-referenced-by-count":3,"reference-count":9,"ISSN":["1111-1119"]}"#;

    #[test]
    fn crossref_one_many_and_lines() {
        for text in [
            format!("{{\"status\":\"ok\",\"message-type\":\"work\",\"message\":{WORK}}}"),
            format!("{{\"status\":\"ok\",\"message-type\":\"work-list\",\"message\":{{\"items\":[{WORK}]}}}}"),
            format!("[{WORK}]"),
            format!("{WORK}\n"),
        ] {
            let read = read("works.json", &text);
            assert_eq!(read.format(), Format::Crossref, "{text}");
            let [paper] = read.papers() else { panic!("one paper in {text}") };
            assert_eq!((paper.title.as_str(), paper.doi.as_str()), ("Grip and strain", "10.5555/X"));
            assert_eq!(paper.authors, ["Lowe, Kit", "{The Group}"]);
            assert_eq!((paper.year.as_str(), paper.published.as_str()), ("2016", "2016-03"));
            assert_eq!((paper.abstract_text.as_str(), paper.pages.as_str()), ("An aim.", "5-9"));
            assert_eq!(paper.extra["reference-count"], 9);
        }
    }

    #[test]
    fn openalex_abstracts_are_put_together() {
        let work = r#"{"id":"https://openalex.org/W1","doi":"https://doi.org/10.5555/x","display_name":"Grip","authorships":[{"author":{"display_name":"Kit Lowe"},"raw_author_name":"Lowe K"}],"publication_year":2016,"publication_date":"2016-03-05","biblio":{"volume":"7","issue":null,"first_page":"5","last_page":"9"},"primary_location":{"landing_page_url":"https://example.org","source":{"display_name":"Rowing Notes","issn":["1111-1119"]}},"abstract_inverted_index":{"on":[1],"A":[0],"grip":[2,5],"is":[4]},"type":"article","ids":{"pmid":"https://pubmed.ncbi.nlm.nih.gov/77"},"cited_by_count":4}"#;
        let read = read("page.json", format!("{{\"meta\":{{\"count\":1}},\"results\":[{work}]}}"));
        assert_eq!(read.format(), Format::Openalex);
        let paper = &read.papers()[0];
        assert_eq!((paper.title.as_str(), paper.abstract_text.as_str()), ("Grip", "A on grip is grip"));
        assert_eq!((paper.authors.as_slice(), paper.pages.as_str()), (&["Kit Lowe".to_owned()][..], "5-9"));
        assert_eq!((extra(paper, "pmid"), extra(paper, "issn")), (vec!["77"], vec!["1111-1119"]));
        assert_eq!(paper.extra["cited_by_count"], 4);
    }

    #[test]
    fn csl_comes_back() {
        let text = r#"[{"id":"a","type":"article-journal","title":"Grip","author":[{"family":"Aa","given":"Yrsa","non-dropping-particle":"van der"},{"literal":"The Group"}],"issued":{"date-parts":[["2016",3,5]]},"container-title":"Rowing Notes","page":"5-9","DOI":"10.5555/x","note":"mine","custom":{"x":1}}, {"id": 2, "type": "book", "title": "Second", "issued": {"raw": "c. 1998"}}]"#;
        let read = read("refs.json", text);
        assert_eq!(read.format(), Format::Csl);
        let [one, two] = read.papers() else { panic!("two papers") };
        assert_eq!(one.authors, ["van der Aa, Yrsa", "{The Group}"]);
        assert_eq!((one.published.as_str(), two.year.as_str(), two.id.as_str()), ("2016-03-05", "1998", "2"));
        let back = write("json", read.papers());
        assert!(back.contains("\"note\":\"mine\"") && back.contains("\"custom\":{\"x\":1}"), "{back}");
        assert_eq!(same(super::read("refs.json", back).papers())[0], same(read.papers())[0]);
    }

    #[test]
    fn a_bad_object_is_one_rejection() {
        let text = format!("[{WORK},\n{{\"title\": oops}},\n{{\"publisher\":\"x\"}},\n{WORK}]");
        let read = read("works.json", text);
        assert_eq!(read.titles().len(), 2);
        let reasons = read.reasons();
        assert!(reasons[0].starts_with("works.json, line 2, record 2: no JSON object: "), "{reasons:?}");
        assert_eq!(reasons[1], "works.json, line 3, record 3: the object is no work: no title, no DOI, no author");
    }
}

mod wos {
    use super::*;

    #[test]
    fn tagged_records_and_their_table_are_the_same() {
        let tagged = "\u{feff}FN Clarivate Analytics Web of Science\nVR 1.0\nPT J\nAU Lowe, K\n   Berg, T\nAF Lowe, Kit\n   Berg, \
                      Tove\nTI Paddle grip and\n   wrist strain\nSO ROWING NOTES\nDE grip; wrist\n   strain\nAB An \
                      abstract.\nPD MAR 5\nPY 2016\nVL 7\nIS 2\nBP 5\nEP 9\nDI 10.5555/x\nSN 1111-1119\nUT \
                      WOS:1\nC1 Somewhere.\nER\n\nPT J\nTI Second\nER\n\nEF\n";
        let table = "PT\tAU\tAF\tTI\tSO\tDE\tAB\tPD\tPY\tVL\tIS\tBP\tEP\tDI\tSN\tUT\tC1\nJ\tLowe, K; Berg, T\tLowe, Kit; \
                     Berg, Tove\tPaddle grip and wrist strain\tROWING NOTES\tgrip; wrist strain\tAn abstract.\tMAR \
                     5\t2016\t7\t2\t5\t9\t10.5555/x\t1111-1119\tWOS:1\tSomewhere.\nJ\t\t\tSecond\n";
        for (name, text) in [("savedrecs.txt", tagged), ("savedrecs.tsv", table)] {
            let read = read(name, text);
            assert_eq!((read.format(), read.titles()), (Format::Wos, vec!["Paddle grip and wrist strain", "Second"]));
            let paper = &read.papers()[0];
            assert_eq!(paper.authors, ["Lowe, Kit", "Berg, Tove"], "{name}");
            assert_eq!(paper.keywords, ["grip", "wrist strain"]);
            assert_eq!(
                (paper.published.as_str(), paper.pages.as_str(), paper.id.as_str()),
                ("2016-03-05", "5-9", "WOS:1")
            );
            assert!(extra(paper, "record.wos")[0].contains("C1 Somewhere.\n"));
            assert!(read.warnings.is_empty(), "{:?}", read.warnings);
        }
    }
}

mod scopus {
    use super::*;

    #[test]
    fn pages_of_three_columns_and_old_lists_of_authors() {
        let read = read(
            "scopus.csv",
            "\u{feff}\"Authors\",\"Title\",\"Year\",\"Source title\",\"Volume\",\"Issue\",\"Art. No.\",\"Page start\",\"Page \
             end\",\"Cited by\",\"DOI\",\"Abstract\",\"ISSN\",\"PubMed ID\",\"Source\",\"EID\"\n\"Lowe K., Berg \
             T.\",\"Grip\",\"2016\",\"Rowing Notes\",\"7\",\"2\",\"\",\"5\",\"9\",\"3\",\"10.5555/x\",\"[No abstract \
             available]\",\"11111119\",\"77\",\"Scopus\",\"2-s2.0-1\"\n\"Lowe K.; Berg \
             T.\",\"Strain\",\"2017\",\"Rowing Notes\",\"7\",\"2\",\"e12\",\"\",\"\",\"\",\"\",\"An \
             abstract\",\"\",\"\",\"Scopus\",\"2-s2.0-2\"\n",
        );
        assert_eq!(read.format(), Format::Scopus);
        let [one, two] = read.papers() else { panic!("two papers") };
        assert_eq!(
            (one.authors.clone(), two.authors.clone()),
            (vec!["Lowe K.".into(), "Berg T.".into()], one.authors.clone())
        );
        assert_eq!((one.pages.as_str(), two.pages.as_str()), ("5-9", "e12"));
        assert_eq!((one.abstract_text.as_str(), one.venue.as_str(), one.id.as_str()), ("", "Rowing Notes", "2-s2.0-1"));
        assert_eq!(one.source, "Scopus");
        let text = write("ris", read.papers());
        assert!(text.contains("SN  - 11111119\n") && text.contains("N1  - PMID: 77\n"), "{text}");
    }
}

mod laws {
    use super::*;

    /// One file of each format with records that have most of what the format knows.
    const SAMPLES: &[(Format, &str, &str)] = &[
        (
            Format::Ris,
            "ris",
            "TY  - JOUR\nID  - a1\nT1  - Grip\nA1  - Lowe, Kit\nAU  - Guild,\nY1  - 2016/03/05/spring\nJF  - Rowing\nSP  - \
             5\nEP  - 9\nN2  - One\n\ntwo.\nKW  - a\nb\nN1  - PMID: 77\nZZ  - shelf\nER  - \n\nTY  - BOOK\nTI  - \
             Second\nER  -\n",
        ),
        (
            Format::Bibtex,
            "bib",
            "@string{j = {Rowing}}\n@Article{a1, Title = \"{Grip} and \\'e\", author = {Lowe, Kit and {The Guild}}, \
             journal = j # \" Notes\", month = mar, day = 5, year = 2016, pages = {5--9}, note = {$x$ {\\%} y}, keywords = {a, \
             b}}\n@inproceedings(b, title = {Second}, booktitle = {All})\n@proceedings{c, title = {All}}\n",
        ),
        (
            Format::Nbib,
            "nbib",
            "PMID- 77\nOWN - NLM\nTI  - Grip and\n      strain.\nDP  - 2016 Mar 5\nFAU - Lowe, Kit\nAU  - Lowe K\nCN  - \
             Guild\nLID - 10.5555/x [doi]\nLID - S1 [pii]\nMH  - *Rowing/injuries\nJT  - Rowing\nTA  - Row\nPT  - Journal \
             Article\nPT  - Review\n\nPMID- 78\nTI  - Second\n",
        ),
        (
            Format::Endnote,
            "enw",
            "%0 Journal Article\n%T Grip\n%A Lowe, Kit\n%A Guild,\n%D 2016\n%J Rowing\n%P 5-9\n%X One\ntwo\n%K a\nb\n%Z \
             note\n%@ 1111-1119\n\n%0 Book\n%T Second\n",
        ),
        (
            Format::EndnoteXml,
            "xml",
            "<xml><records><record><database name=\"My\">My</database><ref-type name=\"Book\">6</ref-type><contributors>\
             <authors><author><style face=\"normal\">Lowe, K</style></author></authors></contributors><titles><title>Grip \
             &amp; &#228;</title></titles><dates><year>2016</year></dates><custom7>shelf</custom7></record><record>\
             <titles><title>Second</title></titles></record></records></xml>",
        ),
        (
            Format::Csl,
            "json",
            "[{\"id\":\"a\",\"type\":\"book\",\"title\":\"Grip\",\"author\":[{\"family\":\"Lowe\",\"given\":\"Kit\"},{\"literal\":\
             \"Guild\"}],\"issued\":{\"date-parts\":[[2016,3]]},\"note\":[1,{\"x\":null}]},\n{\"type\":\"book\",\"title\":\"Second\"}]",
        ),
        (
            Format::Wos,
            "",
            "FN X\nVR 1.0\nPT J\nAU Lowe, K\n   Berg, T\nTI Grip and\n   strain\nSO ROWING\nPY 2016\nDE a; b\nC1 \
             Here\nER\n\nPT J\nTI Second\nER\nEF\n",
        ),
        (
            Format::PubmedXml,
            "",
            "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>7</PMID><Article><ArticleTitle>Grip <i>x</i></ArticleTitle>\
             <AuthorList><Author><LastName>Lowe</LastName></Author></AuthorList></Article></MedlineCitation></PubmedArticle>\
             <PubmedArticle><MedlineCitation><PMID>8</PMID></MedlineCitation></PubmedArticle></PubmedArticleSet>",
        ),
        (
            Format::DblpXml,
            "",
            "<dblp><article key=\"a\"><author>Kit L&ouml;we</author><title>Grip</title><ee>https://doi.org/10.5555/x</ee>\
             </article><book key=\"b\"><title>Second</title></book></dblp>",
        ),
        (
            Format::Crossref,
            "",
            "{\"message\":{\"items\":[{\"DOI\":\"10.5555/x\",\"title\":[\"Grip <b>x</b>\"],\"issued\":{\"date-parts\":[[2016]]}},\
             {\"DOI\":\"10.5555/y\",\"title\":[]}]}}",
        ),
        (
            Format::Openalex,
            "",
            "{\"results\":[{\"id\":\"https://openalex.org/W1\",\"title\":\"Grip\",\"abstract_inverted_index\":{\"a\":[0,2],\"b\":\
             [1]}},{\"title\":\"Second\",\"biblio\":{\"first_page\":\"5\"}}]}",
        ),
    ];

    fn read_as(format: Format, bytes: &[u8]) -> Read {
        let warnings = Arc::new(Warnings::default());
        let run = Run { progress: warnings.clone(), ..Run::default() };
        let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
        let inputs = open_reader("x", std::io::Cursor::new(bytes.to_vec()), &options, &run);
        let loaded = inputs.map(|inputs| load_opened(inputs, &options, &run).unwrap()).unwrap_or_default();
        let warnings = warnings.0.lock().unwrap().clone();
        Read { loaded, warnings }
    }

    #[test]
    fn the_samples_are_recognised_and_whole() {
        for (format, extension, text) in SAMPLES {
            let as_it_is = read_as(*format, text.as_bytes());
            assert!(
                as_it_is.papers().len() >= 2 && as_it_is.reasons().is_empty(),
                "{format}: {:?}",
                as_it_is.reasons()
            );
            assert!(as_it_is.titles()[0].starts_with("Grip"), "{format}: {:?}", as_it_is.titles());
            if !matches!(format, Format::Crossref | Format::Openalex) {
                assert_eq!(read("x", text).format(), *format);
            }
            if !extension.is_empty() {
                let once = write(extension, as_it_is.papers());
                let back = read_as(*format, once.as_bytes());
                assert_eq!(same(back.papers()), same(as_it_is.papers()), "{format}: {once}");
                assert_eq!(write(extension, back.papers()), once, "{format}");
            }
        }
    }

    /// Words as they occur, with the signs that mean something in one of the formats.
    fn words() -> impl Strategy<Value = String> {
        let word = prop_oneof![
            4 => "[A-Za-zäöéßΔ]{1,8}",
            1 => "[A-Z][a-z]?\\.",
            1 => "[0-9]{1,4}",
            1 => prop::sample::select(vec![
                "AU  - x", "%T", "PMID- 1", "@misc{a,", "{", "}", "\\", "$", "&", "_", "#", "~", "^", "\"", "''", "--", "`", "<b>",
                "&amp;", "<", "ER  -", "and", "\\'e", "–", "“", "[doi]", "=", ",",
            ]).prop_map(str::to_owned),
        ];
        let spaced = |words: Vec<String>| words.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
        prop::collection::vec(word, 1..7)
            .prop_map(spaced)
            .prop_filter("a word for nothing", |text| !matches!(text.as_str(), "NA" | "NaN" | "nan" | "null" | "NULL"))
    }

    fn name() -> impl Strategy<Value = String> {
        prop_oneof![
            "[A-ZÖ][a-zé]{1,8}, [A-Z][a-z]{0,5}( [A-Z]\\.)?",
            "[A-Z][a-z]{1,8} [A-Z]{1,2}",
            "[A-Z][a-z]{1,6} [a-z]{3} [A-Z][a-z]{1,6} of [A-Z][a-z]{1,6}".prop_map(|body| format!("{{{body}}}")),
        ]
    }

    fn paper() -> impl Strategy<Value = Paper> {
        let maybe = || prop_oneof![Just(String::new()), words()];
        let texts = (words(), maybe(), maybe(), maybe());
        let lists = (prop::collection::vec(name(), 0..4), prop::collection::vec("[a-zä]{2,8}( [a-z]{2,6})?", 0..4));
        let numbers = (
            prop_oneof![Just(String::new()), "[12][0-9]{3}"],
            prop_oneof![Just(String::new()), "-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]))?"],
            prop_oneof![Just(String::new()), "[0-9]{1,3}", "[A-Z][0-9]{1,2}"],
            prop_oneof![Just(String::new()), "[0-9]{1,4}", "[A-Z]?[0-9]{1,3}(-|--|–)[A-Z]?[0-9]{1,3}(-[a-z]?[0-9])?"],
            prop_oneof![Just(String::new()), "10\\.[0-9]{4}/[a-z0-9._()%~-]{1,12}[a-z0-9]"],
        );
        let ids = ("[a-zA-Z][a-zA-Z0-9:._/+-]{0,10}", "[1-9][0-9]{3}-[0-9]{4}", any::<bool>());
        (texts, lists, numbers, ids).prop_map(|(texts, lists, numbers, ids)| {
            let mut paper = Paper {
                id: ids.0,
                title: texts.0,
                abstract_text: texts.1,
                venue: texts.2,
                authors: lists.0,
                keywords: lists.1,
                volume: numbers.2.clone(),
                number: numbers.2,
                pages: numbers.3,
                doi: numbers.4,
                ..Paper::default()
            };
            if !numbers.0.is_empty() && !numbers.1.is_empty() {
                paper.published = format!("{}{}", numbers.0, numbers.1);
            }
            paper.year = numbers.0;
            if ids.2 {
                paper.extra.insert("issn".into(), ids.1.into());
            }
            if !texts.3.is_empty() {
                paper.extra.insert("publisher".into(), texts.3.into());
            }
            paper
        })
    }

    /// What must be the same after a way through a format: all but the kind, whose words are others in each.
    fn core(paper: &Paper) -> serde_json::Value {
        let mut paper = paper.clone();
        paper.kind.clear();
        paper.extra.retain(|name, _| !name.starts_with("record."));
        paper.authors.dedup();
        serde_json::to_value(&paper).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(300)))]

        #[test]
        fn a_paper_comes_back_from_every_format(mut papers in prop::collection::vec(paper(), 1..4)) {
            for (place, paper) in papers.iter_mut().enumerate() {
                paper.id = format!("{}{place}", paper.id);
                // A name twice in one list is one person for RIS.
                let mut seen = std::collections::BTreeSet::new();
                paper.authors.retain(|name| seen.insert(name.clone()));
                seen.clear();
                paper.keywords.retain(|word| seen.insert(word.clone()));
            }
            for (extension, format) in [
                ("ris", Format::Ris), ("bib", Format::Bibtex), ("nbib", Format::Nbib), ("enw", Format::Endnote),
                ("xml", Format::EndnoteXml),
            ] {
                let text = write(extension, &papers);
                let back = read_as(format, text.as_bytes());
                prop_assert!(back.reasons().is_empty(), "{:?}\n{}", back.reasons(), text);
                let core_of = |papers: &[Paper]| papers.iter().map(core).collect::<Vec<_>>();
                prop_assert_eq!(core_of(back.papers()), core_of(&papers), "{}", text);
            }
        }

        #[test]
        fn nothing_in_a_file_makes_a_reader_fail(
            sample in 0..SAMPLES.len(),
            edits in prop::collection::vec((any::<prop::sample::Index>(), 0..6u8, prop::sample::select(vec![
                "{", "}", "\"", "@", "\n", "\r", ",", "<", ">", "&", "\\", "$", "%0 ", "TY  - X", "ER", "PMID- ", "PT ", "=", "#", "é",
                "\u{feff}", " ", "\n\n", "</record>", "<record>", "[", "]", ":", "-", "\u{0}", "@misc{x,",
            ])), 1..12),
        ) {
            let (format, extension, text) = SAMPLES[sample];
            let mut bytes = text.as_bytes().to_vec();
            for (place, action, piece) in edits {
                let at = place.index(bytes.len() + 1);
                match action {
                    0 => bytes.truncate(at.max(1)),
                    1 => { bytes.splice(at..(at + 3).min(bytes.len()), []); }
                    2 => if at < bytes.len() { bytes[at] ^= 0x20 },
                    _ => { bytes.splice(at..at, piece.bytes()); }
                }
            }
            let once = read_as(format, &bytes);
            for reason in once.reasons() {
                prop_assert!(reason.starts_with("x, line ") || reason.starts_with("x: "), "{}", reason);
            }
            if !extension.is_empty() && !once.papers().is_empty() {
                let written = write(extension, once.papers());
                let again = read_as(format, written.as_bytes());
                let plain = |papers: &[Paper]| papers.iter().map(core).collect::<Vec<_>>();
                prop_assert_eq!(again.papers().len(), once.papers().len(), "{}\n->\n{}", String::from_utf8_lossy(&bytes), written);
                if format != Format::Bibtex {
                    prop_assert_eq!(plain(again.papers()), plain(once.papers()), "{}\n->\n{}", String::from_utf8_lossy(&bytes), written);
                }
            }
        }
    }
}

mod command {
    use std::fs;
    use std::path::Path;

    fn convert(folder: &Path, inputs: &[&str], to: &str) -> (String, i32) {
        let output = assert_cmd::Command::cargo_bin("papertwin")
            .unwrap()
            .current_dir(folder)
            .arg("convert")
            .args(inputs)
            .args(["--to", to])
            .output()
            .unwrap();
        (String::from_utf8(output.stderr).unwrap(), output.status.code().unwrap())
    }

    #[test]
    fn a_file_goes_around_through_all_formats() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::write(
            folder.join("start.ris"),
            "TY  - JOUR\nID  - lowe16\nTI  - Grip & strain in {rowers}: 5_6\nAU  - Lowe, Kit\nAU  - Guild of Rowers,\nPY  - \
             2016\nT2  - Rowing Notes\nVL  - 7\nIS  - 2\nSP  - 5\nEP  - 9\nDO  - 10.5555/x_1\nAB  - Wide grips help.\nKW  - \
             grip\nKW  - wrist\nZZ  - my shelf\nER  - \n\n",
        )
        .unwrap();
        let mut last = "start.ris".to_owned();
        for extension in ["bib", "nbib", "enw", "xml", "json", "csv", "jsonl", "ris"] {
            let next = format!("next.{extension}");
            let (talk, code) = convert(folder, &[&last], &next);
            assert_eq!(code, 0, "{extension}: {talk}");
            last = next;
        }
        let end = fs::read_to_string(folder.join("next.ris")).unwrap();
        for line in [
            "TI  - Grip & strain in {rowers}: 5_6",
            "AU  - Lowe, Kit",
            "AU  - Guild of Rowers,",
            "PY  - 2016",
            "T2  - Rowing Notes",
            "SP  - 5",
            "EP  - 9",
            "DO  - 10.5555/x_1",
            "AB  - Wide grips help.",
            "KW  - wrist",
        ] {
            assert!(end.contains(&format!("{line}\n")), "{line} in {end}");
        }
        // Through JSON lines alone, the user's own tags come back too, in their order.
        assert_eq!(convert(folder, &["start.ris"], "own.jsonl").1, 0);
        assert_eq!(convert(folder, &["own.jsonl"], "own.ris").1, 0);
        assert_eq!(fs::read(folder.join("own.ris")).unwrap(), fs::read(folder.join("start.ris")).unwrap());
    }

    #[test]
    fn several_formats_become_one_file_and_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::write(folder.join("a.ris"), "TY  - JOUR\nTI  - One\nDO  - 10.5555/a\nER  - \n").unwrap();
        fs::write(folder.join("b.bib"), "@article{k, title={Two}, pages={5--9}}\n@article{empty}\n").unwrap();
        let (talk, code) = convert(folder, &["a.ris", "b.bib"], "all.ris");
        assert_eq!(code, 1, "{talk}");
        assert!(talk.contains("b.bib, line 2, record 2: the entry has no field"), "{talk}");
        let text = fs::read_to_string(folder.join("all.ris")).unwrap();
        assert!(text.contains("DO  - 10.5555/a\n") && text.contains("SP  - 5\nEP  - 9\n"), "{text}");
    }

    #[test]
    fn a_file_of_no_records_is_said_to_be_one() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("prose.ris"), "This is prose.\nNo tag at all.\n").unwrap();
        let (talk, code) = convert(folder.path(), &["prose.ris"], "out.ris");
        assert_eq!(code, 1, "{talk}");
        assert!(talk.contains("no record: no line begins with a tag such as \"TY  - JOUR\""), "{talk}");
    }
}

#[test]
fn a_real_export_is_read_and_comes_back() {
    let Ok(data) = std::env::var("PAPERTWIN_DATA") else {
        println!("skipped: PAPERTWIN_DATA is not set");
        return;
    };
    let path = std::path::Path::new(&data).join("papers/original/citeulike-a/export.bib");
    let bytes = std::fs::read(&path).unwrap();
    let read = read("export.bib", &bytes);
    let entries = String::from_utf8_lossy(&bytes).lines().filter(|line| line.starts_with('@')).count();
    assert_eq!((read.papers().len(), read.reasons()), (entries, Vec::new()));
    assert!(read.papers().iter().all(|paper| !paper.title.is_empty() && !paper.year.is_empty()));
    let back = read_files(&[("export.bib", write("bib", read.papers()).as_bytes())]);
    assert_eq!(same(back.papers()), same(read.papers()));
}
