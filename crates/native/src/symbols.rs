//! What addresses of an ELF file mean in the source: functions with the ones inlined into them, lines, global variables.
//!
//! Addresses are those of the file: what the processor sees, less the load bias. Lines come from DWARF through addr2line. Names of
//! functions do too, but for those without a mangled name, which have no scopes then: gcc gives none to what is local to a file, rustc none
//! where debug information is limited to lines. Their scopes are taken from the symbol table, or else from DWARF. A file without DWARF still names functions and variables by its symbol tables; [`Symbols::gap`]
//! says what is missing. Not read: split and compressed DWARF, and debug information in another file.
//!
//! A value can be moved to another thread, but not shared: what was looked up is kept.

mod dwarf;
mod error;
mod frame;
mod functions;
mod names;
mod paths;
mod table;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use dwarf::{Dwarf, Lines, Scopes};
pub use error::{Gap, SymbolError};
pub use frame::Frame;
pub(crate) use frame::is_the_toolchains;
use functions::Functions;
use names::Pattern;
use object::Object as _;
use paths::Paths;
use table::SymbolTable;

/// The symbols of one executable or shared library.
pub struct Symbols {
    table: SymbolTable,
    /// None if the file has no DWARF that can be read; then there is a gap.
    dwarf: Option<Dwarf>,
    gap: Option<Gap>,
    paths: Paths,
    /// All functions by DWARF, once somebody has asked for them.
    functions: OnceCell<Functions>,
}

impl Symbols {
    /// Reads an executable or a shared library. Source files below `base` are shown relative to it.
    ///
    /// # Errors
    /// If the file cannot be read or is none of both. Missing debug information is no error but a [`Gap`].
    pub fn open(path: &Path, base: Option<&Path>) -> Result<Symbols, SymbolError> {
        let bytes = std::fs::read(path)
            .map_err(|error| SymbolError::Unreadable { path: path.to_owned(), why: error.to_string() })?;
        let not_elf = |why: String| SymbolError::NotElf { path: path.to_owned(), why };
        let file = object::File::parse(&*bytes).map_err(|error| not_elf(error.to_string()))?;
        match file.kind() {
            object::ObjectKind::Executable | object::ObjectKind::Dynamic => {}
            _ => return Err(SymbolError::NotLinked { path: path.to_owned() }),
        }
        let (dwarf, gap) = match dwarf::load(&file) {
            Ok((dwarf, gap)) => (Some(dwarf), gap),
            Err(gap) => (None, Some(gap)),
        };
        let table = SymbolTable::of(&file);
        Ok(Symbols { table, dwarf, gap, paths: Paths::new(base), functions: OnceCell::new() })
    }

    /// What the file does not tell, if its debug information is missing or cannot be read.
    pub fn gap(&self) -> Option<&Gap> {
        self.gap.as_ref()
    }

    /// Where an instruction is in the source, innermost first: functions that were inlined, then the one that they were inlined
    /// into. Empty if nothing is known of the address.
    pub fn frames(&self, offset: u64) -> Vec<Frame> {
        let mut frames = self.frames_by_dwarf(offset);
        let named = frames.last().is_some_and(|frame| frame.function.is_some());
        if !named && let Some(name) = self.table.function(offset) {
            match frames.last_mut() {
                Some(outermost) => outermost.function = Some(name.to_owned()),
                None => {
                    frames.push(Frame { function: Some(name.to_owned()), file: None, line: 0, column: 0 })
                }
            }
        }
        frames
    }

    /// The same of the call that returns to `return_address`: the instruction there can already belong to the next line, or, after a call
    /// that does not return, to another function.
    pub fn frames_of_call(&self, return_address: u64) -> Vec<Frame> {
        self.frames(return_address.saturating_sub(1))
    }

    fn frames_by_dwarf(&self, offset: u64) -> Vec<Frame> {
        let Some(dwarf) = &self.dwarf else { return Vec::new() };
        let Ok(mut found) = dwarf.lines.find_frames(offset).skip_all_loads() else { return Vec::new() };
        let mut frames = Vec::new();
        while let Ok(Some(frame)) = found.next() {
            frames.push(frame);
        }
        let outermost = frames.len().saturating_sub(1);
        let shown = frames.iter().enumerate().map(|(index, frame)| {
            let (file, line, column) = match &frame.location {
                Some(location) => (location.file, location.line, location.column),
                None => (None, None, None),
            };
            Frame {
                function: self.function_name(dwarf, offset, frame, index < outermost),
                file: file.filter(|file| !file.is_empty()).map(|file| self.paths.show(file)),
                line: line.unwrap_or(0),
                column: column.unwrap_or(0),
            }
        });
        shown.collect()
    }

    fn function_name(
        &self,
        dwarf: &Dwarf,
        offset: u64,
        frame: &addr2line::Frame<'_, dwarf::Bytes>,
        is_inlined: bool,
    ) -> Option<String> {
        let function = frame.function.as_ref()?;
        let raw = function.raw_name().ok()?.into_owned();
        if names::is_mangled(&raw) {
            return Some(names::demangle(&raw));
        }
        let scopes = function.language.map_or(Scopes::None, dwarf::scopes_of);
        if scopes != Scopes::None
            && !is_inlined
            && let Some(name) = self.table.full_name(offset, &raw)
        {
            return Some(name.to_owned());
        }
        if scopes != Scopes::InDwarf {
            return Some(raw);
        }
        let scoped = || {
            let unit = dwarf.lines.find_dwarf_and_unit(offset).skip_all_loads()?;
            let die = frame.dw_die_offset?.to_debug_info_offset(&unit.header)?;
            self.known_functions(dwarf).name_at(die.0)
        };
        Some(scoped().map_or(raw, str::to_owned))
    }

    fn known_functions(&self, dwarf: &Dwarf) -> &Functions {
        self.functions.get_or_init(|| Functions::of(dwarf, &self.paths, &self.table))
    }

    /// The function that an instruction belongs to by the symbol table, whatever was inlined into it.
    pub(crate) fn symbol(&self, offset: u64) -> Option<String> {
        self.table.function(offset).map(str::to_owned)
    }

    /// The functions whose names in the symbol table are wanted.
    pub(crate) fn named(&self, wanted: &dyn Fn(&str) -> bool) -> impl Iterator<Item = Range<u64>> {
        self.table.functions().filter(move |(name, _)| wanted(name)).map(|(_, range)| range.clone())
    }

    /// So many crates of Rust's are called this, those of the library included; none where that is not known.
    pub(crate) fn crates_called(&self, name: &str) -> usize {
        self.table.crates_called(name)
    }

    /// The global or static variable at an address, and how many bytes behind its beginning that is.
    pub fn variable(&self, offset: u64) -> Option<(String, u64)> {
        self.table.variable(offset).map(|(name, into)| (name.to_owned(), into))
    }

    /// The functions that a pattern means, with where their instructions are. A pattern is a name (`push`), a path's end or beginning
    /// (`Queue::push`, `ns::Queue`), all of a namespace (`ns::`), or a source file (`queue.c`, `src/queue.c`). Arguments of
    /// templates and parameters do not matter, unless the pattern has parameters. A lambda or closure belongs to its function.
    ///
    /// A function has one item for each of its ranges; where it was inlined counts as well. Compare with the address of an instruction,
    /// which for a call is before the address that it returns to.
    pub fn functions(&self, pattern: &str) -> Vec<(String, Range<u64>)> {
        let Some(pattern) = Pattern::read(pattern) else { return Vec::new() };
        let mut found = Vec::new();
        let known = self.dwarf.as_ref().map(|dwarf| self.known_functions(dwarf));
        for (name, ranges) in known.into_iter().flat_map(|known| known.meant_by(&pattern)) {
            found.extend(ranges.iter().map(|range| (name.to_owned(), range.clone())));
        }
        for (name, range) in self.table.functions() {
            let is_meant = || {
                pattern.means(name) || self.file_at(range.start).is_some_and(|file| pattern.means_file(&file))
            };
            if !known.is_some_and(|known| known.cover(range.start)) && is_meant() {
                found.push((name.to_owned(), range.clone()));
            }
        }
        found.sort_by(|a, b| (a.1.start, a.1.end, &a.0).cmp(&(b.1.start, b.1.end, &b.0)));
        found.dedup();
        found
    }

    /// The source file of an instruction, by lines alone.
    fn file_at(&self, offset: u64) -> Option<String> {
        let location = self.dwarf.as_ref()?.lines.find_location(offset).ok()??;
        location.file.filter(|file| !file.is_empty()).map(|file| self.paths.show(file))
    }

    /// The instructions whose line in the source satisfies a predicate of file, line and column, as [`Symbols::frames`] gives them for the
    /// innermost frame. Ascending, and as few ranges as possible.
    pub fn ranges_of(&self, wanted: &dyn Fn(&str, u32, u32) -> bool) -> Vec<Range<u64>> {
        let rows = self.dwarf.as_ref().and_then(|dwarf| rows(&dwarf.lines));
        let mut shown = HashMap::new();
        let mut ranges = Vec::new();
        for (start, length, location) in rows.into_iter().flatten() {
            let Some(file) = location.file.filter(|file| !file.is_empty()) else { continue };
            let file = shown.entry(file).or_insert_with(|| self.paths.show(file));
            if wanted(file, location.line.unwrap_or(0), location.column.unwrap_or(0)) {
                ranges.push(start..start.saturating_add(length));
            }
        }
        merge(ranges)
    }
}

/// All rows of all line tables.
fn rows(lines: &Lines) -> Option<addr2line::LocationRangeIter<'_, dwarf::Bytes>> {
    lines.find_location_range(0, u64::MAX).ok()
}

/// The same addresses in ascending ranges that do not touch.
fn merge(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}
