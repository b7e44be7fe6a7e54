//! What is fetched, by which client, on which machine, and what goes wrong on the way.
use super::bus::{BusError, Late};
use super::engine::{STEP_BYTES, Source};
use super::parameters::Parameters;
use super::reply::{Reply, ReplyError};
use super::server::{Damage, DamageKind, Ending, Page, PageError, Pause};
use firmware_core::m3_read::config::{Config, ConfigError};
use firmware_core::m3_read::preset::Arm;
use models::m3_read::responder::script::RECORD_BYTES;

/// One fetch of one page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// The client.
    pub config: Config,
    /// Machine, engine and consumer.
    pub parameters: Parameters,
    /// The page.
    pub page: Page,
    /// After how many bytes of the body the server stops; all of them by default.
    pub sent_bytes: u32,
    /// What it does then.
    pub ending: Ending,
    /// A silence before that.
    pub pause: Option<Pause>,
    /// A byte that is lost or comes twice.
    pub damage: Option<Damage>,
    /// The status line that the session is refused with.
    pub refusal: Option<String>,
    /// A reply in place of one of the engine's steps.
    pub reply: Option<Reply>,
    /// A continuation that comes late.
    pub late: Option<Late>,
    /// Whether the client's deadline clock stands still.
    pub clock_stands_still: bool,
    /// Bytes of body that the consumer's sink has room for.
    pub sink_bytes: u32,
    /// Plaintext bytes of one engine step, 1..=16 384.
    pub step_bytes: u32,
    /// Where chance begins.
    pub seed: u64,
}

/// Why there was no fetch, or none to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The client's configuration.
    #[error("client.{0}")]
    Config(ConfigError),
    /// The page.
    #[error("page.{0}")]
    Page(#[from] PageError),
    /// The reply that was written by hand.
    #[error("reply: {0}")]
    Reply(#[from] ReplyError),
    /// The engine's step.
    #[error("step_bytes is {0}; a step has 1..={RECORD_BYTES} bytes")]
    Step(u32),
    /// Machine or firmware.
    #[error("parameters.{0}")]
    Bus(#[from] BusError),
    /// The client asked for nothing and ended nothing.
    #[error("the client lost its way: a bug of the core")]
    Lost,
}

impl Fetch {
    /// A fetch by a measured build on the published bench, on which nothing goes wrong.
    pub const fn of(arm: Arm, page: Page) -> Self {
        Self {
            config: arm.config(),
            parameters: Parameters::BENCH,
            page,
            sent_bytes: u32::MAX,
            ending: Ending::Silent,
            pause: None,
            damage: None,
            refusal: None,
            reply: None,
            late: None,
            clock_stands_still: false,
            sink_bytes: u32::MAX,
            step_bytes: STEP_BYTES,
            seed: 1,
        }
    }

    /// Whether it can be carried out.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn check(&self) -> Result<(), FetchError> {
        self.config.check().map_err(FetchError::Config)?;
        self.page.check()?;
        if let Some(reply) = &self.reply {
            reply.check()?;
        }
        if (1..=RECORD_BYTES).contains(&self.step_bytes) {
            Ok(())
        } else {
            Err(FetchError::Step(self.step_bytes))
        }
    }

    /// What the engine will have to give.
    pub(super) fn source(&self) -> Source {
        let mut bytes = self.page.cut(self.sent_bytes);
        if let Some(damage) = self.damage {
            damage.apply(&mut bytes);
        }
        Source {
            bytes,
            ending: self.ending,
            pause: self.pause.map(|pause| (self.pauses_at(pause), pause.lasts)),
            reply: self.reply.clone(),
            refusal: self.refusal.clone(),
        }
    }

    /// Behind which byte of the stream, as it arrives, the server pauses.
    pub(super) fn pauses_at(&self, pause: Pause) -> usize {
        let sent = self.page.stream_bytes(pause.after_bytes.min(self.sent_bytes));
        let before = |damage: &Damage| usize::try_from(damage.at_byte).is_ok_and(|at| at < sent);
        match self.damage.filter(before).map(|damage| damage.how) {
            Some(DamageKind::Drop) => sent - 1,
            Some(DamageKind::Duplicate) => sent + 1,
            None => sent,
        }
    }
}
