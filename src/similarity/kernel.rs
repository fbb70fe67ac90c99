//! Which kernel proposes pairs.

use std::fmt;
use std::str::FromStr;

/// What computes the values of tiles. All give the same results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kernel {
    /// Chosen by λ, by a small sample of the pairs and by what the machine has.
    #[default]
    Auto,
    /// Matrix products in f32 on tiles, in plain Rust; works everywhere.
    Portable,
}

impl Kernel {
    /// All kernels, in the order of the documentation.
    pub const ALL: &[Kernel] = &[Kernel::Auto, Kernel::Portable];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Auto => "auto",
            Kernel::Portable => "portable",
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found:?} is no kernel; wanted {}", Kernel::ALL.iter().map(|k| k.name()).collect::<Vec<_>>().join(", "))]
pub struct ParseKernelError {
    found: String,
}

impl FromStr for Kernel {
    type Err = ParseKernelError;
    fn from_str(text: &str) -> Result<Kernel, ParseKernelError> {
        let kernel = Kernel::ALL.iter().copied().find(|k| k.name() == text);
        kernel.ok_or_else(|| ParseKernelError { found: text.to_owned() })
    }
}
