//! A file that takes its place only when it is whole.
//!
//! ```text
//!   out.pft.part ──whole──► out.pft        refused: the part is removed, out.pft stays what it was
//! ```
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::refusal::{Plain, Refusal};

/// A file that takes its place only when it is whole: an interrupted or refused run leaves what was
/// there before.
#[derive(Debug)]
pub(super) struct Draft {
    part: PathBuf,
    place: PathBuf,
}

impl Draft {
    /// Begins a file that will be at this place.
    pub(super) fn create(place: &Path) -> Result<(Self, File), Refusal> {
        let mut name = place.as_os_str().to_owned();
        name.push(".part");
        let draft = Self { part: name.into(), place: place.to_owned() };
        match File::create(&draft.part) {
            Ok(file) => Ok((draft, file)),
            Err(error) => Err(Plain::refuse(
                format!("{} cannot be written: {error}", place.display()),
                "choose another place with -o",
            )),
        }
    }

    /// Puts it in its place.
    pub(super) fn keep(self) -> Result<(), Refusal> {
        fs::rename(&self.part, &self.place).map_err(|error| {
            Plain::refuse(
                format!("{} cannot be written: {error}", self.place.display()),
                "choose another place with -o",
            )
        })
    }

    /// Throws it away; what cannot be thrown away is called a part and says so by its name.
    pub(super) fn discard(self) {
        drop(fs::remove_file(&self.part));
    }
}
