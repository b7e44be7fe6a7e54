//! What a part of a system does is worked out once: a table of questions and their answers that all
//! threads share.
//!
//! ```text
//!   question ──► known? ── yes ─► a copy of the answer
//!                  └ no ─► worked out (without the lock) ─► entered, unless another thread was first
//! ```
//!
//! A state of a closed system is a tuple of parts, and far fewer parts occur than tuples: the READ
//! client's 301 866 states hold 2 558 responders. An action mostly concerns one part, so it is the
//! same for every state that shares this part. An answer depends on its question alone; so which
//! thread works it out first makes no difference.
use core::hash::Hash;
use std::sync::{PoisonError, RwLock};

use super::blocks::Blocks;
use super::hash::fold;
use super::visited::Slots;

/// A table of questions and their answers.
pub struct Memo<Q, A> {
    known: RwLock<Known<Q, A>>,
}

struct Known<Q, A> {
    entries: Blocks<(Q, A)>,
    slots: Slots,
}

impl<Q, A> Default for Memo<Q, A> {
    fn default() -> Self {
        Self { known: RwLock::new(Known { entries: Blocks::default(), slots: Slots::new() }) }
    }
}

impl<Q: Eq, A: Clone> Known<Q, A> {
    /// The number of an entry, or the slot where it belongs.
    fn find(&self, hash: u64, question: &Q) -> Result<u32, usize> {
        self.slots.find(hash, |at| self.entries[at as usize].0 == *question)
    }

    fn answer(&self, number: u32) -> A {
        self.entries[number as usize].1.clone()
    }
}

impl<Q: Hash + Eq, A: Clone> Memo<Q, A> {
    /// The answer to `question`, which `work` gives when it is asked for the first time.
    pub fn answer(&self, question: Q, work: impl FnOnce(&Q) -> A) -> A {
        let hash = fold(&question);
        // A thread that died holding the lock has entered an answer whole, or not at all.
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Ok(number) = known.find(hash, &question) {
            return known.answer(number);
        }
        drop(known);
        let answer = work(&question);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        match known.find(hash, &question) {
            Ok(number) => known.answer(number),
            Err(place) => {
                let number = u32::try_from(known.entries.len()).expect("fewer than 2^32 answers");
                known.entries.push((question, answer.clone()));
                known.slots.enter(place, hash, number);
                answer
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_question_is_worked_out_once_and_every_answer_is_its_own() {
        let (memo, worked) = (Memo::default(), AtomicUsize::new(0));
        for _ in 0..2 {
            for question in 0_u64..3_000 {
                let work = |question: &u64| {
                    worked.fetch_add(1, Ordering::Relaxed);
                    question * 7
                };
                assert_eq!(memo.answer(question, work), question * 7);
            }
        }
        assert_eq!(worked.into_inner(), 3_000);
    }

    #[test]
    fn threads_that_ask_at_once_get_the_same_answers() {
        let memo = Memo::default();
        let ask = || (0_u32..2_000).map(|it| memo.answer(it, |it| it ^ 5)).collect::<Vec<_>>();
        let (one, two) = std::thread::scope(|scope| {
            let other = scope.spawn(ask);
            (ask(), other.join().expect("it does not panic"))
        });
        assert_eq!(one, two);
        assert_eq!(one, (0..2_000).map(|it| it ^ 5).collect::<Vec<u32>>());
    }
}
