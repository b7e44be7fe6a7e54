//! A cost table's file becomes a [`CostTable`].
use std::path::Path;

use super::error::{Problem, ScenarioError};
use super::file::VERSION;
use super::file::cost_table::CostTableFile;
use super::outline::Step;
use super::source::Source;
use crate::cost::{Column, CostRow, CostTable};

impl CostTable {
    /// Reads a table, to be used in `column`.
    ///
    /// # Errors
    /// When the file cannot be read, is no table, lacks a row or has one whose columns are out of
    /// order.
    pub fn load(path: &Path, column: Column) -> Result<Self, ScenarioError> {
        from_source(&Source::read(path)?, column)
    }

    /// Reads a table from a text as if it had been read from `path`.
    ///
    /// # Errors
    /// As [`CostTable::load`], but for reading.
    pub fn parse(path: &Path, text: String, column: Column) -> Result<Self, ScenarioError> {
        from_source(&Source::new(path, text), column)
    }
}

pub(super) fn from_source(source: &Source, column: Column) -> Result<CostTable, ScenarioError> {
    let file: CostTableFile = source.parse(VERSION)?;
    for row in CostRow::ALL {
        if !file.rows.row(row).is_ordered() {
            let reason = format!("`{}` does not ascend from best to worst", row.name());
            let path = [Step::Field("rows"), Step::Field(row.name())];
            let next = "give best <= typical <= worst";
            return Err(source.error_at(&path, Problem::Rule(reason), next));
        }
    }
    let mut table = CostTable::new(file.name, column, |row| file.rows.row(row).cost());
    (table.board, table.flags) = (file.board, file.flags);
    Ok(table)
}
