//! Every reply of the grammar, played on the bus: each ends as the clauses say, none is missing, none
//! is there twice.
use firmware_core::m3_read::config::{Config, FIRST_BLOCK_MAX};
use firmware_core::m3_read::copy::Hole;
use firmware_core::m3_read::output::{CloseOutcome, PollOutcome};
use firmware_core::m3_read::preset::Arm;
use models::m3_read::holes::expected::{Expected, expected};
use models::m3_read::holes::grammar::{
    Announced, BLOCKS_MAX, Delivery, Fill, Reply, Tail, count, replies, stream_byte,
};
use models::m3_read::holes::refusal::refusals;
use models::m3_read::holes::run::{Played, Stage};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The arm with blocks of four bytes: the same decisions, in a thousandth of the accesses.
fn small(arm: Arm) -> Config {
    let request_max = if arm == Arm::Two { 7 } else { 4 };
    Config { request_max, first_block_bytes: 4, ..arm.config() }
}

/// What follows from any outcome: the session is closed exactly if it is ours, and a client that is
/// not connected touches nothing.
#[track_caller]
fn agrees(played: &Played, expected: &Expected, what: &dyn core::fmt::Debug) {
    assert_eq!(&played.end, expected, "{what:?}");
    assert_eq!(played.violations, [], "{what:?}");
    let connected = matches!(expected.outcome, PollOutcome::Data(_) | PollOutcome::Idle);
    let again = if connected { PollOutcome::Idle } else { PollOutcome::End };
    assert_eq!(played.again, again, "{what:?}");
    assert_eq!(played.close_sent, expected.owned, "{what:?}");
    let closed = if expected.owned { CloseOutcome::Closed } else { CloseOutcome::NothingOwned };
    assert_eq!(played.closed, closed, "{what:?}");
}

#[track_caller]
fn plays_as_expected(stage: &Stage, config: &Config, reply: &Reply) -> Expected {
    let sent = reply.sent(config);
    let expected = expected(config, reply.announced.bytes(config), &sent);
    let played = stage.play(&sent, b"00,OK").expect("every block of the grammar fits");
    agrees(&played, &expected, reply);
    expected
}

/// Cites ER-5, ER-1 N-1, S:2012-2013.
#[test]
fn every_reply_of_up_to_three_blocks_ends_as_the_clauses_say() {
    let mut table = String::new();
    // Legal: each total that fits, each of its blocks on time or late. One block: four totals twice.
    // Two blocks: three totals twice, two totals four times.
    for (arm, legal) in [(Arm::One, 4 * 2), (Arm::Two, 3 * 2 + 2 * 4)] {
        let config = small(arm);
        let stage = Stage::set(config).expect("the small arms are sound");
        let mut tally = Tally::default();
        for reply in replies(BLOCKS_MAX) {
            let end = plays_as_expected(&stage, &config, &reply);
            tally.count(&config, &reply, &end);
        }
        assert_eq!(tally.legal, legal, "arm {}", arm.name());
        assert_eq!(tally.complete, complete_though_illegal(arm), "arm {}", arm.name());
        writeln!(table, "arm {}\n{tally}", arm.name()).expect("a string takes every line");
    }
    insta::assert_snapshot!("outcomes_of_all_replies", table);
}

/// Replies that no firmware sends and that bring every byte all the same: a long block whose reset
/// falls just behind the one byte that was owed of it (what follows such a block is never looked at),
/// and a single last block that holds one byte more than a first block should, on time or late.
const fn complete_though_illegal(arm: Arm) -> usize {
    let (any_two_more, any_more, tails) = (1 + 15 + 15 * 15, 1 + 15, 2);
    let in_first_block = any_two_more * tails;
    // Behind a full first block, on time or late.
    let in_continuation = 2 * any_more * tails;
    match arm {
        Arm::F | Arm::One => in_first_block,
        Arm::Two => in_first_block + in_continuation + 2,
    }
}

#[derive(Default)]
struct Tally {
    legal: usize,
    complete: usize,
    outcomes: BTreeMap<String, (usize, usize)>,
}

impl Tally {
    #[track_caller]
    fn count(&mut self, config: &Config, reply: &Reply, end: &Expected) {
        let total = reply.announced.bytes(config);
        let stream: Vec<u8> = (0..total).map(stream_byte).collect();
        let whole = end.outcome == PollOutcome::Data(total);
        assert_eq!(whole, end.ring == stream && matches!(end.outcome, PollOutcome::Data(_)));
        assert!(whole || !reply.is_legal(config), "{reply:?}");
        self.legal += usize::from(reply.is_legal(config));
        self.complete += usize::from(whole && !reply.is_legal(config));
        let name = match end.outcome {
            PollOutcome::Data(_) => "Data".to_owned(),
            other => format!("{other:?}"),
        };
        let row = self.outcomes.entry(name).or_default();
        row.0 += 1;
        row.1 += usize::from(!stream.starts_with(&end.ring));
    }
}

impl core::fmt::Display for Tally {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        writeln!(out, "  {:>6} {:>8}  outcome", "replies", "foreign")?;
        for (outcome, (replies, foreign)) in &self.outcomes {
            writeln!(out, "  {replies:>7} {foreign:>8}  {outcome}")?;
        }
        Ok(())
    }
}

/// The figures of the published arms, one and two blocks long: here a first block of one byte too
/// many fills the response RAM and never ends.
#[test]
fn every_reply_of_up_to_two_blocks_ends_as_the_clauses_say_at_full_size() {
    let mut never_ending = 0;
    for arm in [Arm::One, Arm::Two] {
        let config = arm.config();
        let stage = Stage::set(config).expect("the arms are sound");
        for reply in replies(2) {
            let end = plays_as_expected(&stage, &config, &reply);
            never_ending += usize::from(end.outcome == PollOutcome::Hole(Hole::BlockNeverEnds));
        }
    }
    assert!(never_ending > 0, "the RAM was filled");
}

#[test]
fn arm_f_differs_from_arm_1_in_its_fences_only_so_its_replies_end_alike() {
    let fences = Arm::One.config().fences;
    assert_eq!(Config { fences, ..Arm::F.config() }, Arm::One.config());
}

/// Cites ER-7, ER-12, S 1.6, S 1.6 M10.
#[test]
fn every_reply_without_a_count_ends_as_the_clauses_say() {
    let all = refusals();
    assert_eq!(all.len(), 6 * 25 * 2 * 2);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    let stage = Stage::set(Arm::Two.config()).expect("the arm is sound");
    for refusal in all {
        let played = stage
            .play(&[refusal.sent()], refusal.line.as_bytes())
            .expect("every reply without a count fits");
        agrees(&played, &refusal.expected(), &refusal);
    }
}

/// The published client knows its one continuation by the count of bytes copied, which an empty block
/// leaves at 893: so an empty Data More block would let it accept another one, and so on for ever.
/// Cites ER-5.
#[test]
fn an_empty_data_more_continuation_is_not_followed_by_a_second_one() {
    let config = Arm::Two.config();
    let stage = Stage::set(config).expect("the arm is sound");
    let reply = Reply {
        announced: Announced::FullBlockAndOne,
        blocks: vec![
            (Fill::Exact, Delivery::OnTime),
            (Fill::Short, Delivery::OnTime),
            (Fill::Exact, Delivery::OnTime),
        ],
        tail: Tail::Last,
    };
    let sent = reply.sent(&config);
    assert_eq!((sent[1].data.len(), sent[1].more), (0, true), "the continuation is empty");
    let played = stage.play(&sent, b"00,OK").expect("the blocks fit");
    assert_eq!(played.end.outcome, PollOutcome::Hole(Hole::SecondMore));
    assert_eq!((played.end.accepts_on_more, played.end.aborts), (1, 1));
    assert_eq!(played.end.ring.len(), usize::from(FIRST_BLOCK_MAX));
}

#[test]
fn the_set_is_the_whole_product_and_holds_no_reply_twice() {
    // Fifteen words a block, lists of one to three, two tails, six totals.
    assert_eq!((15 + 15 * 15 + 15 * 15 * 15) * 2 * 6, 43_380);
    assert_eq!(count(3), 43_380);
    let all = replies(BLOCKS_MAX);
    assert_eq!(all.len(), 43_380);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 43_380);
}
