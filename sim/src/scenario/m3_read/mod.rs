//! A scenario of the READ path, valid by construction.
pub mod file;
mod reply;

use std::hash::Hasher;

use firmware_core::m3_read::config::Config;
use firmware_core::m3_read::preset::Arm;
use siphasher::sip128::{Hasher128, SipHasher13};

use self::file::{ClientFile, FramingFile, HowFile, PageFile, ReadScenarioFile, StopFile};
use super::check::Check;
use super::error::ScenarioError;
use super::file::VERSION;
use super::file::units::Count;
use super::outline::Step::Field;
use super::source::Source;
use super::{Expectation, Overrides, expect, schema};
use crate::read::c64::C64;
use crate::read::parameters::Parameters;
use crate::read::reply::STATUS_MOST;
use crate::read::server::{ChunkSizes, Ending, Framing, Page, PageError};
use crate::read::{Fetch, Late};

/// One fetch, ready to be carried out.
#[derive(Clone, Debug)]
pub struct ReadScenario {
    /// What the run is about, in one line.
    pub title: String,
    /// The client's build.
    pub arm: Arm,
    /// What is fetched, by which client, on which machine.
    pub fetch: Fetch,
    /// How many fetches around it are drawn instead, if any.
    pub search_draws: Option<u64>,
    /// What the run must show.
    pub expect: Vec<Expectation>,
    /// 128 bits over everything above except the seed.
    pub hash: u128,
}

pub(super) fn from_source(
    mut source: Source,
    overrides: &Overrides,
) -> Result<ReadScenario, ScenarioError> {
    let mut file: ReadScenarioFile = source.parse(VERSION)?;
    if !overrides.is_empty() {
        overrides.apply(&mut source, schema::read_fields())?;
        file = source.parse(VERSION)?;
    }
    scenario(&Check::of(source), &file)
}

fn scenario(check: &Check, file: &ReadScenarioFile) -> Result<ReadScenario, ScenarioError> {
    let arm = arm(check, &file.arm)?;
    let parameters = file.parameters.over(Parameters::BENCH);
    C64::new(&parameters).map_err(|bad| {
        check.rule(
            &[Field("parameters"), Field(bad.field)],
            format!("`{}` {}", bad.field, bad.why()),
        )
    })?;
    let step = file.step_bytes.get();
    if step == 0 {
        return Err(check.rule(&[Field("step_bytes")], "a step brings at least 1 byte"));
    }
    let late = |late: file::LateFile| Late {
        continuation: whole(late.continuation.get()),
        by: late.by_ms.0,
    };
    let fetch = Fetch {
        config: client(check, arm, file.client)?,
        parameters,
        page: page(check, &file.page)?,
        sent_bytes: file.stops.map_or(u32::MAX, |stop| whole(stop.after_bytes.get())),
        ending: ending(file.stops),
        pause: file.pauses.map(reply::pause),
        damage: file.damage.map(reply::damage),
        refusal: refusal(check, file.refusal.as_deref())?,
        reply: file.reply.as_ref().map(|file| reply::reply(check, file)).transpose()?,
        late: file.late.map(late),
        clock_stands_still: file.clock_stands_still,
        sink_bytes: file.sink_bytes.map_or(u32::MAX, |sink| whole(sink.get())),
        step_bytes: u32::try_from(step).expect("its range fits"),
        seed: file.seed,
    };
    let expect = expect::expectations(check, &file.expect)?;
    let search_draws = file.search.map(|search| search.draws.get());
    let title = file.title.clone();
    let mut scenario = ReadScenario { title, arm, fetch, search_draws, expect, hash: 0 };
    scenario.hash = hash(&scenario);
    Ok(scenario)
}

fn arm(check: &Check, name: &str) -> Result<Arm, ScenarioError> {
    Arm::ALL.into_iter().find(|arm| arm.name() == name).ok_or_else(|| {
        let names = Arm::ALL.map(Arm::name);
        check.unknown(&[Field("arm")], "arm", name, &names)
    })
}

fn whole(count: u64) -> u32 {
    u32::try_from(count).expect("its range fits")
}

fn ending(stops: Option<StopFile>) -> Ending {
    match stops.map(|stop| stop.how) {
        None | Some(HowFile::Silent) => Ending::Silent,
        Some(HowFile::Notified) => Ending::Notified,
        Some(HowFile::WithoutNotify) => Ending::WithoutNotify,
    }
}

fn client(check: &Check, arm: Arm, file: ClientFile) -> Result<Config, ScenarioError> {
    let build = arm.config();
    let or = |count: Option<Count<{ u16::MAX as u64 }>>, build| count.map_or(build, Count::to_u16);
    let config = Config {
        request_max: or(file.request_max, build.request_max),
        first_block_bytes: or(file.first_block_bytes, build.first_block_bytes),
        ..build
    };
    config
        .check()
        .map_err(|error| check.rule(&[Field("client"), Field(error.field())], error.to_string()))?;
    Ok(config)
}

fn refusal(check: &Check, line: Option<&str>) -> Result<Option<String>, ScenarioError> {
    match line {
        Some(line) if line.len() > STATUS_MOST => {
            let why = format!("a status line has at most {STATUS_MOST} bytes");
            Err(check.rule(&[Field("refusal")], why))
        }
        line => Ok(line.map(str::to_owned)),
    }
}

fn page(check: &Check, file: &PageFile) -> Result<Page, ScenarioError> {
    let framing = match &file.framing {
        FramingFile::ContentLength => Framing::ContentLength,
        FramingFile::Unframed => Framing::Unframed,
        FramingFile::Chunked { sizes_bytes } => {
            let sizes: Vec<u32> = sizes_bytes.iter().map(|size| whole(size.get())).collect();
            let sizes = ChunkSizes::try_new(&sizes).map_err(|error| {
                check.rule(&[Field("page"), Field("framing")], error.to_string())
            })?;
            Framing::Chunked(sizes)
        }
    };
    let page = Page {
        body_bytes: whole(file.body_bytes.get()),
        head_bytes: whole(file.head_bytes.get()),
        framing,
        blank_line_every_bytes: whole(file.blank_line_every_bytes.get()),
    };
    page.check().map_err(|error| {
        let field = match error {
            PageError::BodyOver24Bits(_) => "body_bytes",
            PageError::Head(_) => "head_bytes",
            PageError::BlankLines(_) => "blank_line_every_bytes",
        };
        check.rule(&[Field("page"), Field(field)], error.to_string())
    })?;
    Ok(page)
}

/// A hash of everything that a run depends on except the seed.
fn hash(scenario: &ReadScenario) -> u128 {
    let mut same = scenario.clone();
    (same.fetch.seed, same.hash) = (0, 0);
    for expectation in &mut same.expect {
        expectation.line = 0;
    }
    let mut hasher = SipHasher13::new();
    hasher.write(format!("{same:?}").as_bytes());
    hasher.finish128().as_u128()
}
