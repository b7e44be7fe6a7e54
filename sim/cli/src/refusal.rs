//! What is wrong with an input, drawn: the reason, the line at fault, what was likely meant and
//! what to do next.
use std::fmt;

use miette::{Diagnostic, LabeledSpan, MietteHandlerOpts, NamedSource, SourceCode};
use sim::scenario::{Place, ScenarioError};

/// The longest line of a file that is drawn.
const LINE_MOST: usize = 240;

/// An input that is refused. Its `Debug` is the drawing.
pub(crate) type Refusal = miette::Report;

/// Sets how errors are drawn: without wrapping, so that a path stays in one piece.
pub(crate) fn draw_errors() {
    let draw = |_: &_| -> Box<dyn miette::ReportHandler> {
        let options = MietteHandlerOpts::new().terminal_links(false).wrap_lines(false);
        Box::new(options.context_lines(1).build())
    };
    miette::set_hook(Box::new(draw)).expect("called once, before any error");
}

/// A refusal without a place in a file.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub(crate) struct Plain {
    reason: String,
    help: String,
}

impl Plain {
    /// Why, and what to do next.
    pub(crate) fn refuse(reason: impl Into<String>, help: impl Into<String>) -> Refusal {
        Self { reason: reason.into(), help: help.into() }.into()
    }
}

impl Diagnostic for Plain {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.help))
    }
}

/// A scenario or cost table that is refused.
#[derive(Debug, thiserror::Error)]
#[error("{headline}")]
struct BadFile {
    headline: String,
    help: String,
    excerpt: Option<(NamedSource<String>, LabeledSpan)>,
}

impl Diagnostic for BadFile {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.excerpt.as_ref().map(|(source, _)| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let (_, label) = self.excerpt.as_ref()?;
        Some(Box::new(std::iter::once(label.clone())))
    }
}

/// Draws an error of a scenario.
pub(crate) fn scenario(error: &ScenarioError) -> Refusal {
    let excerpt = excerpt(error);
    let headline = match error.place() {
        Place::Text { .. } if excerpt.is_some() => error.problem().to_string(),
        Place::File { .. } => error.problem().to_string(),
        place => format!("{place}: {}", error.problem()),
    };
    let help = match error.nearest() {
        Some(nearest) => format!("the nearest is `{nearest}`\n{}", error.next()),
        None => error.next().to_owned(),
    };
    BadFile { headline, help, excerpt }.into()
}

/// The file with the place marked, unless the line is too long to be read.
fn excerpt(error: &ScenarioError) -> Option<(NamedSource<String>, LabeledSpan)> {
    let Place::Text { path, .. } = error.place() else {
        return None;
    };
    let (text, range) = error.excerpt();
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.start..].find('\n').map_or(text.len(), |at| range.start + at);
    if end - start > LINE_MOST {
        return None;
    }
    let label = LabeledSpan::new(Some("here".to_owned()), range.start, range.len());
    Some((NamedSource::new(path, text.to_string()), label))
}
