//! CRC-32 as Ethernet and zip have it: the oracle that compares what was sent with what arrived.

/// A running CRC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Crc(u32);

const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut index: u32 = 0;
    while index < 256 {
        let (mut row, mut bit) = (index, 0);
        while bit < 8 {
            row = if row & 1 == 1 { (row >> 1) ^ 0xEDB8_8320 } else { row >> 1 };
            bit += 1;
        }
        table[index as usize] = row;
        index += 1;
    }
    table
}

impl Crc {
    /// Over nothing yet.
    pub(super) const NEW: Self = Self(u32::MAX);

    /// Takes a byte.
    pub(super) fn take(&mut self, byte: u8) {
        let [low, ..] = self.0.to_le_bytes();
        self.0 = TABLE[usize::from(low ^ byte)] ^ (self.0 >> 8);
    }

    /// The CRC of what was taken.
    pub(super) const fn value(self) -> u32 {
        !self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_the_standard_comes_out() {
        let mut crc = Crc::NEW;
        b"123456789".iter().for_each(|&byte| crc.take(byte));
        assert_eq!(crc.value(), 0xCBF4_3926);
    }
}
