//! Progress bars and warnings on standard error; bars only where it is a terminal.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use papertwin::progress::{Progress, Task};

/// Draws what the library reports.
pub struct Talk {
    bars: MultiProgress,
    told: Mutex<BTreeSet<String>>,
}

impl Talk {
    /// Bars unless quiet; warnings always, each once: the points of a sweep would all say the same.
    pub fn new(quiet: bool) -> Talk {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        Talk { bars: MultiProgress::with_draw_target(target), told: Mutex::default() }
    }
}

impl Progress for Talk {
    fn start(&self, name: &str, total: Option<u64>, unit: &'static str) -> Box<dyn Task> {
        let bar = match total {
            Some(total) => ProgressBar::new(total),
            None => ProgressBar::new_spinner(),
        };
        let bar = self.bars.add(bar);
        let template = match total {
            Some(_) => format!(
                "{{prefix:24}} {{bar:30}} {{human_pos}}/{{human_len}} {unit}, {{per_sec}}, {{eta}} left {{msg}}"
            ),
            None => format!("{{prefix:24}} {{spinner}} {{human_pos}} {unit}, {{per_sec}} {{msg}}"),
        };
        bar.set_style(ProgressStyle::with_template(&template).expect("the template is fixed"));
        bar.set_prefix(name.to_owned());
        Box::new(Bar(bar))
    }

    fn warn(&self, message: &str) {
        if !self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(message.to_owned()) {
            return;
        }
        // Above the bars where there are any; where they are hidden, `println` says nothing.
        self.bars.suspend(|| {
            use std::io::Write;
            let _ = writeln!(std::io::stderr(), "warning: {message}");
        });
    }
}

struct Bar(ProgressBar);

impl Task for Bar {
    fn advance(&self, units: u64) {
        self.0.inc(units);
    }
    fn note(&self, text: &str) {
        self.0.set_message(text.to_owned());
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
