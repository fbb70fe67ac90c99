//! The kernels of shingle sets beside their plain forms: signatures by family, bits of Bloom filters, indexes of bands.
//!
//! `cargo bench --bench minhash`: one thread; the least of five runs, since other work on the machine only adds.

use std::hint::black_box;
use std::time::Instant;

use papertwin::corpus::PaperId;
use papertwin::seed::Seed;
use papertwin::sketch::bands::{BandIndex, Bands};
use papertwin::sketch::bloom::BloomFilters;
use papertwin::sketch::minhash::{Family, MinHash};
use papertwin::text::ShingleSets;

const COMPONENTS: usize = 128;

fn main() {
    println!("signatures of {COMPONENTS} components, nanoseconds a shingle");
    println!("{:>16} {:>9} {:>9} {:>9} {:>7}", "family", "shingles", "plain", "fastest", "ratio");
    for (name, family) in
        [("n functions", Family::Universal), ("one permutation", Family::OnePermutation), ("rounds", Family::Rounds)]
    {
        for size in [10, 150, 1000] {
            let sets = sets(1_000_000 / size, size);
            let minhash = MinHash::new(family, COMPONENTS, Seed(1));
            let plain = nanoseconds(&minhash.clone().plain(), &sets);
            let fastest = nanoseconds(&minhash, &sets);
            println!("{name:>16} {size:>9} {plain:>9.2} {fastest:>9.2} {:>7.2}", plain / fastest);
        }
    }

    let sets = sets(4000, 150);
    let filters = BloomFilters::new(&sets, 2048, 2, Seed(1));
    let pairs = (0..200u32).map(|x| 4000 - 1 - x as usize).sum::<usize>() as f64;
    let plain = least(|| {
        (0..200).for_each(|x| {
            black_box((x + 1..4000).map(|y| filters.common(x, y)).sum::<u32>());
        })
    });
    let mut common = Vec::new();
    let fastest = least(|| (0..200).for_each(|x| filters.common_with_later(x, &mut common)));
    println!(
        "\ncommon bits of filters of 2,048: plain {:.1} ns a pair, fastest {:.1}, ratio {:.2}",
        plain * 1e9 / pairs,
        fastest * 1e9 / pairs,
        plain / fastest
    );

    let signatures = MinHash::new(Family::Rounds, COMPONENTS, Seed(1)).signatures(&sets);
    let index = least(|| {
        black_box(BandIndex::new(&signatures, Bands { bands: 16, rows: 8 }));
    });
    println!("index of 16 bands: {:.1} ns a document and band (on all threads)", index * 1e9 / 4000.0 / 16.0);
}

/// Random sets.
fn sets(count: usize, size: usize) -> ShingleSets {
    ShingleSets::make(count, |set| {
        let mut stream = Seed(2).stream(&format!("bench/{set}"));
        (0..size).map(|_| stream.below(u64::MAX)).collect()
    })
}

fn nanoseconds(minhash: &MinHash, sets: &ShingleSets) -> f64 {
    let mut signer = minhash.signer();
    let mut signature = vec![0; COMPONENTS];
    let seconds = least(|| {
        for set in 0..sets.papers() as u32 {
            signer.sign(sets.of(PaperId(set)), &mut signature);
        }
        black_box(&signature);
    });
    seconds * 1e9 / sets.total() as f64
}

fn least(mut work: impl FnMut()) -> f64 {
    let runs = (0..5).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    });
    runs.fold(f64::INFINITY, f64::min)
}
