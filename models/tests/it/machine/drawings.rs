//! The drawings of both phase graphs: the DOT that is kept is what the machine draws, and the SVG
//! beside it shows the nodes, the arrows and the words of that DOT.
//!
//! The SVG is made by `dot -Tsvg X.dot -o X.svg` (Graphviz), which a test cannot ask for.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use firmware_core::m3_read::preset::Arm;
use firmware_core::wg_mgr::preset::Preset;
use models::m3_read::machine as read_machine;
use models::machine::Machine;
use models::wg_mgr::machine::{self as wg_machine, Traffic};

fn drawn() -> [Machine; 2] {
    [read_machine::machine(Arm::Two, None), wg_machine::machine(Preset::Head4, Traffic::KnownKeys)]
}

fn file(machine: &Machine, extension: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("drawings");
    folder.join(format!("{}.{extension}", machine.name))
}

/// With `UPDATE_PROMELA` in the environment the files are written instead.
#[test]
fn the_kept_drawings_are_what_the_machines_draw() {
    #[expect(clippy::disallowed_methods, reason = "says whether files are to be written")]
    let update = std::env::var_os("UPDATE_PROMELA").is_some();
    for machine in drawn() {
        let path = file(&machine, "dot");
        if update {
            fs::write(&path, machine.dot()).expect("a folder that can be written");
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == machine.dot(), "{} differs from the machine", path.display());
    }
}

/// Arrows and words of a DOT that the machine drew.
fn of_dot(dot: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut arrows, mut words) = (BTreeSet::new(), BTreeSet::new());
    for line in dot.lines() {
        if let Some((arrow, _)) = line.split_once('[')
            && arrow.contains("->")
        {
            arrows.insert(arrow.split_whitespace().collect::<String>());
        }
        if let Some((_, label)) = line.split_once("label = \"") {
            let label = label.split('"').next().unwrap_or_default();
            words.extend(label.split("\\n").map(str::to_owned));
        }
    }
    (arrows, words)
}

/// The same of an SVG that Graphviz made of it.
fn of_svg(svg: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let svg = svg.replace("&#45;", "-").replace("&gt;", ">").replace("&#160;", " ");
    let between = |start: &'static str, end: &'static str| {
        let parts = svg.split(start).skip(1);
        parts.filter_map(move |part| part.split_once(end)).map(|(inside, _)| inside.to_owned())
    };
    let arrows = between("<title>", "</title>").filter(|title| title.contains("->"));
    let words = between("<text ", "</text>");
    let words = words.filter_map(|text| text.split_once('>').map(|(_, it)| it.to_owned()));
    (arrows.collect(), words.collect())
}

#[test]
fn the_kept_svg_shows_what_the_dot_says() {
    for machine in drawn() {
        let svg = fs::read_to_string(file(&machine, "svg")).expect("it is kept");
        assert_eq!(of_svg(&svg), of_dot(&machine.dot()), "{}", machine.name);
    }
}
