//! The suite that every method must pass: it compares a scan with the definition on all pairs.

use std::ops::ControlFlow;

use super::{Guarantee, Input, Matcher, Method};
use crate::corpus::{Corpus, Pair, Paper, PaperId};
use crate::embedding::Embedding;
use crate::progress::Run;
use crate::seed::Seed;
use crate::similarity::{Collect, Score};

/// Checks a method on a corpus: pairs ascend and come once, each with the score of the definition; λ only filters;
/// a complete method equals brute force and a probable one is within it; 1, 2 and 7 threads agree; a sink can stop the
/// scan; a permuted corpus gives the permuted pairs; 0 papers, 1 paper, all papers identical and empty texts are survived,
/// and an empty text matches nothing.
///
/// # Panics
/// With the name of the law that does not hold.
pub fn conforms(method: &dyn Method, corpus: &Corpus, embedding: Option<&Embedding>, lambdas: &[&str]) {
    let lambdas: Vec<Score> = lambdas.iter().map(|l| l.parse().expect("the suite is given scores")).collect();
    let name = method.name();
    let input = |corpus| Input { embedding, ..Input::of(corpus) };
    let run = || Run::silent(Seed(5));

    let matcher = method.prepare(input(corpus), run()).unwrap_or_else(|e| panic!("{name}: prepare: {e}"));
    let found: Vec<_> = lambdas.iter().map(|&lambda| scan(name, matcher.as_ref(), lambda)).collect();
    for (&lambda, pairs) in lambdas.iter().zip(&found) {
        assert!(pairs.windows(2).all(|w| w[0].0 < w[1].0), "{name}: pairs ascend, each once, at {lambda}");
        assert!(
            pairs.iter().all(|&(p, s)| s >= lambda && s == matcher.score(p)),
            "{name}: scan's score is score, at {lambda}"
        );
        let brute = brute_force(matcher.as_ref(), corpus.len(), lambda);
        match matcher.guarantee() {
            Guarantee::Complete => assert_eq!(*pairs, brute, "{name}: complete means brute force, at {lambda}"),
            Guarantee::Probable => {
                assert!(pairs.iter().all(|p| brute.contains(p)), "{name}: probable is within brute force")
            }
        }
        let least = &found[lambdas.iter().enumerate().min_by_key(|(_, l)| **l).expect("some λ").0];
        let filtered: Vec<_> = least.iter().copied().filter(|&(_, s)| s >= lambda).collect();
        if matcher.guarantee() == Guarantee::Complete {
            assert_eq!(*pairs, filtered, "{name}: λ only filters, at {lambda}");
        }
    }
    assert!(found.iter().any(|pairs| pairs.len() > 1), "{name}: the corpus of the suite has pairs to find");

    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
        let again: Vec<_> = pool.install(|| {
            let matcher = method.prepare(input(corpus), run()).expect("prepared before");
            lambdas.iter().map(|&lambda| scan(name, matcher.as_ref(), lambda)).collect()
        });
        assert_eq!(again, found, "{name}: {threads} threads agree");
    }

    let most = found.iter().max_by_key(|pairs| pairs.len()).expect("some λ");
    let lambda = lambdas[found.iter().position(|pairs| pairs == most).expect("it is one of them")];
    let mut first = Collect { limit: Some(1), ..Collect::default() };
    let report = matcher.scan(lambda, &mut first).unwrap_or_else(|e| panic!("{name}: scan: {e}"));
    assert!(report.stopped && first.pairs == most[..1], "{name}: a sink can stop the scan");

    permuted(method, corpus, embedding, &lambdas, &found, matcher.guarantee());
    corners(method, embedding, &lambdas);
}

fn scan(name: &str, matcher: &dyn Matcher, lambda: Score) -> Vec<(Pair, Score)> {
    let mut sink = Collect::default();
    let report = matcher.scan(lambda, &mut sink).unwrap_or_else(|e| panic!("{name}: scan at {lambda}: {e}"));
    assert_eq!(report.found, sink.pairs.len() as u64, "{name}: the scan counts what it found");
    assert!(!report.stopped, "{name}: nobody stopped the scan");
    sink.pairs
}

fn brute_force(matcher: &dyn Matcher, papers: usize, lambda: Score) -> Vec<(Pair, Score)> {
    let lost: std::collections::BTreeSet<_> = matcher.unmatchable().iter().copied().collect();
    let mut pairs = Vec::new();
    for x in 0..papers as u32 {
        for y in x + 1..papers as u32 {
            let pair = Pair::new(PaperId(x), PaperId(y)).expect("x < y");
            let score = matcher.score(pair);
            if score >= lambda && !lost.contains(&pair.first()) && !lost.contains(&pair.second()) {
                pairs.push((pair, score));
            }
        }
    }
    pairs
}

fn permuted(
    method: &dyn Method,
    corpus: &Corpus,
    embedding: Option<&Embedding>,
    lambdas: &[Score],
    found: &[Vec<(Pair, Score)>],
    guarantee: Guarantee,
) {
    let name = method.name();
    let mut order: Vec<usize> = (0..corpus.len()).collect();
    Seed(11).stream("conformance/permute").shuffle(&mut order);
    let shuffled = Corpus::new(order.iter().map(|&i| corpus.papers()[i].clone()).collect());
    let matcher = method
        .prepare(Input { embedding, ..Input::of(&shuffled) }, Run::silent(Seed(5)))
        .unwrap_or_else(|e| panic!("{name}: prepare: {e}"));
    for (&lambda, before) in lambdas.iter().zip(found) {
        let mut after: Vec<_> = scan(name, matcher.as_ref(), lambda)
            .into_iter()
            .map(|(p, s)| {
                let back = |id: PaperId| PaperId(order[id.index()] as u32);
                (Pair::new(back(p.first()), back(p.second())).expect("two papers stay two"), s)
            })
            .collect();
        after.sort_unstable();
        if guarantee == Guarantee::Complete {
            assert_eq!(after, *before, "{name}: a permuted corpus gives the permuted pairs, at {lambda}");
        }
    }
}

fn corners(method: &dyn Method, embedding: Option<&Embedding>, lambdas: &[Score]) {
    let name = method.name();
    let paper = |id: usize, title: &str, text: &str| Paper {
        id: format!("corner-{id}"),
        title: title.into(),
        abstract_text: text.into(),
        ..Paper::default()
    };
    let count = |corpus: &Corpus, lambda: Score| {
        let matcher = method
            .prepare(Input { embedding, ..Input::of(corpus) }, Run::silent(Seed(5)))
            .unwrap_or_else(|e| panic!("{name}: prepare on {} papers: {e}", corpus.len()));
        let mut pairs = 0;
        matcher
            .scan(lambda, &mut |_, _| {
                pairs += 1;
                ControlFlow::Continue(())
            })
            .unwrap_or_else(|e| panic!("{name}: scan of {} papers: {e}", corpus.len()));
        pairs
    };
    for &lambda in lambdas {
        assert_eq!(count(&Corpus::default(), lambda), 0, "{name}: no papers, no pairs");
        assert_eq!(
            count(&Corpus::new(vec![paper(0, "alone", "on the shore")]), lambda),
            0,
            "{name}: one paper, no pairs"
        );
        let empty = Corpus::new((0..4).map(|i| paper(i, "", " \n\t")).collect());
        assert_eq!(count(&empty, lambda), 0, "{name}: empty texts match nothing");
    }
}
