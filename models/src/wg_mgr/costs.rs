//! What each costed operation takes at best and at worst, in whole microseconds, on the boards'
//! `-Og` build: the intervals that the closed system explores and that the bounds are proved for.
//!
//! The figures are those of the cost table `og`; a test of the simulator holds the two against each
//! other. Those that nobody has measured are named by [`is_assumed`], because a bound that rests on
//! one is a bound of the assumption.
use firmware_core::charge::CostKey;

/// One X25519, measured (28.3 ms).
pub const X25519_US: u64 = 28_300;
/// The symmetric half of a box: two quoted remarks contradict each other.
const SYMMETRIC_US: (u64, u64) = (5, 1_000);
const TUNNEL_DATA_US: (u64, u64) = (44, 774);
const STORE_WRITE_US: (u64, u64) = (0, 45_000);
/// A refusal, or an update without cryptography: nobody has measured one.
const SMALL_US: u64 = 50;

/// The least and the most that an operation takes, in microseconds.
pub const fn interval(key: CostKey) -> (u64, u64) {
    let x25519 = key.x25519_count() * X25519_US;
    let (best, worst) = match key {
        CostKey::BoxOpenComputed
        | CostKey::BoxOpenCached
        | CostKey::BoxSealComputed
        | CostKey::BoxSealCached => SYMMETRIC_US,
        CostKey::TunnelData => TUNNEL_DATA_US,
        CostKey::StoreWrite => STORE_WRITE_US,
        CostKey::DiscoReject | CostKey::PeerUpdate | CostKey::TunnelReject => (SMALL_US, SMALL_US),
        CostKey::PeerAdd | CostKey::InitiationReceived | CostKey::ResponseReceived => (0, 0),
    };
    (x25519 + best, x25519 + worst)
}

/// Whether the figure is an assumption: nothing measured or quoted stands behind it.
pub const fn is_assumed(key: CostKey) -> bool {
    matches!(key, CostKey::DiscoReject | CostKey::PeerUpdate | CostKey::TunnelReject)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_initiation_takes_four_x25519_and_nothing_is_faster_at_worst() {
        assert_eq!(interval(CostKey::InitiationReceived), (113_200, 113_200));
        for key in CostKey::ALL {
            let (best, worst) = interval(key);
            assert!(best <= worst, "{key:?}");
        }
    }
}
