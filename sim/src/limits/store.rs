//! The flash partition of the peer cache (facts f1).
//!
//! A page has 126 entries of 32 bytes; one page is kept free, and a blob is written before its
//! predecessor is erased, so two copies must fit.
use super::{Basis, Limit};

const PAGE: u64 = 4_096;
const PAGE_USABLE: u64 = 126 * 32;
const ALLOWLIST: u64 = 2 + 28 * 512;
/// Settings, and what Wi-Fi keeps at most.
const OTHERS: u64 = 460 + 1_570;

/// Bytes of a blob of so many entries (WG-NVS-2).
pub(super) fn blob(entries: u16) -> u64 {
    4 + 92 * u64::from(entries)
}

/// Bytes that a partition of `bytes` can hold.
pub(super) const fn usable(bytes: u64) -> u64 {
    (bytes / PAGE).saturating_sub(1) * PAGE_USABLE
}

pub(super) fn rows(basis: &Basis<'_>) -> Vec<Limit> {
    let blob = blob(basis.config.store_entries);
    let alone = 2 * blob;
    let with_others = alone + 2 * ALLOWLIST + OTHERS;
    let row = |name, need, kib: u64, source| Limit {
        name,
        unit: "B",
        need,
        limit: usable(kib * 1_024),
        source,
        breaks: "the peer cache cannot be rewritten: it keeps the table of an earlier day",
    };
    vec![
        row(
            "nvs_24_kib_cache",
            alone,
            24,
            "two copies of the peer cache in the 24 KiB of units before 2026-07-21",
        ),
        row("nvs_64_kib_cache", alone, 64, "two copies of the peer cache in 64 KiB"),
        row(
            "nvs_64_kib_all",
            with_others,
            64,
            "the same with two copies of a full allowlist, settings and Wi-Fi in 64 KiB",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cites WG-NVS-2 and facts f1.
    #[test]
    fn a_blob_and_a_partition_have_their_published_sizes() {
        assert_eq!([16, 64, 128, 256].map(blob), [1_476, 5_892, 11_780, 23_556]);
        assert_eq!([24, 64].map(|kib| usable(kib * 1_024)), [20_160, 60_480]);
    }
}
