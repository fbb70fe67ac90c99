//! How much memory a piece of work takes: the greatest resident size of the process above what it was before. Linux tells
//! it; elsewhere it is not known. Only for `run.toml`, where machine and times stand; never part of a table.

/// Begins to watch.
pub(super) struct Watch {
    /// Resident bytes before.
    before: Option<u64>,
}

impl Watch {
    pub fn start() -> Watch {
        // 5 sets the greatest resident size back to the present one (proc(5)); a system that refuses tells nothing.
        let reset = std::fs::write("/proc/self/clear_refs", "5").is_ok();
        Watch { before: if reset { status("VmRSS:") } else { None } }
    }

    /// Bytes that were taken at most since.
    pub fn peak(&self) -> Option<u64> {
        Some(status("VmHWM:")?.saturating_sub(self.before?))
    }
}

/// A size from `/proc/self/status`.
fn status(name: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_and_given_back_is_seen() {
        let watch = Watch::start();
        let mut bytes = vec![0u8; 64 << 20];
        bytes.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
        std::hint::black_box(&bytes);
        drop(bytes);
        assert!(watch.peak().is_none_or(|peak| peak >= 32 << 20), "{:?}", watch.peak());
        assert!(status("VmRSS:").is_some() && status("VmNothing:").is_none());
    }
}
