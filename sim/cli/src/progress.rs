//! The stopwatch, and how far a long run has come, on stderr.
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use sim::Progress;

use crate::args::ShowProgress;

/// Runs shorter than this show nothing.
const PATIENCE: Duration = Duration::from_secs(2);
/// Between two lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(1);

/// Wall time since a run began. The only clock of the machine that this program reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts it.
    #[expect(clippy::disallowed_methods, reason = "how long a run took is for people, not for it")]
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// How long it has run.
    pub(crate) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

/// Where progress goes.
#[derive(Debug)]
pub(crate) enum Display {
    /// Nowhere.
    Silent,
    /// To a bar, once patience is over.
    Bar(Option<ProgressBar>),
    /// To lines of text; when the last one was written.
    Lines(Duration),
}

impl Display {
    /// Chooses by the flag and by where stderr goes.
    pub(crate) fn new(show: ShowProgress) -> Self {
        match show {
            ShowProgress::Never => Self::Silent,
            _ if stderr().is_terminal() => Self::Bar(None),
            ShowProgress::Auto => Self::Silent,
            ShowProgress::Always => Self::Lines(PATIENCE.saturating_sub(LINE_EVERY)),
        }
    }

    /// Shows how far a run has come after `wall` time.
    pub(crate) fn show(&mut self, progress: Progress, wall: Duration) {
        if wall < PATIENCE {
            return;
        }
        match self {
            Self::Silent => {}
            Self::Bar(bar) => {
                let bar = bar.get_or_insert_with(|| new_bar(progress.virtual_total.as_millis()));
                bar.set_position(progress.virtual_elapsed.as_millis());
                bar.set_message(line(progress));
            }
            Self::Lines(last) => {
                if wall >= *last + LINE_EVERY {
                    *last = wall;
                    eprintln!("{}", line(progress));
                }
            }
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(self) {
        if let Self::Bar(Some(bar)) = self {
            bar.finish_and_clear();
        }
    }
}

fn line(progress: Progress) -> String {
    let seconds = |at: firmware_core::time::Duration| at.as_millis() / 1_000;
    let (elapsed, total) = (seconds(progress.virtual_elapsed), seconds(progress.virtual_total));
    format!("{elapsed} of {total} virtual s, {} events", progress.events)
}

fn new_bar(millis: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {msg}, about {eta} left");
    let style = style.expect("the template is a constant that is valid");
    ProgressBar::new(millis).with_style(style)
}
