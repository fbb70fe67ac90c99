//! Word2vec training from a text to an [`Embedding`].

use serde::{Deserialize, Serialize};

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
#[derive(Clone, Debug, Default, PartialEq)]
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
    train_with(tokens, word2vec, run, Instructions::best())
}

pub(super) fn train_with(
    tokens: &Tokens,
    word2vec: &Word2Vec,
    run: &Run,
    instructions: Instructions,
) -> Result<Trained, EmbeddingError> {
    let params = word2vec.params();
    let vocabulary = Vocabulary::new(tokens, params, &[])?;
    let block = params.block.unwrap_or_else(|| windows::block_size(params, &vocabulary, Word2Vec::STALE_STEPS));
    let shards = params.shards.min(block);
    let threads = rayon::current_num_threads().clamp(1, shards);
    let row_parts = row_parts(threads);
    let mut random = run.seed.stream("word2vec/init");
    let input = Rows::new(vocabulary.len(), params.dims, row_parts, |_, row| {
        for x in row {
            *x = ((random.unit() - 0.5) / params.dims as f64) as f32;
        }
    });
    let outputs = match params.loss {
        Loss::HierarchicalSoftmax => vocabulary.len().saturating_sub(1),
        Loss::NegativeSampling | Loss::Softmax => vocabulary.len(),
    };
    let output = Rows::new(outputs, params.dims, row_parts, |_, _| {});
    let text = Text {
        tokens,
        places: &vocabulary.places,
        keep: vocabulary.keep(params.sample),
        targets: Targets::new(params, &vocabulary),
        window: params.window as u32,
    };
    let parts = windows::cut(tokens, shards);
    let plan =
        Plan { params, text: &text, parts: &parts, share: block / shards, seed: run.seed, threads, instructions };
    let mut report = TrainReport { vocabulary: vocabulary.len(), block: block / shards * shards, ..Default::default() };
    let task = run.progress.start("training", Some(tokens.total() as u64 * params.epochs as u64), "words");
    for epoch in 0..params.epochs {
        let done = plan.epoch(epoch, &input, &output, task.as_ref());
        report.words += done.words;
        report.words_known += done.words_known;
        report.words_trained += done.words_kept;
        report.losses.push(done.loss / done.loss_windows.max(1) as f64);
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
    }
    drop(task);
    drop(output);
    let mut numbers = Vec::with_capacity(vocabulary.len() * params.dims);
    input.each(params.dims, |row| numbers.extend_from_slice(row));
    drop(input);
    let vectors = Matrix::from_shape_vec((vocabulary.len(), params.dims), numbers).expect("V rows of N numbers");
    let provenance = Provenance {
        tool: env!("CARGO_PKG_NAME").to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seed: run.seed,
        reproducible: !params.hogwild,
        threads: if params.hogwild { threads.to_string() } else { "any".to_owned() },
        vocabulary: vocabulary.len(),
        words: report.words,
        words_trained: report.words_trained,
        loss: report.losses.last().copied().unwrap_or(0.0),
        corpus: CorpusFingerprint::of(tokens),
        before: Vec::new(),
        parameters: params.clone(),
    };
    Ok(Trained { embedding: Embedding::new(vocabulary.words, vectors), report, provenance })
}

/// The first word whose vector is no vector any more.
fn runaway(input: &Rows, vocabulary: &Vocabulary) -> Option<String> {
    let mut place = 0;
    let mut found = None;
    input.each(input.width() * 16, |row| {
        if found.is_none()
            && let Some(x) = row.iter().find(|x| !(x.abs() < RUNAWAY))
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
        let params = Word2VecParams { architecture, loss, dims: 24, epochs: 3, min_count: 1, ..Default::default() };
        Word2VecParams { sample: 0.0, learning_rate: 0.05, ..params }.check().unwrap()
    }

    const KINDS: [(Architecture, Loss); 6] = [
        (Architecture::Cbow, Loss::NegativeSampling),
        (Architecture::Cbow, Loss::HierarchicalSoftmax),
        (Architecture::Cbow, Loss::Softmax),
        (Architecture::SkipGram, Loss::NegativeSampling),
        (Architecture::SkipGram, Loss::HierarchicalSoftmax),
        (Architecture::SkipGram, Loss::Softmax),
    ];

    #[test]
    fn o_066_the_same_bits_at_any_number_of_threads_and_with_any_instructions() {
        let tokens = two_topics();
        for (architecture, loss) in KINDS {
            let word2vec = small(architecture, loss);
            let with = |threads: usize, instructions| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| bits(&train_with(&tokens, &word2vec, &Run::silent(Seed(7)), instructions).unwrap()))
            };
            let one = with(1, Instructions::Base);
            for threads in [2, 5] {
                assert!(with(threads, Instructions::best()) == one, "{architecture} {loss}, {threads} threads");
            }
            for instructions in Instructions::all() {
                assert!(with(1, instructions) == one, "{architecture} {loss}, {instructions:?}");
            }
        }
    }

    #[test]
    fn every_kind_learns_which_words_belong_together() {
        let tokens = two_topics();
        for (architecture, loss) in KINDS {
            let trained = train(&tokens, &small(architecture, loss), &Run::silent(Seed(3))).unwrap();
            let cosine = |a: &str, b: &str| {
                let (a, b) = (trained.embedding.vector(a).unwrap(), trained.embedding.vector(b).unwrap());
                let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f32>();
                dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
            };
            let near = (1..12).map(|i| cosine("sea0", &format!("sea{i}"))).fold(1.0, f32::min);
            let far = (0..12).map(|i| cosine("sea0", &format!("hill{i}"))).fold(-1.0, f32::max);
            assert!(near > far + 0.2, "{architecture} {loss}: near {near}, far {far}, {:?}", trained.report.losses);
            let losses = &trained.report.losses;
            assert!(losses[2] < losses[0], "{architecture} {loss}: {losses:?}");
        }
    }
}
