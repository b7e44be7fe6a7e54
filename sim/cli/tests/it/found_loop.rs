//! Found by `preflash check wg_mgr_passes --preset HEAD-4 --traffic known_keys`.
use crate::Desk;

/// Cites WG-Q1.
#[test]
fn a_tunnel_packet_is_served_some_day() {
    Desk::follows(
        r#"(
    version: 1,
    model: "wg_mgr_passes --preset HEAD-4 --traffic known_keys",
    property: "a tunnel packet is served some day",
    clause: "WG-Q1",
    steps: [
        "wake",
        "pass_start over",
        "no more updates",
        "flash not due",
        "tell a peer",
        "tell a peer",
        "broadcast over",
        "environment sends a tunnel packet",
    ],
    again: Some([
        "environment sends from a known key",
        "open of a known key",
    ]),
)
"#,
    );
}
