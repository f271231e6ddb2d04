//! Libraries of the toolchain (`.rlib`), which are archives of object files.

use std::io::{self, Cursor};

use ar_archive_writer::{ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember, write_archive_to_stream};
use object::read::archive::ArchiveFile;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _};

/// The section that rustc puts bitcode in.
const BITCODE: &str = ".llvmbc";

/// A file in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

impl Member {
    /// Whether it is machine code, and not rustc's own data.
    pub(super) fn is_code(&self) -> bool {
        self.name.ends_with(".o")
    }

    /// The bitcode that its machine code was made from.
    pub(super) fn bitcode(&self) -> Option<Vec<u8>> {
        let file = object::File::parse(&*self.bytes).ok()?;
        let data = file.section_by_name(BITCODE)?.data().ok()?;
        (!data.is_empty()).then(|| data.to_vec())
    }

    /// Whether it calls a hook of the runtime.
    pub(super) fn has_hooks(&self) -> bool {
        let is_hook = |name: &[u8]| name.starts_with(b"__tsan_") && name != b"__tsan_init";
        object::File::parse(&*self.bytes).is_ok_and(|file| {
            file.symbols().any(|symbol| symbol.is_undefined() && symbol.name_bytes().is_ok_and(is_hook))
        })
    }
}

/// The files in an archive, without its index, in their order.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<Member>, String> {
    let archive = ArchiveFile::parse(bytes).map_err(|error| error.to_string())?;
    if archive.is_thin() {
        return Err("it only names its members".to_owned());
    }
    let members = archive.members().map(|member| {
        let member = member.map_err(|error| error.to_string())?;
        let name = String::from_utf8(member.name().to_vec()).map_err(|error| error.to_string())?;
        let bytes = member.data(bytes).map_err(|error| error.to_string())?.to_vec();
        Ok(Member { name, bytes })
    });
    members.collect()
}

/// An archive of these files, with the index of symbols that linkers ask for.
pub(super) fn write(members: &[Member]) -> io::Result<Vec<u8>> {
    let members = members.iter().map(|member| {
        NewArchiveMember::new(member.bytes.as_slice(), &DEFAULT_OBJECT_READER, member.name.clone())
    });
    let members: Vec<NewArchiveMember<'_>> = members.collect();
    let mut archive = Cursor::new(Vec::new());
    write_archive_to_stream(&mut archive, &members, ArchiveKind::Gnu, false, None)?;
    Ok(archive.into_inner())
}
