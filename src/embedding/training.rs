//! Word2vec training from a text to an [`Embedding`].

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::checkpoint::{self, Checkpoint, Head};
use super::hogwild;
use super::kernels::Instructions;
use super::rows::Rows;
use super::schedule::{Plan, row_parts};
use super::vocabulary::Vocabulary;
use super::windows::{self, Targets, Text};
use super::{Embedding, EmbeddingError, Loss, Word2Vec, Word2VecParams};
use crate::corpus::PaperId;
use crate::matrix::Matrix;
use crate::progress::Run;
use crate::seed::Seed;
use crate::text::Tokens;

/// A vector with a larger number than this has run away: its square is about to overflow.
const RUNAWAY: f32 = 1e15;

/// With groups a shard computes no fewer windows a block than this, unless the block has fewer: neighbours share their
/// work.
const PIECE: usize = 16;

/// Windows that a thread of Hogwild computes before it changes the rows, at most.
const HOGWILD_BLOCK: usize = 32;

/// What a model says of itself: all that is needed to train it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Provenance {
    /// The program.
    pub tool: String,
    /// Its version.
    pub version: String,
    /// The seed of all random choices.
    pub seed: Seed,
    /// Whether the same text, parameters and seed give the same bytes again.
    pub reproducible: bool,
    /// `any` where the result does not depend on it, else how many there were.
    pub threads: String,
    /// Words that have a vector.
    pub vocabulary: usize,
    /// Words of the text gone through, over all epochs.
    pub words: u64,
    /// Those of them that subsampling kept and that have a vector: each was trained on.
    pub words_trained: u64,
    /// Mean loss of a window in the last epoch, estimated on a fixed sample of them; 0 if there was no epoch.
    pub loss: f64,
    /// The text.
    pub corpus: CorpusFingerprint,
    /// The fingerprints of the texts that the model was trained on before, the first one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// The parameters.
    pub parameters: Word2VecParams,
}

/// Tells whether two texts are the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CorpusFingerprint {
    /// XXH3, 128 bits, of the words, their order and the bounds of the texts.
    pub xxh3: String,
    /// Texts.
    pub texts: u64,
    /// Words, all together.
    pub words: u64,
    /// Different words.
    pub distinct: u64,
}

impl CorpusFingerprint {
    /// The fingerprint of tokens.
    pub fn of(tokens: &Tokens) -> CorpusFingerprint {
        let mut hash = xxhash_rust::xxh3::Xxh3::new();
        for word in tokens.words() {
            hash.update(&(word.len() as u64).to_le_bytes());
            hash.update(word.as_bytes());
        }
        let mut bytes = Vec::new();
        for paper in 0..tokens.papers() as u32 {
            let ids = tokens.of(PaperId(paper));
            bytes.clear();
            bytes.extend((ids.len() as u64).to_le_bytes());
            bytes.extend(ids.iter().flat_map(|id| id.to_le_bytes()));
            hash.update(&bytes);
        }
        CorpusFingerprint {
            xxh3: format!("{:032x}", hash.digest128()),
            texts: tokens.papers() as u64,
            words: tokens.total() as u64,
            distinct: tokens.words().len() as u64,
        }
    }
}

/// A trained model.
#[derive(Clone, Debug)]
pub struct Trained {
    /// The words by falling count, and their vectors: the rows of the input matrix W, as trained, not normalised.
    pub embedding: Embedding,
    /// What happened.
    pub report: TrainReport,
    /// What the model says of itself.
    pub provenance: Provenance,
}

/// What happened in training.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainReport {
    /// Words that have a vector.
    pub vocabulary: usize,
    /// Words of the text gone through, over all epochs.
    pub words: u64,
    /// Those that have a vector.
    pub words_known: u64,
    /// Those that subsampling kept.
    pub words_trained: u64,
    /// The mean loss of a window in each epoch, estimated on the first window of every shard and block.
    pub losses: Vec<f64>,
    /// Windows computed against the same numbers.
    pub block: usize,
}

/// Trains vectors for the words of a text.
///
/// Same text, parameters and seed give the same bits at any number of threads (of the current rayon pool) and on any
/// processor, unless [`Word2VecParams::hogwild`] is set. How: see the module `schedule`. The threads are this
/// function's own: they meet at barriers, which tasks of a pool must not do.
///
/// Sources: Mikolov, Chen, Corrado, Dean 2013, "Efficient estimation of word representations in vector space" (CBOW,
/// skip-gram); Mikolov, Sutskever, Chen, Corrado, Dean 2013, "Distributed representations of words and phrases and
/// their compositionality" (negative sampling, hierarchical softmax, subsampling).
///
/// # Errors
/// If no word passes min-count, or if the numbers run away.
pub fn train(tokens: &Tokens, word2vec: &Word2Vec, run: &Run) -> Result<Trained, EmbeddingError> {
    train_from(tokens, word2vec, run, &TrainOptions::default())
}

/// Where a training begins, and where it can begin again.
#[derive(Clone, Debug, Default)]
pub struct TrainOptions {
    /// The whole state is written here after every epoch.
    pub checkpoint: Option<PathBuf>,
    /// Goes on from this checkpoint of the same training, to the same bytes as if it had not been interrupted.
    pub resume: Option<PathBuf>,
    /// Begins with the words and vectors of this model, a checkpoint or any embedding file, and grows it: words of the
    /// model stay, those of the text that pass min-count come after them. A file of vectors has no output matrix and no
    /// counts: the outputs begin at zero, and a word counts as often as it occurs in the new text.
    pub start: Option<PathBuf>,
}

/// As [`train`], from a checkpoint or an earlier model, with checkpoints on the way.
///
/// # Errors
/// As [`train`]; or if a file of the options cannot be read or written, or does not belong to this training.
pub fn train_from(
    tokens: &Tokens,
    word2vec: &Word2Vec,
    run: &Run,
    options: &TrainOptions,
) -> Result<Trained, EmbeddingError> {
    train_with(tokens, word2vec, run, options, Instructions::best())
}

/// The dimensions of a checkpoint; `None` if the file is none.
///
/// # Errors
/// If it is one and cannot be read.
pub fn checkpoint_dims(path: &Path) -> Result<Option<usize>, EmbeddingError> {
    if !checkpoint::is_checkpoint(path) {
        return Ok(None);
    }
    Ok(Some(checkpoint::read(path)?.head.dims))
}

/// What is there before the first epoch.
#[derive(Default)]
struct Start {
    words: Vec<(String, u64)>,
    input: Vec<f32>,
    output: Vec<f32>,
    before: Vec<String>,
}

impl Start {
    fn read(path: &Path, params: &Word2VecParams, run: &Run) -> Result<Start, EmbeddingError> {
        let mismatch = |what: String| EmbeddingError::Mismatch { path: path.to_owned(), what };
        let (start, dims) = if checkpoint::is_checkpoint(path) {
            let Checkpoint { head, words, input, mut output } = checkpoint::read(path)?;
            let old = &head.about.parameters;
            let same_units = params.loss != Loss::HierarchicalSoftmax && old.loss != Loss::HierarchicalSoftmax;
            if !same_units {
                run.progress.warn("the inner nodes of a Huffman tree change with the words: they begin at zero");
                output.clear();
            }
            let mut before = head.about.before;
            before.push(head.about.corpus.xxh3);
            (Start { words, input, output, before }, head.dims)
        } else {
            let loaded = super::read(path, &super::ReadOptions::default())?;
            loaded.warnings().iter().for_each(|warning| run.progress.warn(warning));
            run.progress.warn("a file of vectors has no output matrix: it begins at zero (a checkpoint has one)");
            let mut before = Vec::new();
            if let Some(about) = loaded.provenance {
                before = about.before;
                before.push(about.corpus.xxh3);
            }
            let dims = loaded.embedding.dims();
            let words = loaded.embedding.words().iter().map(|word| (word.clone(), 0)).collect();
            let input = loaded.embedding.vectors().iter().copied().collect();
            (Start { words, input, output: Vec::new(), before }, dims)
        };
        if dims != params.dims {
            return Err(mismatch(format!("its vectors have {dims} dimensions, --dims is {}", params.dims)));
        }
        Ok(start)
    }
}

pub(super) fn train_with(
    tokens: &Tokens,
    word2vec: &Word2Vec,
    run: &Run,
    options: &TrainOptions,
    instructions: Instructions,
) -> Result<Trained, EmbeddingError> {
    let params = word2vec.params();
    let mut start = match &options.start {
        Some(path) => Start::read(path, params, run)?,
        None => Start::default(),
    };
    let vocabulary = Vocabulary::new(tokens, params, &start.words)?;
    let block = params.block.unwrap_or_else(|| windows::block_size(params, &vocabulary, Word2Vec::STALE_STEPS));
    let cores = rayon::current_num_threads();
    let group = params.group();
    let piece = if group == 1 { 1 } else { PIECE };
    let shards = if params.hogwild { cores } else { params.shards.min(block / piece).max(1) };
    // Threads that meet after a few windows would only wait for each other.
    let threads = if params.hogwild { cores } else { cores.min(shards).min(block / 32).max(1) };
    let mut about = Provenance {
        tool: env!("CARGO_PKG_NAME").to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seed: run.seed,
        reproducible: !params.hogwild,
        threads: if params.hogwild { threads.to_string() } else { "any".to_owned() },
        vocabulary: vocabulary.len(),
        words: 0,
        words_trained: 0,
        loss: 0.0,
        corpus: CorpusFingerprint::of(tokens),
        before: start.before,
        parameters: params.clone(),
    };
    let outputs = match params.loss {
        Loss::HierarchicalSoftmax => vocabulary.len().saturating_sub(1),
        Loss::NegativeSampling | Loss::Softmax => vocabulary.len(),
    };
    let mut report = TrainReport { vocabulary: vocabulary.len(), block: block / shards * shards, ..Default::default() };
    let mut first = 0;
    if let Some(path) = &options.resume {
        let checkpoint = checkpoint::read(path)?;
        about.check_resumed(&checkpoint, path)?;
        (first, report) = (checkpoint.head.epochs, checkpoint.head.report);
        (start.input, start.output) = (checkpoint.input, checkpoint.output);
    }
    let row_parts = if params.hogwild { 1 } else { row_parts(threads) };
    let mut random = run.seed.stream("word2vec/init");
    let dims = params.dims;
    let input = Rows::new(vocabulary.len(), dims, row_parts, |number, row| match start.input.get(number * dims..) {
        Some(old) if old.len() >= dims => row.copy_from_slice(&old[..dims]),
        _ => row.fill_with(|| ((2.0 * random.unit() - 1.0) * params.init / dims as f64) as f32),
    });
    let output = Rows::new(outputs, dims, row_parts, |number, row| match start.output.get(number * dims..) {
        Some(old) if old.len() >= dims => row.copy_from_slice(&old[..dims]),
        _ => row.fill(0.0),
    });
    drop((start.input, start.output));
    let text = Text {
        tokens,
        places: &vocabulary.places,
        keep: vocabulary.keep(params.sample),
        targets: Targets::new(params, &vocabulary),
        window: params.window as u32,
        group,
    };
    let parts = windows::cut(tokens, shards);
    let share = if params.hogwild { block.min(HOGWILD_BLOCK) } else { (block / shards).max(1) };
    let plan = Plan { params, text: &text, parts: &parts, share, seed: run.seed, threads, instructions };
    let total = tokens.total() as u64 * (params.epochs - first.min(params.epochs)) as u64;
    let task = run.progress.start("training", Some(total), "words");
    for epoch in first..params.epochs {
        let done = match params.hogwild {
            true => hogwild::epoch(&plan, epoch, &input, &output, task.as_ref()),
            false => plan.epoch(epoch, &input, &output, task.as_ref()),
        };
        report.words += done.words;
        report.words_known += done.words_known;
        report.words_trained += done.words_kept;
        // Six decimals, so that a loss is the same number after a way through JSON.
        report.losses.push((done.loss / done.loss_windows.max(1) as f64 * 1e6).round() / 1e6);
        let runaway =
            if done.broken { Some("the loss is not a number".to_owned()) } else { runaway(&input, &vocabulary) };
        if let Some(what) = runaway {
            return Err(EmbeddingError::Diverged {
                epoch: epoch + 1,
                words: report.words,
                what,
                learning_rate: params.learning_rate,
            });
        }
        if let Some(path) = &options.checkpoint {
            let head = Head {
                epochs: epoch + 1,
                words: vocabulary.len(),
                dims,
                outputs,
                about: about.clone(),
                report: report.clone(),
            };
            let rows = [&input, &output].map(|rows| move |row: &mut dyn FnMut(&[f32])| rows.each(dims, row));
            checkpoint::write(path, &head, &vocabulary.words, &vocabulary.counts, [&rows[0], &rows[1]])?;
        }
    }
    drop(task);
    drop(output);
    let mut numbers = Vec::with_capacity(vocabulary.len() * dims);
    input.each(dims, |row| numbers.extend_from_slice(row));
    drop(input);
    let vectors = Matrix::from_shape_vec((vocabulary.len(), dims), numbers).expect("V rows of N numbers");
    about.words = report.words;
    about.words_trained = report.words_trained;
    about.loss = report.losses.last().copied().unwrap_or(0.0);
    Ok(Trained { embedding: Embedding::new(vocabulary.words, vectors), report, provenance: about })
}

impl Provenance {
    /// Whether a checkpoint is of the training that this describes.
    fn check_resumed(&self, checkpoint: &Checkpoint, path: &Path) -> Result<(), EmbeddingError> {
        let old = &checkpoint.head.about;
        let what = if old.parameters != self.parameters {
            format!("its parameters differ: it has {:?}, now they are {:?}", old.parameters, self.parameters)
        } else if old.seed != self.seed {
            format!("its --seed is {}, now it is {}", old.seed, self.seed)
        } else if old.corpus != self.corpus || old.before != self.before {
            format!(
                "its text is another one: {} words in {} texts, now {} in {}",
                old.corpus.words, old.corpus.texts, self.corpus.words, self.corpus.texts
            )
        } else if !self.reproducible {
            "a Hogwild training cannot be resumed to the same result; begin from it with --continue".to_owned()
        } else {
            return Ok(());
        };
        Err(EmbeddingError::Mismatch { path: path.to_owned(), what })
    }
}

/// The first word whose vector is no vector any more.
fn runaway(input: &Rows, vocabulary: &Vocabulary) -> Option<String> {
    let mut place = 0;
    let mut found = None;
    input.each(input.width() * 16, |row| {
        if found.is_none()
            && let Some(x) = row.iter().find(|x| x.is_nan() || x.abs() >= RUNAWAY)
        {
            found = Some(format!("the vector of {:?} holds {x}", vocabulary.words[place]));
        }
        place += 1;
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding::Architecture;

    pub(crate) fn bits(trained: &Trained) -> Vec<u32> {
        trained.embedding.vectors().iter().map(|x| x.to_bits()).collect()
    }

    /// Texts of two topics whose words never meet.
    pub(crate) fn two_topics() -> Tokens {
        let mut random = Seed(11).stream("test/topics");
        let texts: Vec<Vec<String>> = (0..160)
            .map(|text| {
                let topic = if text % 2 == 0 { "sea" } else { "hill" };
                (0..20).map(|_| format!("{topic}{}", random.below(12))).collect()
            })
            .collect();
        Tokens::from_texts(texts)
    }

    fn small(architecture: Architecture, loss: Loss) -> Word2Vec {
        let params =
            Word2VecParams { architecture, loss, dims: 24, epochs: 3, min_count: 1, group: 1, ..Default::default() };
        Word2VecParams { sample: 0.0, learning_rate: 0.05, ..params }.check().unwrap()
    }

    /// Everything that can be trained, with what to call it.
    fn kinds() -> Vec<(String, Word2Vec)> {
        let mut kinds = Vec::new();
        for architecture in [Architecture::Cbow, Architecture::SkipGram] {
            for loss in [Loss::NegativeSampling, Loss::HierarchicalSoftmax, Loss::Softmax] {
                kinds.push((format!("{architecture} {loss}"), small(architecture, loss)));
            }
            let plain = small(architecture, Loss::NegativeSampling);
            let grouped = Word2VecParams { group: 4, ..plain.params().clone() }.check().unwrap();
            kinds.push((format!("{architecture} in groups"), grouped));
        }
        kinds
    }

    #[test]
    fn o_066_the_same_bits_at_any_number_of_threads_and_with_any_instructions() {
        let tokens = two_topics();
        for (kind, word2vec) in kinds() {
            // A block large enough that threads share it.
            let params = Word2VecParams { block: Some(160), ..word2vec.params().clone() };
            let word2vec = Word2VecParams { learning_rate: 0.01, ..params }.check().unwrap();
            let with = |threads: usize, instructions| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    bits(
                        &train_with(&tokens, &word2vec, &Run::silent(Seed(7)), &TrainOptions::default(), instructions)
                            .unwrap(),
                    )
                })
            };
            let one = with(1, Instructions::Base);
            for threads in [2, 5] {
                assert!(with(threads, Instructions::best()) == one, "{kind}, {threads} threads");
            }
            for instructions in Instructions::all() {
                assert!(with(1, instructions) == one, "{kind}, {instructions:?}");
            }
        }
    }

    #[test]
    fn o_067_nothing_passes_min_count() {
        let message = |texts: Vec<Vec<&str>>| {
            let word2vec = Word2VecParams { min_count: 50, ..Default::default() }.check().unwrap();
            train(&Tokens::from_texts(texts), &word2vec, &Run::default()).unwrap_err().to_string()
        };
        let error = message(vec![vec!["fog", "horn"], vec!["lamp", "bell"]]);
        assert!(
            error
                .starts_with("4 distinct words in 2 texts (4 in all), none occurs 50 times or more; lower --min-count")
        );
        assert!(message(vec![]).starts_with("0 distinct words in 0 texts"));
    }

    #[test]
    fn a_few_words_again_and_again_do_not_run_away() {
        let usual = (0..60_000u64).map(|i| format!("w{}", i * i % 997));
        let texts: Vec<Vec<String>> = vec![
            ["only", "two"].repeat(20_000).into_iter().map(str::to_owned).collect(),
            usual.clone().chain(std::iter::repeat_n("same".to_owned(), 3_000)).chain(usual).collect(),
        ];
        for text in texts {
            let tokens = Tokens::from_texts([text]);
            for architecture in [Architecture::Cbow, Architecture::SkipGram] {
                let params = Word2VecParams { architecture, dims: 16, epochs: 2, sample: 0.0, ..Default::default() };
                let trained = train(&tokens, &params.check().unwrap(), &Run::silent(Seed(5))).unwrap();
                for word in ["only", "same", "w4"] {
                    let vector = trained.embedding.vector(word).unwrap_or_default();
                    assert!(vector.iter().all(|x| x.abs() < 30.0), "{architecture} {word}: {vector:?}");
                }
            }
        }
    }

    #[test]
    fn o_068_the_tail_of_a_long_text_is_trained() {
        let mut text: Vec<String> = (0..20_000).map(|i| format!("w{}", i % 50)).collect();
        text.extend((0..2_500).flat_map(|_| ["tailword".to_owned(), "tailmate".to_owned()]));
        let tokens = Tokens::from_texts([text]);
        for architecture in [Architecture::Cbow, Architecture::SkipGram] {
            let params = Word2VecParams { architecture, dims: 32, min_count: 1, sample: 0.0, ..Default::default() };
            let trained = train(&tokens, &params.clone().check().unwrap(), &Run::silent(Seed(3))).unwrap();
            assert_eq!((trained.report.words, trained.report.words_trained), (125_000, 125_000));
            let untrained = Word2VecParams { epochs: 0, ..params }.check().unwrap();
            let untrained = train(&tokens, &untrained, &Run::silent(Seed(3))).unwrap();
            assert_eq!(untrained.report.words, 0);
            let (before, after) = (untrained.embedding.vector("tailword"), trained.embedding.vector("tailword"));
            let moved: f32 = before.unwrap().iter().zip(after.unwrap()).map(|(a, b)| (a - b).powi(2)).sum();
            assert!(moved > 0.1, "{moved}");
            // Two words that alternate predict each other; under CBOW that makes them opposites (in gensim too).
            if architecture == Architecture::SkipGram {
                let nearest = trained.embedding.neighbours("tailword", 1).unwrap();
                assert_eq!(nearest[0].0, "tailmate", "{nearest:?}");
            }
        }
    }

    #[test]
    fn o_069_a_training_that_runs_away_is_an_error() {
        let tokens = Tokens::from_texts(vec![["a", "b", "a", "b", "a", "b", "a", "b"]; 500]);
        for architecture in [Architecture::Cbow, Architecture::SkipGram] {
            for (rate, hogwild) in [(1e3, false), (1e30, false), (1e30, true)] {
                let params = Word2VecParams { architecture, learning_rate: rate, hogwild, ..Default::default() };
                let word2vec =
                    Word2VecParams { epochs: 50, min_count: 1, sample: 0.0, dims: 16, ..params }.check().unwrap();
                match train(&tokens, &word2vec, &Run::default()) {
                    Ok(trained) => assert!(trained.embedding.vectors().iter().all(|x| x.is_finite())),
                    Err(error) => {
                        let text = error.to_string();
                        assert!(
                            text.starts_with("training diverged in epoch ") && text.contains("--learning-rate"),
                            "{text}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_resumed_training_ends_in_the_same_bytes() {
        let tokens = two_topics();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        for (kind, word2vec) in kinds() {
            let run = Run::silent(Seed(5));
            let whole = train(&tokens, &word2vec, &run).unwrap();
            // Interrupted by a checkpoint that cannot be written after the first epoch: keep the one before.
            struct Stop(std::path::PathBuf, std::path::PathBuf);
            impl crate::progress::Progress for Stop {
                fn start(&self, _: &str, _: Option<u64>, _: &'static str) -> Box<dyn crate::progress::Task> {
                    Box::new(Stop(self.0.clone(), self.1.clone()))
                }
                fn warn(&self, _: &str) {}
            }
            impl crate::progress::Task for Stop {
                fn advance(&self, _: u64) {
                    if self.0.exists() && !self.1.exists() {
                        std::fs::copy(&self.0, &self.1).unwrap();
                    }
                }
                fn note(&self, _: &str) {}
            }
            let early = folder.path().join("early");
            let _ = (std::fs::remove_file(&path), std::fs::remove_file(&early));
            let watched = Run { seed: Seed(5), progress: std::sync::Arc::new(Stop(path.clone(), early.clone())) };
            let options = TrainOptions { checkpoint: Some(path.clone()), ..Default::default() };
            train_from(&tokens, &word2vec, &watched, &options).unwrap();
            assert_eq!(checkpoint::read(&early).unwrap().head.epochs, 1);
            let options = TrainOptions { resume: Some(early.clone()), ..Default::default() };
            let resumed = train_from(&tokens, &word2vec, &run, &options).unwrap();
            assert!(bits(&resumed) == bits(&whole), "{kind}");
            assert_eq!((&resumed.report, &resumed.provenance), (&whole.report, &whole.provenance));
            let error = train_from(&tokens, &word2vec, &Run::silent(Seed(6)), &options).unwrap_err().to_string();
            assert!(error.ends_with("its --seed is 5, now it is 6"), "{error}");
            let mut bytes = std::fs::read(&early).unwrap();
            bytes[200] ^= 1;
            std::fs::write(&early, &bytes).unwrap();
            let error = train_from(&tokens, &word2vec, &run, &options).unwrap_err().to_string();
            assert!(error.contains("cut short or damaged"), "{error}");
        }
    }

    #[test]
    fn a_model_grows_with_new_text() {
        let tokens = two_topics();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        let word2vec = small(Architecture::SkipGram, Loss::NegativeSampling);
        let run = Run::silent(Seed(5));
        let options = TrainOptions { checkpoint: Some(path.clone()), ..Default::default() };
        let old = train_from(&tokens, &word2vec, &run, &options).unwrap();
        let fifu = folder.path().join("m.fifu");
        crate::embedding::write(&fifu, &old.embedding, Some(&old.provenance)).unwrap();
        let more = Tokens::from_texts(vec![["sea0", "sea1", "foghorn", "sea2", "sea3"]; 300]);
        for start in [path, fifu] {
            let grown =
                train_from(&more, &word2vec, &run, &TrainOptions { start: Some(start), ..Default::default() }).unwrap();
            assert_eq!(grown.embedding.len(), old.embedding.len() + 1);
            assert_eq!(grown.embedding.words()[old.embedding.len()], "foghorn");
            assert_eq!(grown.provenance.before, std::slice::from_ref(&old.provenance.corpus.xxh3));
            let length = |word: &str| grown.embedding.vector(word).unwrap().iter().map(|x| x * x).sum::<f32>().sqrt();
            assert!(length("foghorn") > 0.6, "a new word is trained: {}", length("foghorn"));
            let moved = |word: &str| grown.embedding.vector(word) != old.embedding.vector(word);
            assert!(["sea0", "sea1", "sea2", "sea3"].into_iter().all(moved), "old words go on");
            // Words that the new text does not hold stay where they were (but for the rounding of fifu).
            let (a, b) = (grown.embedding.vector("hill3").unwrap(), old.embedding.vector("hill3").unwrap());
            assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6));
        }
        let other = Word2VecParams { dims: 7, ..Default::default() }.check().unwrap();
        let start = TrainOptions { start: Some(folder.path().join("state")), ..Default::default() };
        let error = train_from(&more, &other, &run, &start).unwrap_err().to_string();
        assert!(error.ends_with("its vectors have 24 dimensions, --dims is 7"), "{error}");
    }

    #[test]
    fn hogwild_learns_too_and_says_what_it_is() {
        let tokens = two_topics();
        for (kind, word2vec) in kinds() {
            let params = Word2VecParams { hogwild: true, ..word2vec.params().clone() };
            let trained = train(&tokens, &params.check().unwrap(), &Run::default()).unwrap();
            assert!(!trained.provenance.reproducible);
            assert_eq!(trained.provenance.threads, rayon::current_num_threads().to_string());
            let near = trained.embedding.neighbours("sea0", 5).unwrap();
            assert!(near.iter().all(|(word, _)| word.starts_with("sea")), "{kind}: {near:?}");
            assert_eq!(trained.report.words, 3 * tokens.total() as u64);
        }
    }

    #[test]
    fn every_kind_learns_which_words_belong_together() {
        let tokens = two_topics();
        for (kind, word2vec) in kinds() {
            let trained = train(&tokens, &word2vec, &Run::silent(Seed(3))).unwrap();
            let cosine = |a: &str, b: &str| {
                let (a, b) = (trained.embedding.vector(a).unwrap(), trained.embedding.vector(b).unwrap());
                let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f32>();
                dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
            };
            let near = (1..12).map(|i| cosine("sea0", &format!("sea{i}"))).fold(1.0, f32::min);
            let far = (0..12).map(|i| cosine("sea0", &format!("hill{i}"))).fold(-1.0, f32::max);
            assert!(near > far + 0.2, "{kind}: near {near}, far {far}, {:?}", trained.report.losses);
            let losses = &trained.report.losses;
            assert!(losses[2] < losses[0], "{kind}: {losses:?}");
        }
    }
}
