//! Ctrl-C and termination: the first asks the run to stop at its next control point, the second
//! stops the program.
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::exit::Exit;

/// Whether someone asked the program to stop.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on. Where the system offers no signals, nothing ever asks.
    pub(crate) fn listen() -> Self {
        let interrupt = Self::default();
        let asked = interrupt.clone();
        let heard = ctrlc::set_handler(move || {
            if asked.0.swap(true, Ordering::SeqCst) {
                process::exit(Exit::Interrupted.code().into());
            }
        });
        if let Err(reason) = heard {
            eprintln!("Ctrl-C will not print a partial result: {reason}");
        }
        interrupt
    }

    /// Whether it was asked.
    pub(crate) fn is_asked(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
