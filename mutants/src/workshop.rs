//! The copy of a workspace: made where the last one was, so that only what differs is built again.
//!
//! ```text
//!   workspace ──copy, lints and old files out──► place/copy ──► place/copy/.../*.rs woven
//!                                                place/switch   the package that every part uses
//!                                                place/lock     one run at a time
//! ```
//!
//! A file is written only when its content changes: the build tool goes by the time of the change.
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::subject::Subject;
use crate::weave::SWITCH;

/// The switch as a package of its own.
const SWITCH_SOURCE: &str = include_str!("switch.rs");

/// A copy of a workspace that nobody else uses.
#[derive(Debug)]
pub struct Workshop {
    place: PathBuf,
    /// The texts of all files as the workspace has them, without lints.
    originals: BTreeMap<PathBuf, Vec<u8>>,
    /// Held for as long as the copy is used.
    _lock: File,
}

impl Workshop {
    /// Copies the workspace; waits when another run uses the same place.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn open(subject: &Subject) -> io::Result<Self> {
        fs::create_dir_all(&subject.place)?;
        let lock = File::create(subject.place.join("lock"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                eprintln!("waiting for another run in {}", subject.place.display());
                lock.lock()?;
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let mut originals = BTreeMap::new();
        collect(&subject.workspace, Path::new(""), &subject.place, &mut originals)?;
        for (path, bytes) in &mut originals {
            if path.file_name() == Some(OsStr::new("Cargo.toml")) {
                let part = subject.parts.iter().find(|it| it.folder.join("Cargo.toml") == *path);
                let text = String::from_utf8_lossy(bytes);
                let text = manifest(&text, part.map(|_| subject.place.join("switch")).as_deref());
                *bytes = text.into_bytes();
            }
        }
        let workshop = Self { place: subject.place.clone(), originals, _lock: lock };
        let switch = workshop.place.join("switch");
        let package = format!(
            "[package]\nname = \"{SWITCH}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
            [lib]\npath = \"lib.rs\"\n[workspace]\n"
        );
        write(&switch.join("Cargo.toml"), package.as_bytes())?;
        write(&switch.join("lib.rs"), SWITCH_SOURCE.as_bytes())?;
        workshop.clear()?;
        Ok(workshop)
    }

    /// The folder of the copied workspace.
    pub fn copy(&self) -> PathBuf {
        self.place.join("copy")
    }

    /// A folder for what trials write down; empty at first.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn notes(&self) -> io::Result<PathBuf> {
        let notes = self.place.join("notes");
        if notes.exists() {
            fs::remove_dir_all(&notes)?;
        }
        fs::create_dir_all(&notes)?;
        Ok(notes)
    }

    /// The files of the workspace that are Rust.
    pub fn sources(&self) -> impl Iterator<Item = (PathBuf, String)> {
        self.originals.iter().filter_map(|(path, bytes)| {
            let rust = path.extension() == Some(OsStr::new("rs"));
            let text = String::from_utf8(bytes.clone()).ok().filter(|_| rust);
            text.map(|text| (path.clone(), text))
        })
    }

    /// Makes the copy what the workspace is, with these texts instead of its own.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn lay_out(&self, texts: &BTreeMap<PathBuf, String>) -> io::Result<()> {
        for (path, bytes) in &self.originals {
            let bytes = texts.get(path).map_or(bytes.as_slice(), |text| text.as_bytes());
            write(&self.copy().join(path), bytes)?;
        }
        Ok(())
    }

    /// Removes files that the workspace does not have any more.
    fn clear(&self) -> io::Result<()> {
        let copy = self.copy();
        fs::create_dir_all(&copy)?;
        let mut found = BTreeMap::new();
        collect(&copy, Path::new(""), &self.place.join("switch"), &mut found)?;
        let kept: BTreeSet<_> = self.originals.keys().collect();
        for path in found.keys().filter(|path| !kept.contains(path)) {
            // The copy's lock file has one package more; without it all would be resolved anew.
            if path.as_os_str() != "Cargo.lock" {
                fs::remove_file(copy.join(path))?;
            }
        }
        Ok(())
    }
}

/// A manifest without lints, which the copy would break, and with the switch for its parts.
fn manifest(text: &str, switch: Option<&Path>) -> String {
    let text = text.replace("[lints]\nworkspace = true\n", "");
    let Some(switch) = switch else {
        return text;
    };
    let line = format!("{SWITCH} = {{ path = {:?} }}\n", switch.display().to_string());
    match text.split_once("[dependencies]\n") {
        Some((before, after)) => format!("{before}[dependencies]\n{line}{after}"),
        None => format!("{text}\n[dependencies]\n{line}"),
    }
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::read(path).is_ok_and(|found| found == bytes) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, bytes)
}

/// Every file of a folder but version control, builds and the place of the copy itself.
fn collect(
    folder: &Path,
    below: &Path,
    place: &Path,
    files: &mut BTreeMap<PathBuf, Vec<u8>>,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, name) = (entry.path(), below.join(entry.file_name()));
        let left = [".git", "target"].map(OsStr::new).contains(&entry.file_name().as_os_str());
        if left || path == place {
            continue;
        }
        if entry.file_type()?.is_dir() {
            collect(&path, &name, place, files)?;
        } else {
            files.insert(name, fs::read(&path)?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(from: &Path, place: &Path) -> Subject {
        Subject {
            workspace: from.to_owned(),
            catalogue: from.to_owned(),
            parts: vec![crate::subject::Part {
                package: "p".to_owned(),
                folder: ".".into(),
                catalogue: "".into(),
                integration: true,
                generated: vec![],
            }],
            clauses: vec![],
            builds: place.join("target"),
            place: place.to_owned(),
        }
    }

    #[test]
    fn a_copy_leaves_version_control_builds_and_lints_behind() {
        let from = tempfile::tempdir().expect("a folder");
        let place = tempfile::tempdir().expect("a folder");
        for (name, text) in [
            ("src/a.rs", "fn a() {}"),
            ("target/x", ""),
            (".git/y", ""),
            (".cargo/config.toml", "[build]"),
            ("Cargo.toml", "[package]\nname = \"p\"\n[lints]\nworkspace = true\n"),
        ] {
            write(&from.path().join(name), text.as_bytes()).expect("writable");
        }
        let workshop = Workshop::open(&subject(from.path(), place.path())).expect("a copy");
        assert_eq!(workshop.sources().count(), 1);
        let copied = |name: &str| fs::read_to_string(workshop.copy().join(name)).ok();
        let woven = BTreeMap::from([(PathBuf::from("src/a.rs"), "fn b() {}".to_owned())]);
        workshop.lay_out(&woven).expect("writable");
        assert_eq!(copied("src/a.rs").as_deref(), Some("fn b() {}"));
        workshop.lay_out(&BTreeMap::new()).expect("writable");
        assert_eq!(copied("src/a.rs").as_deref(), Some("fn a() {}"));
        assert_eq!(copied(".cargo/config.toml").as_deref(), Some("[build]"));
        assert_eq!((copied("target/x"), copied(".git/y")), (None, None));
        let manifest = copied("Cargo.toml").expect("it is copied");
        assert!(!manifest.contains("lints"), "{manifest}");
    }

    #[test]
    fn a_file_that_is_gone_from_the_workspace_goes_from_the_copy() {
        let from = tempfile::tempdir().expect("a folder");
        let place = tempfile::tempdir().expect("a folder");
        write(&from.path().join("a.rs"), b"").expect("writable");
        let open = || Workshop::open(&subject(from.path(), place.path())).expect("a copy");
        let first = open();
        first.lay_out(&BTreeMap::new()).expect("writable");
        drop(first);
        fs::remove_file(from.path().join("a.rs")).expect("it is there");
        assert!(!open().copy().join("a.rs").exists());
    }

    #[test]
    fn the_switch_is_a_dependency_of_each_part() {
        let with = |text| manifest(text, Some(Path::new("/s")));
        let line = "[dependencies]\nwoven-switch = { path = \"/s\" }\n";
        assert_eq!(with("[dependencies]\na = \"1\"\n"), format!("{line}a = \"1\"\n"));
        assert_eq!(with("[package]\n"), format!("[package]\n\n{line}"));
        assert_eq!(manifest("[package]\n", None), "[package]\n");
    }
}
