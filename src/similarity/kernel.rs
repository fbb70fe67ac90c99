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
    /// Products in f32 on tiles, in plain Rust; works everywhere. Scans take as many numbers of a row as are worth it: all of
    /// them, or some along the principal directions. So do the next two.
    Portable,
    /// Micro-tiles in f32 with fused multiply and add, 8 at a time.
    Avx2,
    /// Micro-tiles in f32 with fused multiply and add, 16 at a time.
    Avx512,
    /// Scans screen by whole-number products of bytes along the principal directions; fast where the machine multiplies
    /// bytes (AVX-512 VNNI). Counts, Manhattan distances and very wide rows go by the best of the others.
    Int8,
}

impl Kernel {
    /// All kernels, in the order of the documentation.
    pub const ALL: &[Kernel] = &[Kernel::Auto, Kernel::Portable, Kernel::Avx2, Kernel::Avx512, Kernel::Int8];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Auto => "auto",
            Kernel::Portable => "portable",
            Kernel::Avx2 => "avx2",
            Kernel::Avx512 => "avx512",
            Kernel::Int8 => "int8",
        }
    }

    /// Whether this machine can run it. One that it cannot run is replaced by the portable one.
    pub fn is_available(self) -> bool {
        match self {
            Kernel::Auto | Kernel::Portable | Kernel::Int8 => true,
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => is_x86_feature_detected!("avx512f"),
            #[cfg(not(target_arch = "x86_64"))]
            Kernel::Avx2 | Kernel::Avx512 => false,
        }
    }

    /// The kernel of f32 products to use: this one, or the best that the machine has.
    pub(super) fn of_products(self) -> Kernel {
        match self {
            Kernel::Auto | Kernel::Int8 => {
                [Kernel::Avx512, Kernel::Avx2].into_iter().find(|k| k.is_available()).unwrap_or(Kernel::Portable)
            }
            kernel if kernel.is_available() => kernel,
            _ => Kernel::Portable,
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
