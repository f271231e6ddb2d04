//! The runtime that programs are linked with, put where they find it.
//!
//! Programs that were built stay where they are, and so does what they need: it lies in the user's cache directory, named by what it is.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::misuse::NativeError;

/// The library, as it was built with this executable.
static LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libcaissa_rt.so"));

/// Its name.
pub const NAME: &str = "libcaissa_rt.so";
/// Another one, by which compilers ask for it when they are told to look for data races.
const OTHER_NAME: &str = "libtsan.so";

/// The directory that holds the runtime; it is made if it is not there.
///
/// # Errors
/// If it cannot be made, or there is no runtime for this system.
pub fn directory() -> Result<PathBuf, NativeError> {
    if LIBRARY.is_empty() {
        let text = "native programs can be checked on x86-64 Linux with glibc only";
        return Err(NativeError::System(text.to_owned()));
    }
    static NUMBER: OnceLock<u64> = OnceLock::new();
    let number = NUMBER.get_or_init(|| {
        let words =
            LIBRARY.chunks(8).map(|chunk| chunk.iter().fold(0, |word, &byte| word << 8 | byte as u64));
        words.fold(0, caissa_core::class::mix2)
    });
    let directory = cache().join(format!("runtime-{number:016x}"));
    install(&directory).map_err(|error| {
        NativeError::System(format!(
            "the runtime cannot be put into {}: {error}\nhelp: set XDG_CACHE_HOME to a directory that can be written to",
            directory.display()
        ))
    })?;
    Ok(directory)
}

/// Where what was made once is kept for this user.
pub(crate) fn cache() -> PathBuf {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || variable("HOME").map(|home| home.join(".cache"));
    variable("XDG_CACHE_HOME").or_else(home).unwrap_or_else(std::env::temp_dir).join("caissa")
}

fn install(directory: &Path) -> std::io::Result<()> {
    let library = directory.join(NAME);
    if library.metadata().is_ok_and(|metadata| metadata.len() == LIBRARY.len() as u64) {
        return Ok(());
    }
    std::fs::create_dir_all(directory)?;
    // Others may do the same at this moment.
    let partial = directory.join(format!("{NAME}.{}", std::process::id()));
    let mut file = std::fs::File::create(&partial)?;
    file.write_all(LIBRARY)?;
    drop(file);
    std::fs::rename(&partial, &library)?;
    match std::os::unix::fs::symlink(NAME, directory.join(OTHER_NAME)) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}
