//! All functions that DWARF knows, with their names in full, their source files and their instructions, inlined ones too.
//!
//! A function's description is spread: an instance refers to what was inlined or cloned (`DW_AT_abstract_origin`), a definition to its
//! declaration in a class or namespace (`DW_AT_specification`), perhaps in another unit. So entries are first collected, then put together.
//! Units that cannot be read are left out.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use gimli::{AttributeValue, DebuggingInformationEntry, DwTag, Reader as _, UnitRef};

use super::dwarf::{Bytes, Dwarf, Lines};
use super::names::{self, Pattern};
use super::paths::Paths;
use super::table::SymbolTable;

/// How many references are followed from an instance to its declaration; more are a circle.
const MAX_REFERENCES: usize = 8;

/// All of them.
pub(super) struct Functions {
    /// Each name once, for there are many places where a function was inlined.
    names: Vec<String>,
    /// By the entry's offset in `.debug_info`.
    instances: BTreeMap<usize, Instance>,
    /// The instructions of all of them, ascending, without overlaps.
    covered: Vec<Range<u64>>,
}

/// A function's instructions, or those of a place where it was inlined.
struct Instance {
    /// Which of the names.
    name: usize,
    file: Option<Arc<str>>,
    ranges: Vec<Range<u64>>,
}

impl Functions {
    pub(super) fn of(dwarf: &Dwarf, paths: &Paths, table: &SymbolTable) -> Functions {
        let sections = &dwarf.sections;
        let mut entries = BTreeMap::new();
        let mut headers = sections.units();
        while let Ok(Some(header)) = headers.next() {
            if let Ok(unit) = sections.unit(header) {
                let mut reading =
                    UnitReading { unit: unit.unit_ref(sections), paths, files: BTreeMap::new() };
                // What could be read of a damaged unit is kept.
                let _ = reading.collect(&mut entries);
            }
        }
        let mut names = Names { known: HashMap::new(), all: Vec::new() };
        let mut instances = BTreeMap::new();
        for (&at, entry) in entries.iter().filter(|(_, entry)| !entry.ranges.is_empty()) {
            let chain = chain(entry, &entries);
            let file = chain.iter().find_map(|entry| entry.file.clone());
            let file = file.or_else(|| entry.file_by_lines(&dwarf.lines).map(|file| paths.show(file).into()));
            if let Some(name) = names.of(&chain, table) {
                instances.insert(at, Instance { name, file, ranges: entry.ranges.clone() });
            }
        }
        let ranges = instances.values().flat_map(|instance| instance.ranges.iter().cloned());
        let covered = super::merge(ranges.collect());
        Functions { names: names.all, instances, covered }
    }

    /// The name of the function whose entry is at an offset in `.debug_info`.
    pub(super) fn name_at(&self, entry: usize) -> Option<&str> {
        self.instances.get(&entry).map(|instance| self.names[instance.name].as_str())
    }

    /// Names and instructions of those that a pattern means.
    pub(super) fn meant_by(&self, pattern: &Pattern<'_>) -> Vec<(&str, &[Range<u64>])> {
        let is_meant: Vec<bool> = self.names.iter().map(|name| pattern.means(name)).collect();
        let meant = self.instances.values().filter(|instance| {
            is_meant[instance.name] || instance.file.as_ref().is_some_and(|file| pattern.means_file(file))
        });
        meant.map(|instance| (self.names[instance.name].as_str(), instance.ranges.as_slice())).collect()
    }

    /// Whether the instruction belongs to one.
    pub(super) fn cover(&self, address: u64) -> bool {
        let begun = self.covered.partition_point(|range| range.start <= address);
        begun > 0 && self.covered[begun - 1].contains(&address)
    }
}

/// What one entry says by itself.
struct Entry {
    is_inlined: bool,
    mangled: Option<String>,
    /// With the scopes around it.
    name: Option<String>,
    file: Option<Arc<str>>,
    ranges: Vec<Range<u64>>,
    /// The entry that says more.
    more: Option<usize>,
}

impl Entry {
    /// The file that a function begins in, where debug information is limited to lines. What is inlined can begin with something else.
    fn file_by_lines<'a>(&self, lines: &'a Lines) -> Option<&'a str> {
        let start = self.ranges.first().filter(|_| !self.is_inlined)?.start;
        lines.find_location(start).ok()??.file.filter(|file| !file.is_empty())
    }
}

/// An entry with those that it refers to.
fn chain<'a>(entry: &'a Entry, entries: &'a BTreeMap<usize, Entry>) -> Vec<&'a Entry> {
    let next = |entry: &&'a Entry| entry.more.and_then(|more| entries.get(&more));
    std::iter::successors(Some(entry), next).take(MAX_REFERENCES).collect()
}

/// Names while they are found.
struct Names<'a> {
    /// By what the entries say.
    known: HashMap<&'a str, usize>,
    all: Vec<String>,
}

impl<'a> Names<'a> {
    /// The name of the function that a chain of entries describes.
    fn of(&mut self, chain: &[&'a Entry], table: &SymbolTable) -> Option<usize> {
        if let Some(mangled) = chain.iter().find_map(|entry| entry.mangled.as_deref()) {
            return Some(self.add(mangled, || names::demangle(mangled)));
        }
        // The declaration is what lies in the scopes.
        let plain = chain.iter().rev().find_map(|entry| entry.name.as_deref())?;
        let start = chain[0].ranges.first().map_or(0, |range| range.start);
        match table.full_name(start, plain) {
            Some(name) if !chain[0].is_inlined && name != plain => {
                self.all.push(name.to_owned());
                Some(self.all.len() - 1)
            }
            _ => Some(self.add(plain, || plain.to_owned())),
        }
    }

    fn add(&mut self, said: &'a str, name: impl FnOnce() -> String) -> usize {
        *self.known.entry(said).or_insert_with(|| {
            self.all.push(name());
            self.all.len() - 1
        })
    }
}

/// One unit while its entries are collected.
struct UnitReading<'a> {
    unit: UnitRef<'a, Bytes>,
    paths: &'a Paths,
    /// Shown names of its source files, by index.
    files: BTreeMap<u64, Option<Arc<str>>>,
}

impl UnitReading<'_> {
    fn collect(&mut self, entries: &mut BTreeMap<usize, Entry>) -> gimli::Result<()> {
        // The scopes around, with their depths.
        let mut scopes: Vec<(isize, String)> = Vec::new();
        let unit = self.unit;
        let mut cursor = unit.entries();
        while let Some(entry) = cursor.next_dfs()? {
            while scopes.last().is_some_and(|&(depth, _)| depth >= entry.depth()) {
                scopes.pop();
            }
            let own = self.text(entry, gimli::DW_AT_name);
            match entry.tag() {
                gimli::DW_TAG_subprogram | gimli::DW_TAG_inlined_subroutine => {
                    let depth = entry.depth();
                    let found = self.entry(entry, own.map(|own| in_scopes(&scopes, &own)));
                    let declared = found.more.and_then(|more| entries.get(&more));
                    let scope = found.name.as_ref().or(declared.and_then(|declared| declared.name.as_ref()));
                    scopes.extend(scope.map(|scope| (depth, scope.clone())));
                    if let Some(offset) = entry.offset().to_debug_info_offset(&unit.header) {
                        entries.insert(offset.0, found);
                    }
                }
                tag if is_scope(tag) => {
                    let unnamed = if tag == gimli::DW_TAG_namespace { names::UNNAMED } else { "{unnamed}" };
                    let name = in_scopes(&scopes, own.as_deref().unwrap_or(unnamed));
                    scopes.push((entry.depth(), name));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn entry(&mut self, entry: &DebuggingInformationEntry<Bytes>, name: Option<String>) -> Entry {
        let mangled = self.text(entry, gimli::DW_AT_linkage_name);
        let mangled = mangled.or_else(|| self.text(entry, gimli::DW_AT_MIPS_linkage_name));
        let file = match entry.attr_value(gimli::DW_AT_decl_file) {
            Some(AttributeValue::FileIndex(index)) => self.file(index),
            Some(value) => value.udata_value().and_then(|index| self.file(index)),
            None => None,
        };
        let more = entry.attr_value(gimli::DW_AT_abstract_origin);
        let more = more.or_else(|| entry.attr_value(gimli::DW_AT_specification));
        Entry {
            is_inlined: entry.tag() == gimli::DW_TAG_inlined_subroutine,
            mangled,
            name,
            file,
            ranges: self.ranges(entry),
            more: more.and_then(|more| self.reference(more)),
        }
    }

    fn text(&self, entry: &DebuggingInformationEntry<Bytes>, name: gimli::DwAt) -> Option<String> {
        let text = self.unit.attr_string(entry.attr_value(name)?).ok()?;
        text.to_string_lossy().ok().map(|text| text.into_owned())
    }

    fn reference(&self, value: AttributeValue<Bytes>) -> Option<usize> {
        match value {
            AttributeValue::UnitRef(offset) => offset.to_debug_info_offset(&self.unit.header).map(|to| to.0),
            AttributeValue::DebugInfoRef(offset) => Some(offset.0),
            _ => None,
        }
    }

    fn ranges(&self, entry: &DebuggingInformationEntry<Bytes>) -> Vec<Range<u64>> {
        let Ok(mut found) = self.unit.die_ranges(entry) else { return Vec::new() };
        let mut ranges = Vec::new();
        while let Ok(Some(range)) = found.next() {
            // A linker that drops a function leaves it at address 0.
            if range.begin != 0 && range.begin < range.end {
                ranges.push(range.begin..range.end);
            }
        }
        ranges
    }

    /// The source file with an index in the line table.
    fn file(&mut self, index: u64) -> Option<Arc<str>> {
        let (unit, paths) = (self.unit, self.paths);
        self.files
            .entry(index)
            .or_insert_with(|| path(unit, index).map(|path| paths.show(&path).into()))
            .clone()
    }
}

fn path(unit: UnitRef<'_, Bytes>, index: u64) -> Option<String> {
    let header = unit.line_program.as_ref()?.header();
    let file = header.file(index)?;
    let text = |bytes: Bytes| bytes.to_string_lossy().ok().map(|text| text.into_owned());
    let mut path = std::path::PathBuf::new();
    path.extend(unit.comp_dir.clone().and_then(text));
    if file.directory_index() != 0 {
        path.extend(file.directory(header).and_then(|name| unit.attr_string(name).ok()).and_then(text));
    }
    path.extend(text(unit.attr_string(file.path_name()).ok()?));
    Some(path.to_string_lossy().into_owned())
}

/// Whether names of functions begin with the name of such an entry.
fn is_scope(tag: DwTag) -> bool {
    matches!(
        tag,
        gimli::DW_TAG_namespace
            | gimli::DW_TAG_class_type
            | gimli::DW_TAG_structure_type
            | gimli::DW_TAG_union_type
            | gimli::DW_TAG_enumeration_type
    )
}

fn in_scopes(scopes: &[(isize, String)], name: &str) -> String {
    match scopes.last() {
        Some((_, scope)) => format!("{scope}::{name}"),
        None => name.to_owned(),
    }
}
