//! The READ client against a firmware that lets it wait as long as it may: no request lasts longer
//! than its bound, and the slowest course comes close to it.
use firmware_core::m3_read::M3Read;
use firmware_core::m3_read::config::Config;
use firmware_core::m3_read::input::{Input, OpenRequest, Request as Asked, Trust};
use firmware_core::m3_read::output::{Access, Done, Next};
use firmware_core::m3_read::ownership::Connection;
use firmware_core::m3_read::preset::Arm;
use firmware_core::m3_read::registers::Register;
use models::bound::read::{Machine, Request, Wait};
use proptest::prelude::*;

const MS: u64 = 1_000_000;
/// A slow machine, so that twelve seconds are few polls.
const SLOW: Machine = Machine { access_ns: MS / 2, fence_ns: 5 * MS, unit_ns: 10 * MS };
/// The bench: NTSC, turbo, accesses at bus speed, a fence of 5 474 cycles.
const BENCH: Machine = Machine { access_ns: 2_000, fence_ns: 123_000, unit_ns: 9_999_746 };

/// When a wait is ended by the firmware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    AtOnce,
    Halfway,
    /// Three polls before its bound.
    JustInTime,
    Never,
}

/// How the firmware lets the client wait; and what a READ brings.
#[derive(Clone, Copy, Debug)]
struct Course {
    idle: Ends,
    unknown_abort: Ends,
    first_block: Ends,
    continuation: Ends,
    abort: Ends,
    /// The first push of each CLOSE is refused.
    refuses: bool,
    ready: bool,
    reply: Reply,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reply {
    Data(u16),
    TwoBlocks,
    Short,
    Endless,
    Nothing,
}

const KIND: Course = Course {
    idle: Ends::AtOnce,
    unknown_abort: Ends::AtOnce,
    first_block: Ends::AtOnce,
    continuation: Ends::AtOnce,
    abort: Ends::AtOnce,
    refuses: false,
    ready: true,
    reply: Reply::Data(8),
};

/// The registers, and the time at which what they show changes.
struct Firmware {
    config: Config,
    machine: Machine,
    course: Course,
    now: u64,
    command: Vec<u8>,
    pushed: Option<Vec<u8>>,
    begun: u64,
    phase: Phase,
    blocks: Vec<Vec<u8>>,
    text: Vec<u8>,
    refusals: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Before,
    Running,
    Replied,
    Continuing,
    Refused,
    Aborting(Wait),
}

impl Firmware {
    fn new(config: Config, machine: Machine) -> Self {
        Self {
            config,
            machine,
            course: KIND,
            now: 0,
            command: Vec::new(),
            pushed: None,
            begun: 0,
            phase: Phase::Before,
            blocks: Vec::new(),
            text: Vec::new(),
            refusals: 0,
        }
    }

    /// Whether a wait that began with the phase has been ended.
    fn ended(&self, wait: Wait, ends: Ends) -> bool {
        let bound = u64::from(wait.units(&self.config.bounds)) * self.machine.unit_ns;
        let poll = 4 * self.machine.access_ns + self.machine.fence_ns;
        let after = match ends {
            Ends::AtOnce => 0,
            Ends::Halfway => bound / 2,
            Ends::JustInTime => bound.saturating_sub(3 * poll),
            Ends::Never => return false,
        };
        self.now - self.begun >= after
    }

    fn enter(&mut self, phase: Phase) {
        (self.phase, self.begun) = (phase, self.now);
    }

    fn status(&mut self) -> u8 {
        let course = self.course;
        match self.phase {
            Phase::Before if self.ended(Wait::Idle, course.idle) => 0x00,
            Phase::Before => 0x10,
            Phase::Running => {
                let open = self.pushed.as_ref().is_some_and(|bytes| bytes.get(1) == Some(&0x21));
                let wait = if open { Wait::Opened } else { Wait::FirstBlock };
                if !self.ended(wait, course.first_block) {
                    return 0x11;
                }
                self.reply();
                self.shows()
            }
            Phase::Continuing if self.ended(Wait::Continuation, course.continuation) => {
                self.enter(Phase::Replied);
                self.shows()
            }
            Phase::Continuing => 0x12,
            Phase::Replied => self.shows(),
            Phase::Refused => 0x18,
            Phase::Aborting(wait) => {
                let ends =
                    if wait == Wait::UnknownAbort { course.unknown_abort } else { course.abort };
                if self.ended(wait, ends) { 0x00 } else { 0x14 }
            }
        }
    }

    fn shows(&self) -> u8 {
        let data = self.blocks.first().is_some_and(|block| !block.is_empty());
        let more = self.blocks.len() > 1;
        u8::from(data) << 7
            | u8::from(!more && !self.text.is_empty()) << 6
            | if more { 0x30 } else { 0x20 }
    }

    fn reply(&mut self) {
        let command = self.pushed.clone().unwrap_or_default();
        let number = command.get(1).copied().unwrap_or(0);
        self.text = b"00,OK".to_vec();
        let mut ready = vec![1, 2, 0, 7, 7, 3, 1, 0x35, 1, 255, 255, 255, 0, 0, 0, 0];
        ready[4] = if self.course.ready { 7 } else { 0 };
        self.blocks = match number {
            0x23 => vec![ready],
            0x21 => vec![vec![5, 4, 3, 1, 0x13, 0x1d, 0, 0]],
            0x25 => vec![vec![1]],
            0x10 => self.read(),
            _ => vec![Vec::new()],
        };
        let refused = number == 0x09 && self.course.refuses && self.refusals.is_multiple_of(2);
        self.refusals += u32::from(number == 0x09);
        self.enter(if refused { Phase::Refused } else { Phase::Replied });
    }

    fn read(&mut self) -> Vec<Vec<u8>> {
        let with = |total: u16, bytes: u16| {
            let mut block = total.to_le_bytes().to_vec();
            block.resize(usize::from(bytes) + 2, 0x5a);
            block
        };
        match self.course.reply {
            Reply::Data(bytes) => vec![with(bytes, bytes)],
            Reply::TwoBlocks => vec![with(1_472, 893), vec![0x5a; 579]],
            Reply::Short => vec![with(100, 50)],
            Reply::Endless => vec![with(100, 4_000)],
            Reply::Nothing => {
                self.text = b"02,NO DATA: 11".to_vec();
                vec![vec![0xff, 0xff]]
            }
        }
    }

    fn write(&mut self, register: Register, value: u8) {
        if register == Register::Command {
            if self.command.is_empty() {
                self.enter(Phase::Before);
                self.course.idle = Ends::AtOnce;
            }
            self.command.push(value);
            return;
        }
        if value & 0x01 != 0 {
            self.pushed = Some(std::mem::take(&mut self.command));
            self.enter(Phase::Running);
        }
        if value & 0x02 != 0 {
            self.blocks.drain(..1.min(self.blocks.len()));
            let next = if self.blocks.is_empty() { Phase::Before } else { Phase::Continuing };
            self.enter(next);
        }
        if value & 0x04 != 0 {
            let unknown = self.phase == Phase::Before;
            self.enter(Phase::Aborting(if unknown { Wait::UnknownAbort } else { Wait::Abort }));
        }
    }

    fn access(&mut self, access: Access) -> Input {
        let clock = matches!(access, Access::Clock);
        self.now += self.machine.access_ns * if clock { 3 } else { 1 };
        let input = match access {
            Access::Clock => {
                let units = self.now / self.machine.unit_ns;
                Input::Clock(!u16::try_from(units % 65_536).expect("below 2^16"))
            }
            Access::Read(Register::Control) => Input::Byte(self.status()),
            Access::Read(Register::Response) => {
                let block = self.blocks.first_mut().filter(|block| !block.is_empty());
                Input::Byte(block.map_or(0, |block| block.remove(0)))
            }
            Access::Read(Register::Text) => {
                Input::Byte(if self.text.is_empty() { 0 } else { self.text.remove(0) })
            }
            Access::Read(_) => Input::Byte(0xc9),
            Access::Write { register, value } => {
                self.write(register, value);
                Input::Written
            }
            Access::WriteSource { .. } => {
                self.write(Register::Command, b'a');
                Input::Written
            }
        };
        if self.config.fence_after(access) {
            self.now += self.machine.fence_ns;
        }
        input
    }

    /// Carries out a request; how it ended, and how long it took.
    fn ask(&mut self, reader: &mut M3Read, request: Asked) -> (Done, u64) {
        let began = self.now;
        self.begun = began;
        let mut input = Input::Request(request);
        loop {
            match reader.step(input).next {
                Next::Access(access) => input = self.access(access),
                Next::Done(done) => return (done, self.now - began),
                Next::Unexpected => panic!("the core refuses an answer"),
            }
        }
    }
}

const SERVER: OpenRequest =
    OpenRequest { port: 443, trust: Trust::Bundle, tls13_only: true, host_bytes: 9 };

/// A client with an open session.
fn connected(config: Config, machine: Machine) -> (M3Read, Firmware) {
    let mut reader = M3Read::new(config).expect("an arm");
    let mut firmware = Firmware::new(config, machine);
    firmware.ask(&mut reader, Asked::Open(SERVER));
    assert_eq!(reader.connection(), Connection::Connected);
    (reader, firmware)
}

fn asked(request: Request) -> Asked {
    match request {
        Request::Read => Asked::Poll,
        Request::Close => Asked::Close,
        Request::Open => Asked::Open(SERVER),
    }
}

fn lasts(arm: Arm, machine: Machine, request: Request, course: Course) -> u64 {
    let config = arm.config();
    let (mut reader, mut firmware) = connected(config, machine);
    firmware.course = course;
    firmware.enter(Phase::Before);
    firmware.ask(&mut reader, asked(request)).1
}

fn ends() -> impl Strategy<Value = Ends> {
    prop::sample::select(vec![Ends::AtOnce, Ends::Halfway, Ends::JustInTime, Ends::Never])
}

prop_compose! {
    fn course()(
        idle in ends(),
        unknown_abort in ends(),
        first_block in ends(),
        continuation in ends(),
        abort in ends(),
        refuses in any::<bool>(),
        ready in any::<bool>(),
        reply in prop::sample::select(vec![
            Reply::Data(8), Reply::Data(893), Reply::TwoBlocks, Reply::Short, Reply::Endless,
            Reply::Nothing,
        ]),
    ) -> Course {
        Course { idle, unknown_abort, first_block, continuation, abort, refuses, ready, reply }
    }
}

proptest! {
    /// Cites ER-1, ER-1 N-1, ER-10, App. A: observed <= proved for the READ client.
    #[test]
    fn no_request_lasts_longer_than_its_bound(
        course in course(),
        arm in prop::sample::select(Arm::ALL.to_vec()),
        request in prop::sample::select(Request::ALL.to_vec()),
    ) {
        let observed = lasts(arm, SLOW, request, course);
        let proved = request.most_ns(&arm.config(), SLOW);
        prop_assert!(observed <= proved, "the bound is at fault: {observed} > {proved}");
    }
}

/// Facts c.1: 12 s, 45 s and their sums, on NTSC.
#[test]
fn the_bounds_are_the_published_seconds_and_at_most_a_poll_more() {
    for arm in Arm::ALL {
        let config = arm.config();
        let seconds = |wait: Wait| wait.most_ns(&config, BENCH) as f64 / 1e9;
        for (wait, published) in [
            (Wait::Idle, 12.0),
            (Wait::UnknownAbort, 45.0),
            (Wait::FirstBlock, 12.0),
            (Wait::Opened, 45.0),
            (Wait::Continuation, 12.0),
            (Wait::Abort, 12.0),
            (Wait::Ready, 30.0),
        ] {
            let lasts = seconds(wait);
            assert!((published - 0.002..published + 0.002).contains(&lasts), "{wait:?}: {lasts}");
        }
        // 12 + 45 + 12 + 12 s, and 12 s more where there is a continuation.
        let waits = if arm == Arm::Two { 93.0 } else { 81.0 };
        let whole = Request::Read.most_ns(&config, BENCH) as f64 / 1e9;
        assert!((waits..waits + 1.0).contains(&whole), "{whole}");
        let close = Request::Close.most_ns(&config, BENCH) as f64 / 1e9;
        assert!((150.0..152.0).contains(&close), "69 and 81 s: {close}");
        let open = Request::Open.most_ns(&config, BENCH) as f64 / 1e9;
        // 150 s for the old session, 30 and 81 s of polls, 114 s, and 2 x 81 s of RELEASE.
        assert!((537.0..556.0).contains(&open), "{open}");
    }
}

/// Cites ER-1: a firmware that is busy with another command, serves the abort late, answers late and
/// loses the continuation, makes READ last nearly as long as is proved.
#[test]
fn the_slowest_course_of_a_read_comes_close_to_its_bound() {
    let slowest = Course {
        idle: Ends::Never,
        unknown_abort: Ends::JustInTime,
        first_block: Ends::JustInTime,
        continuation: Ends::Never,
        abort: Ends::JustInTime,
        reply: Reply::TwoBlocks,
        ..KIND
    };
    for arm in Arm::ALL {
        let observed = lasts(arm, BENCH, Request::Read, slowest);
        let proved = Request::Read.most_ns(&arm.config(), BENCH);
        assert!(observed <= proved && proved - observed < 1_000 * MS, "{observed} of {proved}");
    }
}
