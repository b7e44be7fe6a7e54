//! What goes wrong on the way, from the file's shape to values: the reply written by hand, the
//! silence and the byte that is hurt.
use super::super::check::Check;
use super::super::error::ScenarioError;
use super::super::file::units::Count;
use super::super::outline::Step::{Field, Item};
use super::file::{BlockFile, DamageFile, DamageHowFile, HeaderFile, PauseFile, ReplyFile};
use super::whole;
use crate::read::reply::{Arrival, Content, Header, Planned, Reply, ReplyError};
use crate::read::server::{Damage, DamageKind, Pause};
use firmware_core::time::Duration;

pub(super) fn pause(file: PauseFile) -> Pause {
    Pause { after_bytes: whole(file.after_bytes.get()), lasts: file.for_ms.0 }
}

pub(super) fn damage(file: DamageFile) -> Damage {
    let how = match file.how {
        DamageHowFile::Drop => DamageKind::Drop,
        DamageHowFile::Duplicate => DamageKind::Duplicate,
    };
    Damage { how, at_byte: whole(file.at_byte.get()) }
}

pub(super) fn reply(check: &Check, file: &ReplyFile) -> Result<Reply, ScenarioError> {
    let last = file.blocks.len().saturating_sub(1);
    let blocks = file.blocks.iter().enumerate();
    let planned = blocks.map(|(index, block)| planned(block, index < last));
    let reply = Reply {
        after_steps: whole(file.after_steps.get()),
        header: match file.header {
            HeaderFile::Announces { bytes } => Header::Announces(bytes.to_u16()),
            HeaderFile::NoCount => Header::NoCount,
            HeaderFile::End => Header::End,
            HeaderFile::Half => Header::Half,
            HeaderFile::Nothing => Header::Nothing,
        },
        blocks: planned.collect(),
        status: file.status.clone(),
    };
    reply.check().map_err(|error| {
        let at = |field| vec![Field("reply"), Field(field)];
        let path = match error {
            ReplyError::Blocks(_) => at("blocks"),
            ReplyError::Block(index, _) => [at("blocks"), vec![Item(index)]].concat(),
            ReplyError::AgainFirst => [at("blocks"), vec![Item(0)]].concat(),
            ReplyError::Status(_) => at("status"),
        };
        check.rule(&path, error.to_string())
    })?;
    Ok(reply)
}

fn planned(file: &BlockFile, announces: bool) -> Planned {
    let late = file.late_ms.map_or(Duration::ZERO, |late| late.0);
    Planned {
        content: if file.again {
            Content::Again
        } else {
            Content::Next(file.bytes.map_or(0, Count::to_u16))
        },
        more: file.more.unwrap_or(announces),
        arrival: if file.never { Arrival::Never } else { Arrival::After(late) },
        reset_after: file.reset_after_bytes.map(Count::to_u16),
    }
}
