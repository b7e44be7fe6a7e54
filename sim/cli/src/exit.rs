//! Every way in which the program ends, as scripts and CI see it.

macro_rules! exits {
    ($($(#[doc = $meaning:literal])+ $variant:ident = $code:literal,)+) => {
        /// An exit code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Exit {
            $($(#[doc = $meaning])+ $variant,)+
        }

        impl Exit {
            /// Every code, ascending.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The number.
            pub(crate) const fn code(self) -> u8 {
                match self {
                    $(Self::$variant => $code),+
                }
            }

            /// What it means, in one sentence.
            pub(crate) fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!($($meaning),+).trim_start()),+
                }
            }
        }
    };
}

exits! {
    /// Everything asked for holds.
    Holds = 0,
    /// An expectation, property, deadline or claim is violated.
    Violated = 1,
    /// The command line or an input file is wrong; nothing was run.
    Usage = 2,
    /// A clause or mutation gate is not met.
    Gate = 3,
    /// The baseline already fails, so nothing was judged.
    Baseline = 4,
    /// A replayed run went another way than the recorded one.
    Diverged = 5,
    /// A calibration is out of tolerance.
    Calibration = 6,
    /// A limit was hit, or there is no bound: nothing can be said.
    Inconclusive = 7,
    /// The same run gave two results.
    Nondeterminism = 8,
    /// Artefacts do not belong together: their hash, version or shard set differs.
    Artefact = 9,
    /// The program itself is at fault.
    Internal = 70,
    /// The run was interrupted; what was printed is partial and says so.
    Interrupted = 130,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_ascend_and_every_meaning_is_a_sentence() {
        assert!(Exit::ALL.windows(2).all(|pair| pair[0].code() < pair[1].code()));
        for exit in Exit::ALL {
            let meaning = exit.meaning();
            assert!(meaning.ends_with('.') && !meaning.starts_with(' '), "{meaning:?}");
        }
    }
}
