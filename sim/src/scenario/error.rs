//! What is wrong with a scenario, a cost table or an override: where, why, what was likely meant
//! and what to do next.
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Why a scenario cannot be run.
///
/// `Display` is one line: place, reason, nearest name. The rest is for whoever can draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError(Box<Details>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Details {
    place: Place,
    problem: Problem,
    nearest: Option<String>,
    next: String,
    text: Arc<str>,
    range: Range<usize>,
}

/// Where something is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a file that has been read.
    Text {
        /// The file as it was named.
        path: String,
        /// Counted from 1.
        line: usize,
        /// Counted in characters from 1.
        column: usize,
    },
    /// A file that could not be read; the problem names it as well.
    File {
        /// The file as it was named.
        path: String,
    },
    /// On the command line.
    Flag {
        /// The flag as it was written.
        flag: String,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { path, line, column } => write!(out, "{path}:{line}:{column}"),
            Self::File { path } => out.write_str(path),
            Self::Flag { flag } => write!(out, "`{flag}`"),
        }
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The operating system does not hand the file out.
    #[error("the file `{path}` cannot be read: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// What the operating system says.
        reason: String,
    },
    /// Nobody writes a file that long.
    #[error("the file is larger than {most} bytes")]
    TooLarge {
        /// The most that is read.
        most: u64,
    },
    /// The file holds something else than text.
    #[error("this is not UTF-8 text")]
    NotText,
    /// The text is not RON.
    #[error("this is not valid RON: {0}")]
    Syntax(String),
    /// A version of the format that this program does not know.
    #[error("format version {found} is unknown; this program reads version {known}")]
    Version {
        /// The version found.
        found: String,
        /// The version that is read.
        known: u32,
    },
    /// A field of that name does not exist here.
    #[error("there is no field `{field}` here")]
    UnknownField {
        /// The name found.
        field: String,
    },
    /// A field that must be there is not.
    #[error("the field `{field}` is missing")]
    MissingField {
        /// The name.
        field: String,
    },
    /// A field is there twice.
    #[error("the field `{field}` stands here twice")]
    RepeatedField {
        /// The name.
        field: String,
    },
    /// A name that means nothing in this place.
    #[error("there is no {what} `{name}`")]
    UnknownName {
        /// What was looked for.
        what: &'static str,
        /// The name found.
        name: String,
    },
    /// A value that cannot be meant.
    #[error("{0}")]
    Value(String),
    /// Values that do not go together.
    #[error("{0}")]
    Rule(String),
}

impl ScenarioError {
    pub(crate) fn new(place: Place, problem: Problem, next: impl Into<String>) -> Self {
        let (nearest, text, range) = (None, Arc::from(""), 0..0);
        Self(Box::new(Details { place, problem, nearest, next: next.into(), text, range }))
    }

    /// A file that could not be read, with the nearest name in its folder.
    pub(crate) fn unreadable(path: &Path, reason: &std::io::Error) -> Self {
        let wanted = path.file_name().unwrap_or_default().to_string_lossy();
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|ending| ending == "ron"))
            .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
            .collect();
        names.sort();
        let nearest = super::nearest::nearest(&wanted, names.iter().map(String::as_str))
            .map(|name| path.with_file_name(name).display().to_string());
        let place = Place::File { path: path.display().to_string() };
        let problem =
            Problem::Unreadable { path: path.display().to_string(), reason: reason.to_string() };
        Self::new(place, problem, "give the path of an existing file").with_nearest(nearest)
    }

    #[must_use]
    pub(crate) fn with_nearest(mut self, nearest: Option<impl Into<String>>) -> Self {
        self.0.nearest = nearest.map(Into::into);
        self
    }

    #[must_use]
    pub(crate) fn with_text(mut self, text: Arc<str>, range: Range<usize>) -> Self {
        (self.0.text, self.0.range) = (text, range);
        self
    }

    /// Where it is.
    pub fn place(&self) -> &Place {
        &self.0.place
    }

    /// What it is.
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }

    /// The valid name that was likely meant.
    pub fn nearest(&self) -> Option<&str> {
        self.0.nearest.as_deref()
    }

    /// What to do about it.
    pub fn next(&self) -> &str {
        &self.0.next
    }

    /// The text that holds the place, and which part of it is meant; empty when there is none.
    pub fn excerpt(&self) -> (Arc<str>, Range<usize>) {
        (Arc::clone(&self.0.text), self.0.range.clone())
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.place {
            Place::File { .. } => write!(out, "{}", self.0.problem)?,
            place => write!(out, "{place}: {}", self.0.problem)?,
        }
        match &self.0.nearest {
            Some(nearest) => write!(out, "; the nearest is `{nearest}`"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ScenarioError {}
