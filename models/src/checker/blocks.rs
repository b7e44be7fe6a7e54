//! A list that grows by whole blocks: nothing that is in it is ever moved, so growing needs no second
//! copy, and leaves no hole where the first one was.
//!
//! ```text
//!   number = block | place     blocks ─► [ 0 … 4095 ] [ 4096 … 8191 ] [ 8192 …      ]
//! ```
use core::ops::Index;

/// Bits of a number that are the place within its block.
const PLACE_BITS: usize = 12;
const PLACE: usize = (1 << PLACE_BITS) - 1;

/// A list of blocks.
#[derive(Debug)]
pub(super) struct Blocks<T> {
    blocks: Vec<Vec<T>>,
    length: usize,
}

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Self { blocks: Vec::new(), length: 0 }
    }
}

impl<T> Blocks<T> {
    /// How many values there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// Adds a value at the end.
    pub(super) fn push(&mut self, value: T) {
        if self.length & PLACE == 0 {
            self.blocks.push(Vec::with_capacity(PLACE + 1));
        }
        if let Some(last) = self.blocks.last_mut() {
            last.push(value);
        }
        self.length += 1;
    }

    /// The value with this number.
    #[inline]
    pub(super) fn get(&self, number: usize) -> Option<&T> {
        self.blocks.get(number >> PLACE_BITS)?.get(number & PLACE)
    }

    /// The last value, to be changed.
    pub(super) fn last_mut(&mut self) -> Option<&mut T> {
        self.blocks.last_mut()?.last_mut()
    }

    /// The values from a number on.
    pub(super) fn from(&self, number: usize) -> impl Iterator<Item = &T> {
        let first = self.blocks.get(number >> PLACE_BITS);
        let first = first.and_then(|block| block.get(number & PLACE..)).unwrap_or_default();
        let rest = self.blocks.get((number >> PLACE_BITS) + 1..).unwrap_or_default();
        first.iter().chain(rest.iter().flatten())
    }

    /// Bytes that the blocks take.
    pub(super) fn bytes(&self) -> usize {
        self.blocks.len() * ((PLACE + 1) * size_of::<T>() + size_of::<Vec<T>>())
    }
}

impl<T> Index<usize> for Blocks<T> {
    type Output = T;

    #[inline]
    fn index(&self, number: usize) -> &T {
        &self.blocks[number >> PLACE_BITS][number & PLACE]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_list_across_the_edges_of_its_blocks() {
        let mut blocks = Blocks::default();
        let values: Vec<u32> = (0..9_000).map(|at| at * 3).collect();
        for &value in &values {
            blocks.push(value);
        }
        assert_eq!(blocks.len(), values.len());
        for at in [0, 1, 4_095, 4_096, 8_191, 8_192, 8_999] {
            assert_eq!((blocks[at], blocks.get(at)), (values[at], Some(&values[at])));
            assert!(blocks.from(at).eq(&values[at..]));
        }
        assert_eq!((blocks.get(9_000), blocks.from(9_000).next()), (None, None));
        assert_eq!(blocks.last_mut(), Some(&mut (8_999 * 3)));
    }
}
