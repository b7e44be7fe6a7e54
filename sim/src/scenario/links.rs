//! Links: from the file's words to impairments with a window and shares.
use firmware_core::time::Duration;

use super::check::{Check, share};
use super::error::ScenarioError;
use super::file::links::{DirectionFile, LinkFile, WayFile};
use super::file::units::{Millis, Percent};
use super::outline::Step::{Field, Item};
use super::{Direction, LinkSpec, PeerGroup, Way};
use crate::random::Ratio;

/// Every link, its window, its group and its shares checked.
pub(super) fn links(
    check: &Check,
    files: &[LinkFile],
    peers: &[PeerGroup],
) -> Result<Vec<LinkSpec>, ScenarioError> {
    check.distinct(&[Field("links")], files.iter().map(|link| link.name.as_str()))?;
    files.iter().enumerate().map(|(index, file)| link(check, index, file, peers)).collect()
}

fn link(
    check: &Check,
    index: usize,
    file: &LinkFile,
    peers: &[PeerGroup],
) -> Result<LinkSpec, ScenarioError> {
    let path = [Field("links"), Item(index)];
    let (from, until) = check.window(&path, file.from_ms, file.until_ms)?;
    let group = match &file.peers {
        None => None,
        Some(name) => {
            let found = peers.iter().position(|group| group.name == *name);
            Some(found.ok_or_else(|| {
                let names: Vec<_> = peers.iter().map(|group| group.name.as_str()).collect();
                let path = [Field("links"), Item(index), Field("peers")];
                check.unknown(&path, "group of peers", name, &names)
            })?)
        }
    };
    let late = |millis: Option<Millis>| millis.map_or(Duration::ZERO, |it| it.0);
    let part = |percent: Option<Percent>| match percent {
        None | Some(Percent { thousandths: 0 }) => Ratio::NEVER,
        Some(percent) => share(percent),
    };
    let reorder = part(file.reorder_percent);
    if reorder != Ratio::NEVER && late(file.reorder_by_ms).is_zero() {
        let path = [Field("links"), Item(index), Field("reorder_percent")];
        let reason = "`reorder_percent` stands here without `reorder_by_ms`: nothing is overtaken";
        return Err(check.rule(&path, reason));
    }
    Ok(LinkSpec {
        name: file.name.clone(),
        group,
        way: match file.way {
            WayFile::Direct => Some(Way::Direct),
            WayFile::Derp => Some(Way::Relay),
            WayFile::Both => None,
        },
        direction: match file.direction {
            DirectionFile::ToDevice => Some(Direction::ToDevice),
            DirectionFile::FromDevice => Some(Direction::FromDevice),
            DirectionFile::Both => None,
        },
        from,
        until,
        delay: late(file.delay_ms),
        jitter: late(file.jitter_ms),
        loss: part(file.loss_percent),
        duplicate: part(file.duplicate_percent),
        reorder,
        reorder_by: late(file.reorder_by_ms),
        corrupt: part(file.corrupt_percent),
    })
}
