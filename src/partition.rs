//! A partition of things numbered 0..n into groups: clusters, components, communities.

/// Which group each of n things belongs to. Groups are numbered by first appearance, so two equal partitions are equal
/// values whatever labels they were made from.
///
/// ```
/// use papertwin::partition::Partition;
/// let components = Partition::from_pairs(4, [(2, 0)]);
/// assert_eq!(components.labels(), [0, 1, 0, 2]);
/// assert_eq!(components.groups(), vec![vec![0, 2], vec![1], vec![3]]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Partition {
    labels: Vec<u32>,
    groups: u32,
}

impl Partition {
    /// The partition in which things of equal label are together.
    pub fn from_labels<L: Copy + Ord>(labels: &[L]) -> Partition {
        let mut renumbered = std::collections::BTreeMap::new();
        let labels = labels
            .iter()
            .map(|label| {
                let next = renumbered.len() as u32;
                *renumbered.entry(*label).or_insert(next)
            })
            .collect();
        Partition { labels, groups: renumbered.len() as u32 }
    }

    /// The connected components of n things under these pairs.
    ///
    /// # Panics
    /// If a pair names a thing that is not below `n`.
    pub fn from_pairs(n: usize, pairs: impl IntoIterator<Item = (u32, u32)>) -> Partition {
        let mut sets = UnionFind::new(n);
        for (a, b) in pairs {
            sets.join(a, b);
        }
        sets.into_partition()
    }

    /// Every thing alone.
    pub fn singletons(n: usize) -> Partition {
        Partition { labels: (0..n as u32).collect(), groups: n as u32 }
    }

    /// How many things there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are no things at all.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// How many groups there are.
    pub fn group_count(&self) -> usize {
        self.groups as usize
    }

    /// The group of a thing.
    pub fn group_of(&self, thing: u32) -> u32 {
        self.labels[thing as usize]
    }

    /// The group of each thing, by thing.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The members of each group, ascending.
    pub fn groups(&self) -> Vec<Vec<u32>> {
        let mut groups = vec![Vec::new(); self.groups as usize];
        for (thing, &group) in self.labels.iter().enumerate() {
            groups[group as usize].push(thing as u32);
        }
        groups
    }

    /// How many members each group has.
    pub fn sizes(&self) -> Vec<u32> {
        let mut sizes = vec![0; self.groups as usize];
        for &group in &self.labels {
            sizes[group as usize] += 1;
        }
        sizes
    }

    /// How many pairs of things are together.
    pub fn pair_count(&self) -> u64 {
        self.sizes().iter().map(|&n| u64::from(n) * u64::from(n.saturating_sub(1)) / 2).sum()
    }

    /// The coarsest partition finer than both: things are together if they are together in both.
    ///
    /// # Panics
    /// If the two are not over the same number of things.
    pub fn meet(&self, other: &Partition) -> Partition {
        assert_eq!(self.len(), other.len(), "partitions of different sets");
        let both: Vec<(u32, u32)> = self.labels.iter().copied().zip(other.labels.iter().copied()).collect();
        Partition::from_labels(&both)
    }
}

/// Disjoint sets that can only grow (union by size, path halving).
#[derive(Clone, Debug)]
pub struct UnionFind {
    parent: Vec<u32>,
    size: Vec<u32>,
}

impl UnionFind {
    /// n sets of one thing each.
    pub fn new(n: usize) -> UnionFind {
        UnionFind { parent: (0..n as u32).collect(), size: vec![1; n] }
    }

    /// The thing that stands for this thing's set.
    pub fn find(&mut self, mut thing: u32) -> u32 {
        while self.parent[thing as usize] != thing {
            let above = self.parent[self.parent[thing as usize] as usize];
            self.parent[thing as usize] = above;
            thing = above;
        }
        thing
    }

    /// Makes one set of two; false if they were one already.
    pub fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return false;
        }
        let (small, large) = if self.size[a as usize] < self.size[b as usize] { (a, b) } else { (b, a) };
        self.parent[small as usize] = large;
        self.size[large as usize] += self.size[small as usize];
        true
    }

    /// How many things are in this thing's set.
    pub fn size_of(&mut self, thing: u32) -> u32 {
        let root = self.find(thing);
        self.size[root as usize]
    }

    /// The sets as a partition.
    pub fn into_partition(mut self) -> Partition {
        let roots: Vec<u32> = (0..self.parent.len() as u32).map(|thing| self.find(thing)).collect();
        Partition::from_labels(&roots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meet_is_finer_than_both() {
        let a = Partition::from_labels(&["x", "x", "y", "y", "y"]);
        let b = Partition::from_labels(&[5, 5, 5, 9, 9]);
        let meet = a.meet(&b);
        assert_eq!(meet.groups(), vec![vec![0, 1], vec![2], vec![3, 4]]);
        assert_eq!(meet.pair_count(), 2);
        assert_eq!(a.pair_count(), 4);
    }

    #[test]
    fn a_long_chain_is_one_component() {
        let n = 200_000;
        let chain = Partition::from_pairs(n, (1..n as u32).map(|i| (i - 1, i)));
        assert_eq!(chain.group_count(), 1);
        assert_eq!(chain.sizes(), [n as u32]);
        assert!(Partition::from_pairs(0, []).is_empty());
    }
}
