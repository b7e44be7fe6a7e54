//! A copy of the cores in which every fault of [`planted`] stands behind a switch: one build in which
//! the checker can look for each of them.
//!
//! ```text
//!   firmware-core/src ──build.rs──► copy; `from` replaced by `to` ──► compiled here
//!                                             └ {on} = this fault is planted
//! ```
//!
//! With no fault planted it is the core itself, which a test shows. The package is named
//! `firmware-core` where it is used, so that the models are compiled against it unchanged.
#![allow(
    warnings,
    clippy::all,
    clippy::pedantic,
    reason = "the text is another crate's, where it is linted"
)]

include!(concat!(env!("OUT_DIR"), "/src/lib.rs"));

/// Which fault is planted.
pub mod planted {
    use core::sync::atomic::{AtomicUsize, Ordering};

    pub use crate::faults::{FAULTS, Fault, HARMLESS};

    static PLANTED: AtomicUsize = AtomicUsize::new(usize::MAX);

    /// Plants the fault with this number in [`FAULTS`], continued by [`HARMLESS`]; none for any
    /// other number. For the whole process: one at a time.
    pub fn plant(number: usize) {
        PLANTED.store(number, Ordering::SeqCst);
    }

    /// Whether the fault with this number is planted.
    #[inline]
    pub fn is(number: usize) -> bool {
        PLANTED.load(Ordering::Relaxed) == number
    }
}

mod faults;
