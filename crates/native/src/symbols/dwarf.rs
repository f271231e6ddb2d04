//! The DWARF sections of a file, as addr2line and gimli want them.

use std::sync::Arc;

use gimli::{DwLang, EndianArcSlice, RunTimeEndian, UnitType};
use object::{Object as _, ObjectSection as _};

use super::error::Gap;

/// A part of a section, which it keeps alive.
pub(super) type Bytes = EndianArcSlice<RunTimeEndian>;
/// What finds lines and frames.
pub(super) type Lines = addr2line::Context<Bytes>;

/// All of it.
pub(super) struct Dwarf {
    pub(super) sections: Arc<gimli::Dwarf<Bytes>>,
    pub(super) lines: Lines,
}

/// Reads the sections. There can be a gap in what they tell.
pub(super) fn load(file: &object::File<'_>) -> Result<(Dwarf, Option<Gap>), Gap> {
    if file.section_by_name(".debug_info").is_none() {
        return Err(match file.gnu_debuglink() {
            Ok(Some((name, _))) => Gap::Elsewhere { file: String::from_utf8_lossy(name).into_owned() },
            _ => Gap::NoDebugInformation,
        });
    }
    let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let section = |id: gimli::SectionId| -> Result<Bytes, Gap> {
        let bytes: Arc<[u8]> = match file.section_by_name(id.name()) {
            Some(section) => match section.compressed_file_range() {
                Ok(range) if range.format == object::CompressionFormat::None => {
                    section.data().map_err(damaged)?.into()
                }
                _ => return Err(Gap::Compressed),
            },
            None => Arc::new([]),
        };
        Ok(Bytes::new(bytes, endian))
    };
    let mut sections = gimli::Dwarf::load(section)?;
    sections.populate_abbreviations_cache(gimli::AbbreviationsCacheStrategy::Duplicates);
    let sections = Arc::new(sections);
    let lines = Lines::from_arc_dwarf(Arc::clone(&sections)).map_err(damaged)?;
    let gap = if is_split(&sections) { Some(Gap::Split) } else { None };
    Ok((Dwarf { sections, lines }, gap))
}

fn damaged(error: impl std::fmt::Display) -> Gap {
    Gap::Damaged { why: error.to_string() }
}

/// Whether some unit has its functions in a file of its own. Lines are never there.
fn is_split(sections: &gimli::Dwarf<Bytes>) -> bool {
    let mut units = sections.units();
    std::iter::from_fn(|| units.next().ok().flatten())
        .any(|header| matches!(header.type_(), UnitType::Skeleton(_)))
}

/// Where it is said in which namespaces and types a function lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scopes {
    /// The language has none.
    None,
    /// In mangled names only: entries without one lie nowhere, or lie in scopes that have mangled names beside them.
    InNames,
    /// In mangled names, and in the entries around a function.
    InDwarf,
}

pub(super) fn scopes_of(language: DwLang) -> Scopes {
    match language {
        gimli::DW_LANG_C
        | gimli::DW_LANG_C89
        | gimli::DW_LANG_C99
        | gimli::DW_LANG_C11
        | gimli::DW_LANG_C17 => Scopes::None,
        gimli::DW_LANG_Rust => Scopes::InNames,
        _ => Scopes::InDwarf,
    }
}
