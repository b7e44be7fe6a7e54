//! How replies are cut into blocks, by every firmware.
use models::m3_read::responder::firmware::{Firmware, FirmwareError};
use models::m3_read::responder::reply::{Block, BlockError, Pending};
use models::m3_read::responder::{Responder, Setup, SetupError};
use proptest::prelude::*;

fn cut(firmware: &Firmware, payload: &[u8]) -> Vec<Block> {
    let mut pending = Pending::default();
    let mut blocks = vec![pending.start_read_reply(firmware, payload)];
    while blocks.last().is_some_and(Block::more) {
        blocks.push(pending.get_more_data());
    }
    assert_eq!(pending.blocks_left(), 0);
    blocks
}

proptest! {
    /// Cites S:2012-2013.
    #[test]
    fn the_blocks_of_a_reply_are_its_header_and_its_payload_in_order(
        bytes in prop::collection::vec(any::<u8>(), 1..=1_472),
    ) {
        let blocks = cut(&Firmware::M3, &bytes);
        prop_assert_eq!(blocks.len(), if bytes.len() > 893 { 2 } else { 1 });
        prop_assert!(blocks.iter().all(|block| block.data().len() <= 895));
        let sent: Vec<u8> = blocks.iter().flat_map(|block| block.data().to_vec()).collect();
        let total = u16::from_le_bytes([sent[0], sent[1]]);
        prop_assert_eq!(usize::from(total), bytes.len());
        prop_assert_eq!(&sent[2..], bytes.as_slice());
        for (index, block) in blocks.iter().enumerate() {
            let last = index + 1 == blocks.len();
            let text: &[u8] = if last { b"00,OK" } else { b"" };
            prop_assert_eq!((block.more(), block.text()), (!last, text));
        }
    }
}

#[test]
fn the_edges_of_a_block_are_893_and_895() {
    let sizes = |bytes: usize| -> Vec<usize> {
        cut(&Firmware::M3, &vec![0; bytes]).iter().map(|block| block.data().len()).collect()
    };
    assert_eq!(sizes(893), [895]);
    assert_eq!(sizes(894), [895, 1]);
    assert_eq!(sizes(1_472), [895, 579]);
    let stock = cut(&Firmware::STOCK_3_15, &[0; 894]);
    assert_eq!((stock.len(), stock[0].data().len()), (1, 896), "the block that never ends");
}

#[test]
fn more_data_than_there_is_gives_an_empty_last_block_that_says_so() {
    let block = Pending::default().get_more_data();
    assert_eq!((block.data(), block.more()), (&[][..], false));
    assert_eq!(block.text(), b"03,MORE DATA NOT SUPPORTED");
}

#[test]
fn a_block_that_does_not_fit_the_queues_is_refused() {
    assert!(Block::try_new(vec![0; 896], Vec::new(), false).is_ok(), "it fits, and never ends");
    let error = BlockError::Data(897);
    assert_eq!(Block::try_new(vec![0; 897], Vec::new(), false), Err(error));
    assert_eq!(error.to_string(), "897 bytes in a block; 896 fit");
    assert_eq!(Block::try_new(Vec::new(), vec![0; 256], false), Err(BlockError::Text(256)));
}

/// Cites ER-5 (no block may fill the queue), S:2012-2013 (a READ asks for what a reply holds).
#[test]
fn a_firmware_whose_blocks_do_not_fit_is_refused_by_name() {
    for firmware in [
        Firmware::OLD_CORE,
        Firmware::STOCK_3_15,
        Firmware::MULTI_BLOCK_806,
        Firmware::M3,
        Firmware::PYTHON_MODEL,
    ] {
        assert_eq!(firmware.check(), Ok(()));
    }
    let m3 = Firmware::M3;
    let refused = [
        (Firmware { first_block_bytes: 0, ..m3 }, FirmwareError::FirstBlockEmpty),
        (Firmware { first_block_bytes: 895, ..m3 }, FirmwareError::FirstBlockOverQueue(895)),
        (Firmware { continuation_bytes: 896, ..m3 }, FirmwareError::ContinuationNeverEnds(896)),
        (Firmware { continuation_bytes: 0, ..m3 }, FirmwareError::LimitOverBlocks(1_472)),
    ];
    for (firmware, error) in refused {
        assert_eq!(firmware.check(), Err(error));
        let setup = Setup { firmware, ..Setup::m3() };
        assert_eq!(Responder::new(setup).err(), Some(SetupError::Firmware(error)));
    }
    let message = SetupError::Firmware(FirmwareError::ContinuationNeverEnds(896)).to_string();
    assert_eq!(message, "firmware.continuation_bytes is 896; a block of 896 never ends");
}

/// Cites ER-9: handles are 0 to 15.
#[test]
fn a_socket_pool_of_none_or_of_seventeen_is_refused() {
    let with = |pool, used_by_firmware| {
        Responder::new(Setup { pool, used_by_firmware, ..Setup::m3() }).err()
    };
    assert_eq!(with(0, 0), Some(SetupError::Pool(0)));
    assert_eq!(with(17, 0), Some(SetupError::Pool(17)));
    assert_eq!(with(8, 8), Some(SetupError::AllUsed(8)));
    assert_eq!(with(8, 7), None);
}
