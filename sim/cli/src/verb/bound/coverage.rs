//! Budget coverage: a table of roads and presets.
use std::fmt::Write as _;

use firmware_core::charge::CostKey;
use firmware_core::wg_mgr::preset::Preset;
use models::bound::paths::{Outside, Path, is_expensive, roads_to};
use models::clause::Clause;
use serde_json::{Value, json};

fn clause(path: Path) -> &'static str {
    Clause::WgMgr(path.clause()).id()
}

/// As text: the expensive operations first; what has no budget is marked.
pub(super) fn text(presets: &[Preset]) -> String {
    let mut text =
        "budget coverage: what bounds each road to an operation (✗ no budget)\n".to_owned();
    let mut line = |row: String| {
        writeln!(text, "{}", row.trim_end()).expect("a string takes everything");
    };
    let columns = |cell: &dyn Fn(&Preset) -> String| {
        presets.iter().map(|preset| format!("{:<18}", cell(preset))).collect::<Vec<_>>().concat()
    };
    let names = columns(&|preset| preset.name().to_owned());
    for expensive in [true, false] {
        let title = if expensive { "expensive operations" } else { "cheap operations" };
        line(format!("\n{title:<42}{names}clause"));
        for key in CostKey::ALL.into_iter().filter(|key| is_expensive(*key) == expensive) {
            line(format!("{key:?}"));
            for path in roads_to(key) {
                let limits = columns(&|preset| {
                    let limit = path.limit(&preset.config());
                    format!("{} {}", if limit.is_budget() { " " } else { "✗" }, limit.words())
                });
                line(format!("  {:<38}{limits}{}", path.name(), clause(*path)));
            }
        }
    }
    line(
        "\nroads of the firmware that this core does not have, without a budget in any preset"
            .to_owned(),
    );
    for outside in Outside::ALL {
        line(format!("✗ {}: {}", outside.name(), outside.what()));
    }
    text
}

/// As JSON.
pub(super) fn json(presets: &[Preset]) -> String {
    let road = |key: CostKey, path: &Path| {
        let limits: serde_json::Map<_, _> = presets
            .iter()
            .map(|preset| {
                let limit = path.limit(&preset.config());
                let value = json!({ "limit": limit.words(), "budget": limit.is_budget() });
                (preset.name().to_owned(), value)
            })
            .collect();
        json!({
            "operation": format!("{key:?}"),
            "expensive": is_expensive(key),
            "road": path.name(),
            "clause": clause(*path),
            "presets": limits,
        })
    };
    let roads: Vec<Value> = CostKey::ALL
        .into_iter()
        .flat_map(|key| roads_to(key).iter().map(move |path| road(key, path)))
        .collect();
    let outside: Vec<Value> = Outside::ALL
        .into_iter()
        .map(|outside| json!({ "road": outside.name(), "what": outside.what() }))
        .collect();
    let value = json!({ "roads": roads, "outside": outside });
    serde_json::to_string_pretty(&value).expect("plain data is always JSON") + "\n"
}
