//! Tests of reading and writing as a whole; each format's details are tested in its file.

use std::io::{Cursor, Write};

use super::formats::Format;
use super::*;
use crate::progress::{Progress, Run, Task};
use std::sync::{Arc, Mutex};

/// Collects the warnings of a run.
#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Progress for Heard {
    fn start(&self, _: &str, _: Option<u64>, _: &'static str) -> Box<dyn Task> {
        Box::new(crate::progress::Silent)
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
    fn rejected(&self) -> Vec<(u64, &str)> {
        self.loaded.rejected.iter().map(|one| (one.place.line, one.reason.as_str())).collect()
    }
    fn format(&self) -> Format {
        self.loaded.files[0].format
    }
}

fn read_with(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Read, ReadError> {
    let heard = Arc::new(Heard::default());
    let run = Run { progress: heard.clone(), ..Run::default() };
    let opened = open_reader(name, Cursor::new(bytes.to_vec()), options, &run)?;
    let loaded = load_opened(opened, options, &run)?;
    let warnings = heard.0.lock().unwrap().clone();
    Ok(Read { loaded, warnings })
}

fn read(bytes: impl AsRef<[u8]>) -> Read {
    read_with("input", bytes.as_ref(), &ReadOptions::default()).unwrap()
}

fn written(ending: &str, loaded: &Loaded) -> String {
    let mut out = Vec::new();
    write(format!("out.{ending}"), loaded.corpus.papers(), &loaded.layout, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn o_026_an_unterminated_quote_costs_one_line() {
    let read = read("id,title,abstract\n1,Soil maps,Good\n2,Dust maps,\"Broken\n3,Ash maps,Fine\n4,Salt maps,Fine\n");
    assert_eq!(read.titles(), ["Soil maps", "Ash maps", "Salt maps"]);
    let [(3, reason)] = read.rejected()[..] else { panic!("{:?}", read.rejected()) };
    assert!(reason.contains("never closed"), "{reason}");
    assert_eq!(read.papers()[1].place.line, 4);
    assert_eq!(read.loaded.seen(), 4);
}

#[test]
fn o_026_an_open_quote_before_a_quoted_line_costs_one_line() {
    // The quote of line 3 would pair with one of line 4 or 5, with the right number of values in the first file.
    for text in [
        "id,title,abstract\n1,Soil,x\n2,Dust,\"Broken\n3,Ash,\"Fine\"\n4,Salt,y\n",
        "id,title,abstract\n1,Soil,x\n2,Dust,\"Broken\n3,\"Ash\",Fine\n4,Salt,y\n",
        "id,title,abstract\n1,Soil,x\n2,\"Dust,Broken\n3,Ash,\"a, b\"\n4,Salt,y\n",
    ] {
        let read = read(text);
        assert_eq!(read.titles(), ["Soil", "Ash", "Salt"], "{text}");
        assert_eq!(read.rejected().iter().map(|(line, _)| *line).collect::<Vec<_>>(), [3], "{text}");
    }
}

#[test]
fn a_quoted_value_may_have_line_ends_quotes_and_separators() {
    let read = read(
        "title,abstract\r\n\"A \"\"b\"\", c\",\"one\r\ntwo, \"\"three\"\"\n\nfour\"\r\nD,e\r\n\"F \"g\" h\",i\r\n",
    );
    assert_eq!(read.titles(), ["A \"b\", c", "D", "F \"g\" h"]);
    assert_eq!(read.papers()[0].abstract_text, "one\ntwo, \"three\"\n\nfour");
    assert_eq!(read.papers().iter().map(|paper| paper.place.line).collect::<Vec<_>>(), [2, 6, 7]);
}

#[test]
fn a_file_of_open_quotes_is_read_to_its_end() {
    let mut text = String::from("title,abstract\n");
    for number in 0..3_000 {
        text.push_str(&format!("Title {number},\" open\n"));
    }
    text.push_str("Last,fine\n");
    let read = read(text);
    assert_eq!(read.titles(), ["Last"]);
    assert_eq!(read.loaded.rejected.len(), 3_000);
}

#[test]
fn a_lone_quote_in_a_table_of_tabs_is_a_letter() {
    let read =
        read("title\tyear\n\"Quoted\" beginning\t1999\n\"Open beginning\t2000\nPlain\t2001\n\"Two\nlines\"\t2002\n");
    assert_eq!(read.format(), Format::Tsv);
    assert_eq!(read.titles(), ["\"Quoted\" beginning", "\"Open beginning", "Plain", "Two\nlines"]);
}

#[test]
fn o_027_a_mark_before_the_header_is_no_part_of_it() {
    let read = read("\u{feff}\"title\",\"year\"\r\n\"Fog horns\",\"1999\"\r\n");
    assert_eq!((read.titles(), read.papers()[0].year.as_str()), (vec!["Fog horns"], "1999"));
}

#[test]
fn o_028_a_field_of_two_megabytes() {
    let mut text = String::from("title,abstract,year\nLong one,\"");
    for _ in 0..25_316 {
        text.push_str(&"a".repeat(79));
        text.push('\n');
    }
    text.push_str("\",2001\nShort one,tiny,2002\n");
    let read = read(text);
    assert_eq!(read.titles(), ["Long one", "Short one"]);
    assert_eq!(read.papers()[0].abstract_text.matches('a').count(), 25_316 * 79);
    assert_eq!((read.papers()[0].year.as_str(), read.papers()[1].abstract_text.as_str()), ("2001", "tiny"));
}

#[test]
fn o_029_blank_lines_between_json_lines() {
    let read = read("{\"title\":\"a b\"}\n\n  \n{\"title\":\"c d\"}");
    assert_eq!((read.titles(), read.loaded.rejected.len()), (vec!["a b", "c d"], 0));
    assert_eq!(read.papers()[1].place.line, 4);
}

#[test]
fn o_030_a_mark_a_broken_line_and_half_a_surrogate_pair() {
    let read = read(
        "\u{feff}{\"id\":1,\"title\":\"first\"}\n{\"id\":2,\"title\":\"cut \\ud83d emoji\"}\n{\"id\":3,\"title\":\"unclosed\n{\"id\":4,\"title\":\"whole \\ud83d\\ude00\"}\n",
    );
    assert_eq!(read.titles(), ["first", "cut \u{fffd} emoji", "whole \u{1f600}"]);
    assert_eq!(read.papers().iter().map(|paper| paper.id.as_str()).collect::<Vec<_>>(), ["1", "2", "4"]);
    assert_eq!(read.rejected().iter().map(|(line, _)| *line).collect::<Vec<_>>(), [3]);
}

#[test]
fn o_031_formulas_are_guarded_in_tables_and_only_there() {
    let titles =
        ["=HYPERLINK(\"http://example.org\",\"click\")", "-2 degrees", "@risk groups", "'=x", "'quoted'", "a=b"];
    let papers: Vec<Paper> =
        titles.iter().map(|title| Paper { id: "x".into(), title: (*title).into(), ..Paper::default() }).collect();
    let loaded = Loaded { corpus: Corpus::new(papers), ..Loaded::default() };
    let csv = written("csv", &loaded);
    assert!(csv.contains("\"'=HYPERLINK") && csv.contains("'-2 degrees") && csv.contains("'@risk"), "{csv}");
    assert_eq!(read(csv).titles(), titles);
    assert!(written("jsonl", &loaded).contains("\"title\":\"-2 degrees\""));
}

#[test]
fn o_036_repeated_rows_and_ids_are_kept_and_warned_about() {
    let read = read(
        "cord_uid,title,abstract\nab12,Masks in lifts,We measured masks.\nab12,Masks in lifts,We measured masks.\nab12,Gloves in lifts,We measured gloves.\nzz11,Masks in trains,\n",
    );
    assert_eq!(read.titles(), ["Masks in lifts", "Masks in lifts", "Gloves in lifts", "Masks in trains"]);
    assert_eq!(read.papers().iter().map(|paper| paper.place.line).collect::<Vec<_>>(), [2, 3, 4, 5]);
    let [warning] = &read.warnings[..] else { panic!("{:?}", read.warnings) };
    assert!(warning.contains("not unique") && warning.contains("3 papers have \"ab12\""), "{warning}");
}

#[test]
fn o_049_few_columns_are_enough() {
    let read = read("title,year\nTin whistles,1999\ntin whistles.,1999\nBrass whistles,1999\n");
    assert_eq!(
        read.papers().iter().map(|paper| paper.id.as_str()).collect::<Vec<_>>(),
        ["record-1", "record-2", "record-3"]
    );
    assert!(read.loaded.layout.made_ids);
    assert_eq!(
        written("csv", &read.loaded),
        "title,year\nTin whistles,1999\ntin whistles.,1999\nBrass whistles,1999\n"
    );
}

#[test]
fn o_054_all_columns_come_back_in_their_order() {
    let text = "title,year,authors,my_note,label_included\nKite tails,2001,\"Ode, P.\",shelf 4,1\nKite tails,2001,\"Ode, P.\",,\nKite strings,2002,\"Lund, A.\",check,0\n";
    let read = read(text);
    assert_eq!(read.papers()[0].authors, ["Ode, P."]);
    assert_eq!(read.papers()[0].extra["my_note"], "shelf 4");
    assert_eq!(written("csv", &read.loaded), text);
}

#[test]
fn o_061_controls_leave_their_text_and_reach_no_output() {
    let read = read(
        "{\"id\":1,\"title\":\"O\\u0000ce hours of lock keepers\",\"abstract\":\"bell\\u0007 form\\u000c feed \\u001b[31mred\",\"note\":\"a\\u0000b\"}\n",
    );
    assert_eq!(read.titles(), ["O\u{fffd}ce hours of lock keepers"]);
    assert_eq!(read.papers()[0].abstract_text, "bell\u{fffd} form  feed \u{fffd}[31mred");
    for ending in ["csv", "jsonl", "tsv"] {
        let out = written(ending, &read.loaded);
        assert!(!out.contains(|c: char| c.is_control() && c != '\n' && c != '\t'), "{out:?}");
        assert!(!out.contains("\\u0000"), "{out:?}");
    }
}

#[test]
fn columns_are_found_by_synonym_by_mapping_and_by_preference() {
    let read_one = read(
        "Source title;Title;Authors;Publication Year;DOI;Author Keywords;Notes\nJ. Fog;Horns;Bee, A.|Cee, D.;1999;nan;x, y;kept\n",
    );
    let paper = &read_one.papers()[0];
    assert_eq!(read_one.format(), Format::Semicolon);
    assert_eq!((paper.venue.as_str(), paper.title.as_str(), paper.year.as_str()), ("J. Fog", "Horns", "1999"));
    assert_eq!((paper.doi.as_str(), paper.extra["Notes"].as_str()), ("", Some("kept")));
    assert_eq!(paper.keywords, ["x", "y"]);
    let options = ReadOptions { map: "title=c1,abstract=c2".parse().unwrap(), ..ReadOptions::default() };
    let mapped = read_with("t.csv", b"c1,c2,title\nA,B,C\n", &options).unwrap();
    assert_eq!((mapped.titles(), mapped.papers()[0].abstract_text.as_str()), (vec!["A"], "B"));
    assert_eq!(mapped.papers()[0].extra["title_2"], "C");
    let twice = read("title,title,abstract,summary\nA,B,C,D\n");
    assert_eq!(twice.papers()[0].title, "A");
    assert_eq!((&twice.papers()[0].extra["title_2"], &twice.papers()[0].extra["summary"]), (&"B".into(), &"D".into()));
}

#[test]
fn a_table_without_a_title_says_its_columns() {
    let error = read_with("t.csv", b"c1,c2\n1,2\n3,4\n", &ReadOptions::default()).err().unwrap().to_string();
    assert!(error.contains("t.csv") && error.contains("c1, c2") && error.contains("--map title="), "{error}");
}

#[test]
fn rows_with_the_wrong_number_of_values_are_rejected() {
    let read = read("title,year,venue\nA,1999,V\nB, or not,2000,V\nC,2001\n\n,,\nD,2002,V,,\n");
    assert_eq!(read.titles(), ["A", "D"]);
    let reasons = read.rejected();
    assert_eq!(
        reasons,
        [(3, "4 values where the header has 3 columns"), (4, "2 values where the header has 3 columns")]
    );
}

#[test]
fn json_members_fit_or_are_kept_under_extra() {
    let read = read(
        r#"{"id":7,"Title":"T","authors":[{"name":"A","org":"O"},{"name":"B"}],"year":1999.0,"keywords":"x; y","lang":"en","n":null,"score":1.5,"extra":{"own":[1]},"venue":{"raw":"V"}}
{"id":"8","title":"U","authors":"Bee, A. and Cee, D.","year":"1999a","abstract":null,"summary":"S","isbn":["1","2"]}
"#,
    );
    let [first, second] = read.papers() else { panic!() };
    assert_eq!((first.id.as_str(), first.title.as_str(), first.language.as_str()), ("7", "T", "en"));
    assert_eq!(
        (&first.authors[..], &first.keywords[..]),
        (&["A".to_owned(), "B".to_owned()][..], &["x".to_owned(), "y".to_owned()][..])
    );
    assert_eq!(first.extra["authors"][0]["org"], "O");
    assert_eq!((first.venue.as_str(), &first.extra["venue"]["raw"]), ("", &"V".into()));
    assert_eq!((&first.extra["own"][0], &first.extra["score"]), (&1.into(), &1.5.into()));
    assert_eq!((second.authors.len(), second.year.as_str(), second.abstract_text.as_str()), (2, "1999a", "S"));
    // What is written is read again as the same records.
    let out = written("jsonl", &read.loaded);
    let again = self::read(&out);
    let bare = |papers: &[Paper]| papers.iter().map(Paper::to_json).collect::<Vec<_>>();
    assert_eq!(bare(again.papers()), bare(read.papers()));
    assert_eq!(written("jsonl", &again.loaded), out);
}

#[test]
fn arrays_one_a_line_pretty_or_broken() {
    let lines = "[\n{\"id\":1,\"title\":\"a {\\\"}\"}\n,{\"id\":2,\"title\":\"b\n,{\"id\":3,\"title\":\"c\"}\n,{\"id\":4,\"title\":\"d\"\n,{\"id\":5,\"title\":\"e\"}\n]\n";
    let first = read(lines);
    assert_eq!((first.format(), first.titles()), (Format::Json, vec!["a {\"}", "c", "e"]));
    assert_eq!(first.rejected().iter().map(|(line, _)| *line).collect::<Vec<_>>(), [3, 5]);
    let pretty = "[\n  {\n    \"title\": \"a\",\n    \"authors\": [\n      {\n        \"name\": \"A\"\n      }\n    ]\n  },\n  {\n    \"title\": \"cut\n  },\n  {\n    \"title\": \"b\"\n  }\n]";
    let second = read(pretty);
    assert_eq!((second.titles(), second.papers()[0].authors.len()), (vec!["a", "b"], 1));
    assert_eq!(second.rejected().len(), 1);
    let third = read("[{\"title\":\"a\"},{\"title\":\"b\"},{\"title\":\"c");
    assert_eq!((third.titles(), third.rejected()), (vec!["a", "b"], vec![(1, "the text ends inside this object")]));
    assert_eq!(read("[]").loaded.seen(), 0);
}

#[test]
fn records_in_a_wrapping_object_are_unwrapped() {
    let wrapped =
        "{\"status\":\"ok\",\"totalResults\":2,\"articles\":[{\"title\":\"a\",\"content\":\"x\"},{\"title\":\"b\"}]}";
    for text in [wrapped.to_owned(), wrapped.replace(",", ",\n  "), format!("{wrapped}\n{wrapped}\n")] {
        let read = read(&text);
        assert_eq!(&read.titles()[..2], ["a", "b"], "{text}");
        assert_eq!(read.loaded.seen() as usize, text.matches("\"a\"").count() * 2);
    }
    let own = read("{\"title\":\"T\",\"references\":[{\"title\":\"R\"}]}\n{\"id\":\"1\",\"tags\":[{\"n\":1}]}\n");
    assert_eq!(own.titles(), ["T", ""]);
    let strays = read("{\"total\":3,\"items\":[5,{\"title\":\"a\"},\"x\"]}");
    let reasons: Vec<&str> = strays.rejected().into_iter().map(|(_, reason)| reason).collect();
    assert_eq!(strays.titles(), ["a"]);
    assert_eq!(reasons, ["element 1 of \"items\" is no object", "element 3 of \"items\" is no object"]);
}

#[test]
fn quotes_after_backslashes_are_part_of_their_value() {
    let read = read("title,abstract\nA,\"one \\\"two\\\" and\nthree \\\"four\\\".\"\nB,x\n");
    assert_eq!(
        (read.titles(), read.papers()[0].abstract_text.as_str()),
        (vec!["A", "B"], "one \\\"two\\\" and\nthree \\\"four\\\".")
    );
}

#[test]
fn the_citation_network_in_all_its_forms() {
    let v12 = "[\n{\"id\":1091,\"title\":\"T one\",\"authors\":[{\"name\":\"A B\",\"org\":\"O\",\"id\":5}],\"year\":2013,\"n_citation\":1,\"page_start\":\"89\",\"page_end\":\"93\",\"doc_type\":\"Conference\",\"issue\":\"2\",\"doi\":\"10.1/x\",\"references\":[1,2],\"indexed_abstract\":{\"IndexLength\":9,\"InvertedIndex\":{\"tool\":[3],\"The\":[0],\"Webu0027s\":[2,5]}},\"fos\":[{\"name\":\"Graph\",\"w\":0.5}],\"venue\":{\"raw\":\"V\",\"id\":3,\"type\":\"J\"}}\n,{\"id\":1388,\"title\":\"T two\",\"authors\":[],\"year\":2000,\"n_citation\":0,\"venue\":{\"raw\":\"W\"}}\n]\n";
    let read_12 = read(v12);
    assert_eq!(read_12.format(), Format::Aminer);
    let paper = &read_12.papers()[0];
    assert_eq!((paper.id.as_str(), paper.abstract_text.as_str()), ("1091", "The Web's tool Web's"));
    assert_eq!(
        (paper.venue.as_str(), paper.pages.as_str(), paper.number.as_str(), paper.kind.as_str()),
        ("V", "89-93", "2", "Conference")
    );
    assert_eq!((&paper.keywords[..], &paper.authors[..]), (&["Graph".to_owned()][..], &["A B".to_owned()][..]));
    assert_eq!((&paper.extra["venue"]["type"], &paper.extra["references"][1]), (&"J".into(), &2.into()));
    let v13 = "[{\n  \"_id\" : \"53e99784\",\n  \"title\" : \"T\",\n  \"authors\" : [\n    {\n      \"_id\" : \"a\",\n      \"name\" : \"A B\"\n    }\n  ],\n  \"venue\" : {\n    \"_id\" : \"v\",\n    \"raw\" : \"V\"\n  },\n  \"year\" : NumberInt(2007),\n  \"keywords\" : [ \"k\" ],\n  \"n_citation\" : NumberInt(0),\n  \"lang\" : \"en\",\n  \"url\" : [ \"http://a\", \"http://b\" ],\n  \"abstract\" : \"Text with NumberInt(3) in it.\"\n},\n{\n  \"_id\" : \"53e99785\",\n  \"title\" : \"cut off\n";
    let read_13 = read(v13);
    let paper = &read_13.papers()[0];
    assert_eq!((paper.id.as_str(), paper.year.as_str(), paper.language.as_str()), ("53e99784", "2007", "en"));
    assert_eq!(
        (paper.abstract_text.as_str(), paper.url.as_str()),
        ("Text with NumberInt(3) in it.", "http://a; http://b")
    );
    assert_eq!((read_13.titles().len(), read_13.rejected().len()), (1, 1));
    let v10 = "{\"abstract\":\"Plain.\",\"authors\":[\"A B\"],\"n_citation\":50,\"references\":[\"x\"],\"title\":\"T\",\"venue\":\"V\",\"year\":2008,\"id\":\"4ab3735c\"}\n{\"broken\n{\"authors\":[\"C\"],\"n_citation\":1,\"title\":\"U\",\"venue\":\"\",\"year\":2009,\"id\":\"5\"}\n";
    let read_10 = read(v10);
    assert_eq!((read_10.format(), read_10.titles()), (Format::Aminer, vec!["T", "U"]));
    assert_eq!((read_10.papers()[0].abstract_text.as_str(), read_10.rejected().len()), ("Plain.", 1));
    let text = "2\n#*First title\n#@A. Bee,C. Dee\n#t1999\n#cVLDB\n#index0\n#%12\n#%13\n#!An abstract\nthat wraps.\n\n#*Second\n#@\n#year2000\n#confKDD\n#citation7\n#index1\n#*Third\n#index2\n";
    let read_text = read(text);
    assert_eq!((read_text.format(), read_text.titles()), (Format::AminerText, vec!["First title", "Second", "Third"]));
    let paper = &read_text.papers()[0];
    assert_eq!(
        (paper.abstract_text.as_str(), paper.authors.len(), paper.place.line),
        ("An abstract that wraps.", 2, 2)
    );
    assert_eq!(paper.extra["references"], serde_json::json!(["12", "13"]));
    assert_eq!((read_text.papers()[1].venue.as_str(), read_text.papers()[1].year.as_str()), ("KDD", "2000"));
}

#[test]
fn cord_19_with_either_header() {
    let old = "cord_uid,sha,source_x,title,doi,pmcid,pubmed_id,license,abstract,publish_time,authors,journal,Microsoft Academic Paper ID,WHO #Covidence,has_pdf_parse,has_pmc_xml_parse,full_text_file,url\nab12,ff,PMC,T,10.1/x,,,cc,A,2020-05-01,\"Bee, A.; Cee, D.\",J,,,True,False,x,http://u\n";
    let new = "cord_uid,sha,source_x,title,doi,pmcid,pubmed_id,license,abstract,publish_time,authors,journal,mag_id,who_covidence_id,arxiv_id,pdf_json_files,pmc_json_files,url,s2_id\nab12,ff,PMC; WHO,T,10.1/x,,,cc,A,2020,\"Bee, A.; Cee, D.\",J,,,,x,,http://u,5\n";
    for (text, published, source) in [(old, "2020-05-01", "PMC"), (new, "2020", "PMC; WHO")] {
        let read = read(text);
        let paper = &read.papers()[0];
        assert_eq!(read.format(), Format::Cord19);
        assert_eq!((paper.id.as_str(), paper.year.as_str(), paper.published.as_str()), ("ab12", "2020", published));
        assert_eq!(
            (&paper.authors[..], paper.venue.as_str()),
            (&["Bee, A.".to_owned(), "Cee, D.".to_owned()][..], "J")
        );
        assert_eq!((paper.source.as_str(), &paper.extra["sha"]), (source, &"ff".into()));
    }
}

#[test]
fn citeulike_with_its_tags_by_item_and_by_tag() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    // ISO-8859-1, as the original.
    let raw = b"\"doc.id\",\"title\",\"citeulike.id\",\"raw.title\",\"raw.abstract\"\n\"1\",\"naive model\",\"42\",\"Na\xefve {Model}\",\"It \\emph{is}.\"\n\"2\",\"broken\"\n\"3\",\"third\",\"44\",\"Third\",\"\"\n";
    std::fs::write(at("raw-data.csv"), raw).unwrap();
    std::fs::write(at("tags.dat"), "graphs\nwords\n\n").unwrap();
    std::fs::write(at("item-tag.dat"), "2 1 0\n0\n1 1\n").unwrap();
    let run = Run::default();
    let load_it = || load(&[at("raw-data.csv")], &ReadOptions::default(), &run).unwrap();
    let check = |loaded: &Loaded| {
        assert_eq!((loaded.files[0].format, loaded.rejected.len()), (Format::Citeulike, 1));
        let [first, third] = loaded.corpus.papers() else { panic!() };
        assert_eq!(
            (first.id.as_str(), first.title.as_str(), first.abstract_text.as_str()),
            ("1", "Naïve {Model}", "It \\emph{is}.")
        );
        assert_eq!(third.keywords, ["words"]);
        assert_eq!(first.extra["citeulike.id"], "42");
    };
    let by_item = load_it();
    check(&by_item);
    assert_eq!(by_item.corpus.papers()[0].keywords, ["words", "graphs"]);
    std::fs::remove_file(at("item-tag.dat")).unwrap();
    std::fs::write(at("tag-item.dat"), "1 0\n2 0 2\n0\n").unwrap();
    let by_tag = load_it();
    check(&by_tag);
    assert_eq!(by_tag.corpus.papers()[0].keywords, ["graphs", "words"]);
}

#[test]
fn packing_is_found_from_the_bytes() {
    let text = b"{\"title\":\"a\"}\n{\"title\":\"b\"}\n";
    let gz = |bytes: &[u8]| {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    };
    let mut two_members = gz(&text[..14]);
    two_members.extend(gz(&text[14..]));
    let zst = zstd::encode_all(&text[..], 1).unwrap();
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in
        [("x/one.jsonl", gz(text)), ("__MACOSX/._one", vec![0, 1]), ("two.csv", b"title\nc\n".to_vec())]
    {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(&bytes).unwrap();
    }
    let archive = archive.finish().unwrap().into_inner();
    for bytes in [two_members.clone(), zst, gz(&gz(text))] {
        assert_eq!(read(bytes).titles(), ["a", "b"]);
    }
    let zipped = read_with("all.zip", &archive, &ReadOptions::default()).unwrap();
    assert_eq!(zipped.titles(), ["a", "b", "c"]);
    assert_eq!(&*zipped.papers()[2].place.file, "all.zip:two.csv");
    // A file cut short keeps what came before, and says so.
    let mut many = String::new();
    for number in 0..20_000 {
        many.push_str(&format!("{{\"title\":\"number {number}\"}}\n"));
    }
    let whole = gz(many.as_bytes());
    let cut = read(&whole[..whole.len() / 2]);
    assert!(cut.papers().len() > 5_000 && cut.loaded.rejected.len() == 1);
    assert!(cut.rejected()[0].1.contains("cannot be read any further"), "{:?}", cut.rejected());
}

#[test]
fn encodings_are_found_from_the_bytes() {
    let text = "title,year\nNaïve Bäume — größer,1999\n";
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut marked = vec![0xff, 0xfe];
    marked.extend(&utf16);
    assert_eq!(read(&marked).titles(), ["Naïve Bäume — größer"]);
    assert_eq!(read(&utf16).titles(), ["Naïve Bäume — größer"]);
    let (latin, _, _) = encoding_rs::WINDOWS_1252.encode(text);
    let old = read(&latin);
    assert_eq!(old.titles(), ["Naïve Bäume — größer"]);
    assert!(old.warnings[0].contains("windows-1252"), "{:?}", old.warnings);
    // One bad byte among good letters does not change the encoding of the others, and a bad byte late in a long file
    // does not change what was read before.
    let mut mixed = text.as_bytes().to_vec();
    mixed.extend(b"bad \xff byte \xc3\xa9,2000\n");
    let read_mixed = read(&mixed);
    assert_eq!(read_mixed.titles(), ["Naïve Bäume — größer", "bad \u{fffd} byte é"]);
    assert!(read_mixed.warnings[0].contains("1 places"), "{:?}", read_mixed.warnings);
    let mut late = String::from("title,year\n").into_bytes();
    for _ in 0..20_000 {
        late.extend(b"plain,1999\n");
    }
    late.extend(b"Na\xefve,2000\n");
    assert_eq!(read(&late).titles().last(), Some(&"Naïve"));
    let old_mac = read(b"title,year\rA,1999\rB,2000\r");
    assert_eq!(old_mac.titles(), ["A", "B"]);
}

#[test]
fn what_is_no_file_of_records_is_named() {
    let fails = |bytes: &[u8]| read_with("f", bytes, &ReadOptions::default()).err().unwrap().to_string();
    assert!(fails(b"%PDF-1.4 ...").contains("is a PDF"));
    assert!(fails(b"\xfd7zXZ\0....").contains("xz -d"));
    assert!(fails(&[1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0]).contains("is no text"));
    let prose = fails(b"Dear reader\nthis is a letter\n");
    assert!(prose.contains("f: no known format") && prose.contains("Dear reader"), "{prose}");
    assert_eq!(read(b" \n").warnings, ["input: has no records"]);
    let error = load(&["/nonexistent/x.csv".into()], &ReadOptions::default(), &Run::default()).unwrap_err();
    assert!(error.to_string().contains("/nonexistent/x.csv"), "{error}");
}

#[test]
fn several_sources_are_laid_over_their_common_fields() {
    let sources = || {
        let open = |name: &str, text: &'static str| {
            open_reader(name, Cursor::new(text), &ReadOptions::default(), &Run::default()).unwrap()
        };
        let mut all = open("a.csv", "title,year,doi\nA,1999,10.1/a\n");
        all.extend(open("b.jsonl", "{\"title\":\"B\",\"year\":2000,\"abstract\":\"text\"}\n"));
        all
    };
    let load_over = |fields| {
        let options = ReadOptions { fields, ..ReadOptions::default() };
        load_opened(sources(), &options, &Run::default()).unwrap()
    };
    let all = load_over(Fields::All);
    assert_eq!(all.common, [names::Column::Title, names::Column::Year]);
    assert_eq!(all.uncommon, [names::Column::Abstract, names::Column::Doi]);
    assert_eq!(all.corpus.papers()[0].doi, "10.1/a");
    let common = load_over(Fields::Common);
    let [a, b] = common.corpus.papers() else { panic!() };
    assert_eq!((a.doi.as_str(), &a.extra["doi"], b.abstract_text.as_str()), ("", &"10.1/a".into(), ""));
    assert_eq!((b.year.as_str(), &b.extra["abstract"]), ("2000", &"text".into()));
    let named = load_over("title".parse().unwrap());
    assert_eq!((named.corpus.papers()[1].year.as_str(), &named.corpus.papers()[1].extra["year"]), ("", &"2000".into()));
    assert_eq!(named.corpus.papers()[1].id, "record-2");
    assert_eq!(written("csv", &common), "title,year,doi,abstract\nA,1999,10.1/a,\nB,2000,,text\n");
}

#[test]
fn names_in_one_string_are_told_apart() {
    use names::{split_authors, split_keywords};
    let cases: [(&str, &[&str]); 9] = [
        ("Bee, A.; Cee, D.", &["Bee, A.", "Cee, D."]),
        ("Bee, A. and Cee, D.", &["Bee, A.", "Cee, D."]),
        ("Ode, P.", &["Ode, P."]),
        ("De Vries, Jan Piet", &["De Vries, Jan Piet"]),
        ("A. Bee, C. D. Eff, G. Aitch", &["A. Bee", "C. D. Eff", "G. Aitch"]),
        (
            "p. auer, n. bianchi, y. freund, and r. e. schapire,",
            &["p. auer", "n. bianchi", "y. freund", "r. e. schapire"],
        ),
        ("J. Bee,; C. Dee", &["J. Bee,", "C. Dee"]),
        ("A. Bee, E. L. Cee", &["A. Bee", "E. L. Cee"]),
        (" ; ", &[]),
    ];
    for (text, names) in cases {
        assert_eq!(split_authors(text), names, "{text}");
    }
    assert_eq!(split_keywords("a; b, c"), ["a", "b, c"]);
    assert_eq!(split_keywords("a, b ,c"), ["a", "b", "c"]);
}

#[test]
fn what_almost_is_json_is_mended() {
    let read = read("{\"title\":\"tab\there\",\"year\":NaN,\"x\":-Infinity}\n{\"title\":\"NaN, Infinity\"}\n");
    assert_eq!(read.titles(), ["tab\there", "NaN, Infinity"]);
    assert!(read.papers()[0].lacks(names::Column::Year) && read.papers()[0].extra["x"].is_null());
}

mod laws {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn tables_give_back_what_was_written(cells in prop::collection::vec(("[ -~é\n\"',;='@]{1,12}", "[ -~\n\"',=+-]{0,12}"), 1..8)) {
            let papers: Vec<Paper> = cells
                .iter()
                .map(|(title, note)| Paper {
                    id: "x".into(),
                    title: format!("t{title}t"),
                    extra: [("note".to_owned(), note.as_str().into())].into_iter().collect(),
                    ..Paper::default()
                })
                .collect();
            let loaded = Loaded { corpus: Corpus::new(papers.clone()), ..Loaded::default() };
            for (ending, format) in [("csv", Format::Csv), ("tsv", Format::Tsv)] {
                let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
                let again = read_with("f", written(ending, &loaded).as_bytes(), &options).unwrap();
                prop_assert_eq!(again.loaded.rejected.len(), 0);
                prop_assert_eq!(again.papers().len(), papers.len());
                for (paper, original) in again.papers().iter().zip(&papers) {
                    prop_assert_eq!(&paper.title, &original.title);
                    let note = paper.extra.get("note").cloned().unwrap_or_else(|| "".into());
                    prop_assert_eq!(&note, &original.extra["note"]);
                }
            }
        }

        #[test]
        fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), start in 0usize..8) {
            let heads: [&[u8]; 8] = [b"", b"title,x\n", b"{\"title\":\"", b"[{\"title\":", b"#*a\n#index1\n", b"title\ty\n\"", b"\x1f\x8b\x08", b"PK\x03\x04"];
            let mut all = heads[start].to_vec();
            all.extend(&bytes);
            if let Ok(read) = read_with("f", &all, &ReadOptions::default()) {
                prop_assert_eq!(read.loaded.seen(), (read.papers().len() + read.loaded.rejected.len()) as u64);
            }
        }

        #[test]
        fn broken_lines_cost_only_themselves(broken in prop::collection::btree_set(0usize..20, 0..6)) {
            let text: String = (0..20)
                .map(|n| if broken.contains(&n) { format!("{{\"title\":\"t{n}\n") } else { format!("{{\"title\":\"t{n}\"}}\n") })
                .collect();
            prop_assume!(broken.len() < 20);
            let read = read_with("f", text.as_bytes(), &ReadOptions { format: Some(Format::Jsonl), ..ReadOptions::default() }).unwrap();
            prop_assert_eq!(read.papers().len(), 20 - broken.len());
            prop_assert_eq!(read.loaded.rejected.len(), broken.len());
        }
    }
}

#[test]
fn elements_of_an_array_that_are_no_objects_are_rejected_one_by_one() {
    let text = r#"[{"id":"1","title":"A"},null,"a lost, lost paper",7,{"id":"2","title":"B"}, true]"#;
    let opened = super::open_reader("n.json", text.as_bytes(), &Default::default(), &Default::default()).unwrap();
    let (kept, rejected): (Vec<_>, Vec<_>) = opened.into_iter().flatten().partition(Result::is_ok);
    assert_eq!((kept.len(), rejected.len()), (2, 4));
}
