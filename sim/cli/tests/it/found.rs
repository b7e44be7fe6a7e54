//! Found by `preflash check wg_mgr --preset HEAD-4 --scene echo`.
use crate::Desk;

/// Cites WG-CMM-2.
#[test]
fn a_callmemaybe_is_not_answered_with_one() {
    Desk::follows(
        r#"(
    version: 1,
    model: "wg_mgr --preset HEAD-4 --scene echo",
    property: "a CallMeMaybe is not answered with one",
    clause: "WG-CMM-2",
    steps: [
        "CallMeMaybe",
        "step",
        "step",
        "step",
        "step",
        "step",
    ],
)
"#,
    );
}
