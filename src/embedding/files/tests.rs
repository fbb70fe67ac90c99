//! The readers and writers against each other, against finalfusion's, and against broken files.

use std::io::Cursor;

use ::finalfusion::compat::text::ReadTextDims;
use ::finalfusion::compat::word2vec::{ReadWord2Vec, WriteWord2Vec};
use ::finalfusion::embeddings::Embeddings;
use ::finalfusion::storage::NdArray;
use ::finalfusion::vocab::SimpleVocab;

use super::*;

fn embedding(words: &[&str], numbers: &[f32]) -> Embedding {
    let words: Vec<String> = words.iter().map(|w| w.to_string()).collect();
    let shape = (words.len(), numbers.len() / words.len());
    Embedding::new(words, Matrix::from_shape_vec(shape, numbers.to_vec()).unwrap())
}

fn sample() -> Embedding {
    embedding(
        &["tram", "\u{a0}", "\u{3000}", "näher", "(x)"],
        &[3.0, -4.0, 0.1, 0.0, 0.0, 0.0, 1e-8, 2e-8, -1e-8, 7.25, 1e6, -3.5, 0.3, 0.2, 0.1],
    )
}

/// A file of these bytes.
fn saved(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn loaded(bytes: &[u8]) -> Result<Loaded, String> {
    let (_folder, path) = saved(bytes);
    read(&path, &ReadOptions::default()).map_err(|e| e.to_string().replace(path.to_str().unwrap(), "FILE"))
}

fn failure(bytes: &[u8]) -> String {
    loaded(bytes).unwrap_err()
}

fn written(embedding: &Embedding, extension: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("m.{extension}"));
    write(&path, embedding, None).unwrap();
    std::fs::read(&path).unwrap()
}

#[test]
fn every_format_reads_back_what_it_wrote() {
    let sample = sample();
    for (extension, format) in [
        ("fifu", FileFormat::Fifu),
        ("bin", FileFormat::Word2VecBinary),
        ("txt", FileFormat::Text),
        ("vec", FileFormat::Text),
        ("glove", FileFormat::Glove),
    ] {
        let back = loaded(&written(&sample, extension)).unwrap();
        assert_eq!(back.format, format);
        assert_eq!(back.embedding.words(), sample.words(), "{extension}");
        assert!(back.warnings().is_empty(), "{:?}", back.warnings());
        for (a, b) in back.embedding.vectors().iter().zip(sample.vectors()) {
            let error = if format == FileFormat::Fifu { 2e-7 * b.abs() } else { 0.0 };
            assert!((a - b).abs() <= error, "{extension}: {a} {b}");
        }
    }
    assert!(matches!(write("m.model", &sample, None), Err(EmbeddingError::Extension { .. })));
}

#[test]
fn finalfusion_agrees_on_the_files() {
    let sample = embedding(&["tram", "bus", "ferry"], &[3.0, -4.0, 0.5, 1.0, 2.0, 2.0]);
    let bytes = written(&sample, "bin");
    let theirs: Embeddings<SimpleVocab, NdArray> = Embeddings::read_word2vec_binary(&mut Cursor::new(&bytes)).unwrap();
    let text = written(&sample, "txt");
    let theirs_text: Embeddings<SimpleVocab, NdArray> = Embeddings::read_text_dims(&mut Cursor::new(&text)).unwrap();
    for theirs in [&theirs, &theirs_text] {
        for (word, row) in sample.words().iter().zip(sample.vectors().rows()) {
            let got = theirs.embedding_with_norm(word).unwrap().into_unnormalized();
            assert!(got.iter().zip(row).all(|(a, b)| (a - b).abs() < 1e-5), "{word}: {got} {row}");
        }
    }
    let mut again = Vec::new();
    theirs.write_word2vec_binary(&mut again, true).unwrap();
    let back = loaded(&again).unwrap().embedding;
    assert_eq!(back.words(), sample.words());
    assert!(back.vectors().iter().zip(sample.vectors()).all(|(a, b)| (a - b).abs() < 1e-6));
}

#[test]
fn provenance_comes_back_from_inside_fifu_and_from_beside_the_others() {
    let tokens = crate::text::Tokens::from_texts(vec![["fog", "horn", "fog", "lamp"]; 9]);
    let params =
        crate::embedding::Word2VecParams { dims: 4, min_count: 1, max_vocabulary: Some(3), ..Default::default() };
    let run = crate::progress::Run::silent(crate::seed::Seed(9));
    let trained = crate::embedding::train(&tokens, &params.check().unwrap(), &run).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for extension in ["fifu", "bin", "txt", "glove"] {
        let path = folder.path().join(format!("m.{extension}"));
        write(&path, &trained.embedding, Some(&trained.provenance)).unwrap();
        let back = read(&path, &ReadOptions::default()).unwrap();
        assert_eq!(back.provenance.as_ref(), Some(&trained.provenance), "{extension}");
        assert_eq!(folder.path().join(format!("m.{extension}.json")).exists(), extension != "fifu");
    }
    let about = trained.provenance;
    assert_eq!((about.seed.0, about.reproducible, about.threads.as_str()), (9, true, "any"));
    assert_eq!((about.corpus.texts, about.corpus.words, about.corpus.distinct), (9, 36, 3));
}

#[test]
fn o_070_a_blank_inside_a_word() {
    let back = loaded(b"3 2\nnorth 1 0\nsea wall 0 1\nsouth 1 1\n").unwrap().embedding;
    assert_eq!(back.words(), ["north", "sea wall", "south"]);
    assert_eq!(back.vector("sea wall"), Some(&[0.0, 1.0][..]));
    let bytes = written(&back, "txt");
    assert_eq!(loaded(&bytes).unwrap().embedding.words(), back.words());
    assert_eq!(loaded(&written(&back, "fifu")).unwrap().embedding.words(), back.words());
    let folder = tempfile::tempdir().unwrap();
    let error = write(folder.path().join("m.bin"), &back, None).unwrap_err().to_string();
    assert!(error.contains("\"sea wall\" cannot be written in this format"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn o_071_no_break_space_and_ideographic_blank_are_words() {
    let back =
        loaded("4 3\n\u{a0} 1 0 0\ntram 0 1 0\n\u{3000} 0 0 1\nab\u{a0}cd 1 1 0\n".as_bytes()).unwrap().embedding;
    assert_eq!(back.words(), ["\u{a0}", "tram", "\u{3000}", "ab\u{a0}cd"]);
    assert_eq!(back.vector("tram"), Some(&[0.0, 1.0, 0.0][..]));
}

#[test]
fn o_072_a_word_that_comes_again_keeps_its_first_vector() {
    let back = loaded(b"4 2\ntram 1 0\ntram 0 1\nbus 1 1\nTram 2 2\n").unwrap();
    assert_eq!(back.embedding.words(), ["tram", "bus", "Tram"]);
    assert_eq!(back.embedding.vector("tram"), Some(&[1.0, 0.0][..]));
    assert_eq!(back.warnings(), ["1 of 4 vectors dropped: their words have come before (the first vector is kept)"]);
    let blank = loaded(b"2 2\n 1 0\nbus 1 1\n").unwrap();
    assert_eq!((blank.embedding.words().len(), blank.empty), (1, 1));
}

#[test]
fn o_073_bytes_that_are_not_utf8() {
    let bytes = b"3 2\ncaf\xe9 1 0\ntram 0 1\ncaf 1 1\n";
    let error = failure(bytes);
    assert!(error.contains("line 2: the word \"caf\u{fffd}\" is not UTF-8 (byte 0xe9 at its place 3)"), "{error}");
    let (_folder, path) = saved(bytes);
    let back = read(&path, &ReadOptions { lossy: true }).unwrap();
    assert_eq!(back.embedding.words(), ["caf\u{fffd}", "tram", "caf"]);
    assert_eq!(back.embedding.vector("caf"), Some(&[1.0, 1.0][..]));
    assert_eq!(back.replaced, 1);
}

#[test]
fn o_074_files_of_other_kinds_are_named() {
    for (bytes, what) in [
        (&b"<!DOCTYPE html>\n<html>404</html>\n"[..], "an HTML page"),
        (b"", "an empty file"),
        (b"\x80\x02cgensim", "a Python pickle"),
        (b"PK\x03\x04....", "a zip archive"),
        (b"\x93NUMPY\x01\0", "a numpy array"),
        (b"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer"),
        (b"{\"model\": 1}", "JSON"),
        (b" \n\n", "a file of blanks"),
        (b"\x01\0\0\0\x05", "binary data of no known kind"),
        (b"only words here\n", "a text whose first line is neither"),
    ] {
        let error = failure(bytes);
        assert!(error.contains(&format!("this is {what}")), "{error}");
    }
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(b"tram 1 0\n").unwrap();
    let back = loaded(&gzip.finish().unwrap()).unwrap();
    assert_eq!((back.embedding.words()[0].as_str(), back.embedding.dims()), ("tram", 2));
}

#[test]
fn o_075_rows_that_are_no_numbers_are_dropped_and_counted() {
    let back = loaded(b"4 2\ntram nan nan\nbus 1 0\nferry inf 0\nlamp 1 -nan(ind)\n").unwrap();
    assert_eq!(back.embedding.words(), ["bus"]);
    assert_eq!(back.warnings(), ["3 of 4 vectors dropped: they hold a NaN or an infinity"]);
    assert!(failure(b"1 2\ntram nan 1\n").contains("no usable vector among 1 rows"));
    let mut bytes = b"2 1\na ".to_vec();
    bytes.extend(f32::NAN.to_le_bytes());
    bytes.extend(b"\nb ");
    bytes.extend(2f32.to_le_bytes());
    let back = loaded(&bytes).unwrap();
    assert_eq!((back.embedding.words()[0].as_str(), back.not_finite), ("b", 1));
}

#[test]
fn files_cut_short_and_headers_that_lie_are_told() {
    assert_eq!(failure(b"3 2\na 1 2\nb 3 4\n"), "FILE: the header announces 3 vectors, the file holds 2");
    assert_eq!(failure(b"2 2\na 1 2\nb 3\n"), "FILE: line 3: 1 numbers after the word, wanted 2 (the header says so)");
    assert_eq!(
        failure(b"a 1 2 3\nb 4\n"),
        "FILE: line 2: 1 numbers after the word, wanted 3 (the first line has so many)"
    );
    assert_eq!(failure(b"a 1 2\nb 3 4 5\n"), "FILE: line 2: 3 numbers, wanted 2 (the first line has so many)");
    assert_eq!(failure(b"1 2\na 1 x\n"), "FILE: line 2: \"x\" is no number");
    let whole = written(&sample(), "bin");
    assert!(failure(&whole[..whole.len() - 5]).contains("cut short"), "{}", failure(&whole[..whole.len() - 5]));
    let mut lie = b"99999999999 300\n".to_vec();
    lie.extend(&whole[4..]);
    assert!(failure(&lie).contains("announces 99999999999 vectors of 300 numbers"), "{}", failure(&lie));
    assert!(failure(&[whole.as_slice(), b"more"].concat()).contains("more bytes follow"));
    let back = loaded(b"2 2\r\na 1 2\r\nb 3 4\r\n").unwrap();
    assert_eq!(back.embedding.vector("b"), Some(&[3.0, 4.0][..]));
}

#[test]
fn no_cut_of_a_file_panics_or_passes_for_whole() {
    for extension in ["fifu", "bin", "txt"] {
        let whole = written(&sample(), extension);
        for length in 0..whole.len() - 1 {
            if let Ok(back) = loaded(&whole[..length]) {
                // A text cut within its last number is still a text.
                assert!(extension == "txt" && back.rows == 5, "{extension} cut at {length}");
            }
        }
    }
}

#[test]
fn no_flipped_byte_of_a_fifu_file_panics() {
    let whole = written(&sample(), "fifu");
    let mut errors = 0;
    for at in 0..whole.len() {
        for flip in [0xff, 0x01, 0x80] {
            let mut bytes = whole.clone();
            bytes[at] ^= flip;
            errors += u32::from(loaded(&bytes).is_err());
        }
    }
    assert!(errors > 60, "{errors}");
}

#[test]
fn fasttext_files_are_read_with_their_subwords_and_checked_first() {
    use ::finalfusion::compat::fasttext::FastTextIndexer;
    use ::finalfusion::compat::fasttext::WriteFastText;
    use ::finalfusion::subword::BucketIndexer;
    use ::finalfusion::vocab::{FastTextSubwordVocab, SubwordVocab};
    let words = vec!["tram".to_owned(), "trams".to_owned()];
    let vocab: FastTextSubwordVocab = SubwordVocab::new(words, 3, 4, FastTextIndexer::new(5));
    let numbers: Vec<f32> = (0..14).map(|x| x as f32 / 3.0 + 1.0).collect();
    let mut rows = ndarray015::Array2::from_shape_vec((7, 2), numbers).unwrap();
    let mut norms = Vec::new();
    for mut row in rows.rows_mut() {
        let norm = row.dot(&row).sqrt();
        row /= norm;
        norms.push(norm);
    }
    let norms = ::finalfusion::norms::NdNorms::new(ndarray015::Array1::from(norms[..2].to_vec()));
    let theirs = Embeddings::new(None, vocab, NdArray::new(rows), norms);
    let mut bytes = Vec::new();
    theirs.write_fasttext(&mut bytes).unwrap();
    let back = loaded(&bytes).unwrap();
    assert_eq!((back.format, back.embedding.words().len()), (FileFormat::FastText, 2));
    for word in ["tram", "trams"] {
        let want = theirs.embedding_with_norm(word).unwrap().into_unnormalized();
        let got = back.embedding.vector(word).unwrap();
        assert!(got.iter().zip(want.iter()).all(|(a, b)| (a - b).abs() < 1e-4), "{word}: {got:?} {want}");
    }
    for length in 0..bytes.len() {
        assert!(loaded(&bytes[..length]).is_err(), "cut at {length}");
    }
}
