//! What a configuration may not be, and what the three arms are.
use firmware_core::m3_read::M3Read;
use firmware_core::m3_read::config::{Blocks, BoundField, Bounds, Config, ConfigError};
use firmware_core::m3_read::output::Access;
use firmware_core::m3_read::preset::Arm;
use firmware_core::m3_read::registers::Register;

type Change = fn(&mut Bounds, u16);

#[track_caller]
fn refused(config: Config, error: ConfigError, field: &str) {
    assert_eq!(config.check(), Err(error));
    assert_eq!(error.field(), field);
    assert!(error.to_string().starts_with(field), "{error}");
    assert_eq!(M3Read::new(config).err(), Some(error));
}

/// Cites S:2012-2013.
#[test]
fn a_request_of_none_or_of_more_than_1472_is_refused() {
    let with = |request_max| Config { request_max, ..Arm::Two.config() };
    refused(with(0), ConfigError::RequestZero, "request_max");
    refused(with(1_473), ConfigError::RequestOverLimit(1_473), "request_max");
    for request in [1, 893, 894, 1_472] {
        assert_eq!(with(request).check(), Ok(()));
    }
}

/// Cites ER-5.
#[test]
fn a_block_that_fills_the_response_ram_is_refused() {
    let with = |first_block_bytes| Config { first_block_bytes, ..Arm::Two.config() };
    refused(with(0), ConfigError::FirstBlockZero, "first_block_bytes");
    // 894 and the header are 896.
    refused(with(894), ConfigError::FirstBlockNeverEnds(894), "first_block_bytes");
    refused(with(896), ConfigError::FirstBlockNeverEnds(896), "first_block_bytes");
    refused(with(500), ConfigError::RequestNeedsThreeBlocks(1_472), "request_max");
    assert_eq!(with(577).check(), Ok(()), "577 + 895 = 1472");
}

#[test]
fn one_block_holds_no_more_than_894_bytes() {
    let with = |request_max| Config { request_max, ..Arm::One.config() };
    assert_eq!(with(894).check(), Ok(()), "what firmware 3.15 took, and hung on");
    refused(with(895), ConfigError::RequestNeedsTwoBlocks(895), "request_max");
}

#[test]
fn a_bound_of_nothing_or_of_more_than_half_the_clock_is_refused_by_name() {
    let with = |change: Change, units: u16| {
        let mut config = Arm::Two.config();
        change(&mut config.bounds, units);
        config
    };
    let fields: [(Change, BoundField, &str); 6] = [
        (|bounds, units| bounds.open = units, BoundField::Open, "bounds.open"),
        (|bounds, units| bounds.command = units, BoundField::Command, "bounds.command"),
        (|bounds, units| bounds.post_abort = units, BoundField::PostAbort, "bounds.post_abort"),
        (
            |bounds, units| bounds.unknown_push = units,
            BoundField::UnknownPush,
            "bounds.unknown_push",
        ),
        (|bounds, units| bounds.ready = units, BoundField::Ready, "bounds.ready"),
        (|bounds, units| bounds.ready_poll = units, BoundField::ReadyPoll, "bounds.ready_poll"),
    ];
    for (change, field, name) in fields {
        for units in [0, 0x8000] {
            refused(with(change, units), ConfigError::BoundOutOfRange(field, units), name);
        }
        assert_eq!(with(change, 0x7FFF).check(), Ok(()));
    }
}

/// Cites S:2012-2013.
#[test]
fn the_arms_are_the_published_builds() {
    let figures = Arm::ALL.map(|arm| {
        let config = arm.config();
        assert_eq!(config.check(), Ok(()));
        let read = config.fence_after(Access::Read(Register::Response));
        let write = config.fence_after(Access::Write { register: Register::Control, value: 2 });
        let source = config.fence_after(Access::WriteSource { offset: 0 });
        assert_eq!((write, source), (true, true), "every arm fences its writes");
        assert!(!config.fence_after(Access::Clock), "the clock is not of this interface");
        (arm.name(), read, config.request_max, config.blocks)
    });
    let published = [
        ("F", true, 893, Blocks::One),
        ("1", false, 893, Blocks::One),
        ("2", false, 1_472, Blocks::Two),
    ];
    assert_eq!(figures, published);
}
