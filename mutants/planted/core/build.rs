//! Copies firmware-core and plants the faults in the copy, each behind its switch.
#[path = "src/faults.rs"]
mod faults;

use std::fs;
use std::path::{Path, PathBuf};

use faults::all;

fn main() {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let source = here.join("../../../firmware-core/src");
    #[expect(clippy::disallowed_methods, reason = "cargo tells a build script its folder so")]
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    println!("cargo::rerun-if-changed={}", source.display());
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/faults.rs");
    copy(&source, &Path::new(&out).join("src"), &source);
}

fn copy(from: &Path, to: &Path, root: &Path) {
    fs::create_dir_all(to).expect("the build folder can be written");
    for entry in fs::read_dir(from).expect("firmware-core is beside this crate") {
        let path = entry.expect("a readable entry").path();
        let target = to.join(path.file_name().expect("an entry has a name"));
        if path.is_dir() {
            copy(&path, &target, root);
        } else {
            let text = fs::read_to_string(&path).expect("a source file is text");
            let name = path.strip_prefix(root).expect("a file of firmware-core");
            fs::write(target, planted(name, text)).expect("the build folder can be written");
        }
    }
}

/// The text of a file with its faults in it.
fn planted(name: &Path, mut text: String) -> String {
    if name == Path::new("lib.rs") {
        // An included file may have no inner attributes.
        let inner = |line: &&str| !line.starts_with("//!") && !line.starts_with("#![");
        let kept: Vec<&str> = text.lines().filter(inner).collect();
        return kept.join("\n");
    }
    for (number, fault) in all().enumerate() {
        if name != Path::new(fault.file) {
            continue;
        }
        let found = text.matches(fault.from).count();
        assert_eq!(
            found, 1,
            "`{}` ({}): its line is found {found} times in {}",
            fault.name, fault.clause, fault.file
        );
        let at = text.find(fault.from).expect("it was counted");
        let on = format!("crate::planted::is({number})");
        let to = fault.to.replace("{on}", &on);
        text.replace_range(at..at + fault.from.len(), &to);
        // A switch cannot be asked in a constant function.
        if let Some(function) = text[..at].rfind("const fn ")
            && !text[function + "const ".len()..at]["fn ".len()..].contains("fn ")
        {
            text.replace_range(function..function + "const ".len(), "");
        }
    }
    text
}
