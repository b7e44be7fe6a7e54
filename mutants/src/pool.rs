//! Independent pieces of work on all processors, their results in order.
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Does `work` for each index below `count`. Results come in the order of the indices, whatever
/// the order in which the work was done.
pub fn each<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let workers = thread::available_parallelism().map_or(1, usize::from).min(count.max(1));
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(count)));
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        break;
                    }
                    let result = work(index);
                    let mut done = done.lock().expect("no worker panics while it holds the list");
                    done.push((index, result));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no worker panics while it holds the list");
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_indices() {
        assert_eq!(each(5, |index| index * 2), [0, 2, 4, 6, 8]);
        assert_eq!(each(0, |index| index), [0; 0]);
    }
}
