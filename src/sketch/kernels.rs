//! The inner loop of MinHash in several instruction sets. Every path does the same wrapping 64-bit arithmetic, so all
//! give the same bytes; a test compares them on whatever the machine has.

/// Which of the paths that give the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// The one that the processor runs fastest.
    Fastest,
    /// The one that every processor has.
    Plain,
}

/// `out[i]` = the least `(a_i x + b_i mod 2^64) >> 32` over the set, where x is the lower half of a shingle.
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
pub fn universal_minima(kernel: Kernel, multipliers: &[u64], addends: &[u64], set: &[u64], out: &mut [u32]) {
    #[cfg(target_arch = "x86_64")]
    if kernel == Kernel::Fastest {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
            // SAFETY: the processor has the instructions, as was just asked; the function has no other requirement.
            unsafe { minima_avx512(multipliers, addends, set, out) };
            return;
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has the instructions, as was just asked; the function has no other requirement.
            unsafe { minima_avx2(multipliers, addends, set, out) };
            return;
        }
    }
    minima(multipliers, addends, set, out);
}

/// The hashes of one shingle under all functions.
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
pub fn universal(kernel: Kernel, multipliers: &[u64], addends: &[u64], shingle: u64, out: &mut [u32]) {
    #[cfg(target_arch = "x86_64")]
    if kernel == Kernel::Fastest && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
        // SAFETY: the processor has the instructions, as was just asked; the function has no other requirement.
        unsafe { hashes_avx512(multipliers, addends, shingle, out) };
        return;
    }
    hashes(multipliers, addends, shingle, out);
}

#[inline(always)]
fn hashes(multipliers: &[u64], addends: &[u64], shingle: u64, out: &mut [u32]) {
    let x = shingle & 0xffff_ffff;
    for ((out, &a), &b) in out.iter_mut().zip(multipliers).zip(addends) {
        *out = (a.wrapping_mul(x).wrapping_add(b) >> 32) as u32;
    }
}

/// Sixteen functions at a time stay in registers while the set goes by. The minimum of the whole 64 bits has the
/// minimum of the upper 32 in its upper half, so the shift waits until the end.
#[inline(always)]
fn minima(multipliers: &[u64], addends: &[u64], set: &[u64], out: &mut [u32]) {
    const LANES: usize = 16;
    for ((a, b), out) in multipliers.chunks(LANES).zip(addends.chunks(LANES)).zip(out.chunks_mut(LANES)) {
        if let (Ok(a), Ok(b)) = (<&[u64; LANES]>::try_from(a), <&[u64; LANES]>::try_from(b)) {
            let mut least = [u64::MAX; LANES];
            for &shingle in set {
                let x = shingle & 0xffff_ffff;
                for lane in 0..LANES {
                    let hash = a[lane].wrapping_mul(x).wrapping_add(b[lane]);
                    least[lane] = least[lane].min(hash);
                }
            }
            for (out, least) in out.iter_mut().zip(least) {
                *out = (least >> 32) as u32;
            }
        } else {
            for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
                let hash = |&s: &u64| a.wrapping_mul(s & 0xffff_ffff).wrapping_add(b);
                *out = (set.iter().map(hash).min().unwrap_or(u64::MAX) >> 32) as u32;
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
fn minima_avx512(multipliers: &[u64], addends: &[u64], set: &[u64], out: &mut [u32]) {
    minima(multipliers, addends, set, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn minima_avx2(multipliers: &[u64], addends: &[u64], set: &[u64], out: &mut [u32]) {
    minima(multipliers, addends, set, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
fn hashes_avx512(multipliers: &[u64], addends: &[u64], shingle: u64, out: &mut [u32]) {
    hashes(multipliers, addends, shingle, out);
}

/// A bijection of 64 bits in which every bit depends on every bit (the finisher of MurmurHash3).
#[inline(always)]
pub fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let x = (x ^ (x >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ (x >> 33)
}

/// `out[i]` = [`mix`] of the i-th shingle and a key.
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
pub fn mixed(kernel: Kernel, set: &[u64], key: u64, out: &mut [u64]) {
    #[cfg(target_arch = "x86_64")]
    if kernel == Kernel::Fastest && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
        // SAFETY: the processor has the instructions, as was just asked; the function has no other requirement.
        unsafe { mixed_avx512(set, key, out) };
        return;
    }
    mixed_plain(set, key, out);
}

#[inline(always)]
fn mixed_plain(set: &[u64], key: u64, out: &mut [u64]) {
    for (out, &shingle) in out.iter_mut().zip(set) {
        *out = mix(shingle ^ key);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
fn mixed_avx512(set: &[u64], key: u64, out: &mut [u64]) {
    mixed_plain(set, key, out);
}

/// `out[i]` = the bits that `own` has in common with the i-th filter of `all`, filters of the same length one after another.
pub fn common_bits(own: &[u64], all: &[u64], out: &mut [u32]) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq") {
            // SAFETY: the processor has the instructions, as was just asked; the function has no other requirement.
            unsafe { common_avx512(own, all, out) };
            return;
        }
        if is_x86_feature_detected!("popcnt") {
            // SAFETY: the processor has the instruction, as was just asked; the function has no other requirement.
            unsafe { common_popcnt(own, all, out) };
            return;
        }
    }
    common(own, all, out);
}

#[inline(always)]
fn common(own: &[u64], all: &[u64], out: &mut [u32]) {
    for (out, other) in out.iter_mut().zip(all.chunks_exact(own.len())) {
        *out = own.iter().zip(other).map(|(a, b)| u64::from((a & b).count_ones())).sum::<u64>() as u32;
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn common_avx512(own: &[u64], all: &[u64], out: &mut [u32]) {
    common(own, all, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn common_popcnt(own: &[u64], all: &[u64], out: &mut [u32]) {
    common(own, all, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_gives_the_same_bytes_as_the_definition() {
        let numbers = |count: u64, salt: u64| -> Vec<u64> {
            (0..count).map(|i| (i + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ i.rotate_left(17)).collect()
        };
        for functions in [1usize, 7, 16, 33, 128] {
            let (a, b) = (numbers(functions as u64, 3), numbers(functions as u64, 1 << 33));
            let set = numbers(77, 5);
            let expected: Vec<u32> = (0..functions)
                .map(|i| {
                    set.iter()
                        .map(|s| {
                            ((u128::from(a[i]) * u128::from(s & 0xffff_ffff) + u128::from(b[i])) as u64 >> 32) as u32
                        })
                        .min()
                        .unwrap()
                })
                .collect();
            let mut out = vec![0; functions];
            minima(&a, &b, &set, &mut out);
            assert_eq!(out, expected, "plain, {functions} functions");
            out.fill(1);
            universal_minima(Kernel::Fastest, &a, &b, &set, &mut out);
            assert_eq!(out, expected, "the path of this machine, {functions} functions");
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                out.fill(1);
                // SAFETY: the processor has the instructions, as was just asked.
                unsafe { minima_avx2(&a, &b, &set, &mut out) };
                assert_eq!(out, expected, "avx2, {functions} functions");
            }
            universal(Kernel::Fastest, &a, &b, set[3], &mut out);
            let mut plain = vec![0; functions];
            hashes(&a, &b, set[3], &mut plain);
            assert_eq!(out, plain);
        }
    }

    #[test]
    fn shingles_are_mixed_alike_on_every_path() {
        let set: Vec<u64> = (0..77u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let (mut out, mut plain) = (vec![0; 77], vec![0; 77]);
        mixed(Kernel::Fastest, &set, 0x1234_5678_9abc_def0, &mut out);
        mixed_plain(&set, 0x1234_5678_9abc_def0, &mut plain);
        assert_eq!(out, plain);
        assert_eq!(mix(1), 0xb456_bcfc_34c2_cb2c, "the published finisher");
    }

    #[test]
    fn common_bits_are_counted_alike_on_every_path() {
        for words in [1usize, 3, 16, 37] {
            let number = |i: usize| (i as u64 + 7).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(i as u32 % 64);
            let own: Vec<u64> = (0..words).map(number).collect();
            let all: Vec<u64> = (0..words * 5).map(|i| number(i + 99)).collect();
            let expected: Vec<u32> =
                (0..5).map(|f| (0..words).map(|w| (own[w] & all[f * words + w]).count_ones()).sum()).collect();
            let mut out = vec![0; 5];
            common(&own, &all, &mut out);
            assert_eq!(out, expected);
            out.fill(0);
            common_bits(&own, &all, &mut out);
            assert_eq!(out, expected);
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("popcnt") {
                out.fill(0);
                // SAFETY: the processor has the instruction, as was just asked.
                unsafe { common_popcnt(&own, &all, &mut out) };
                assert_eq!(out, expected);
            }
        }
    }
}
