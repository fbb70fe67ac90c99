//! Room 11: pairs become clusters, survivors and merged records.

/// dev
pub fn dev(m: &crate::methods::records::RecordMatcher, n: usize) -> crate::partition::Partition {
    let mut s = crate::partition::UnionFind::new(n);
    for i in 0..n as u32 {
        s.join(i, m.standing(crate::corpus::PaperId(i)).0);
    }
    for e in m.edges() {
        if e.decision.verdict == crate::methods::records::Verdict::Same {
            s.join(e.pair.first().0, e.pair.second().0);
        }
    }
    s.into_partition()
}
