//! A sysroot's files: instrumented libraries, and links to what stays as it is.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use super::{INSTRUMENTED, RustToolchain, SysrootError, TARGET, instrument};

/// What is in a sysroot beside the target's own directory.
const RUSTLIB: &str = "lib/rustlib";

/// What of a toolchain a sysroot is made from.
pub(super) struct Source {
    rustlib: PathBuf,
    linker: PathBuf,
    /// The names of the libraries to be instrumented, the largest first.
    libraries: Vec<OsString>,
}

/// What a sysroot consists of, by paths that are relative to it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Made {
    pub(super) files: BTreeSet<PathBuf>,
    pub(super) links: BTreeSet<PathBuf>,
}

impl Source {
    pub(super) fn of(toolchain: &RustToolchain) -> Result<Source, SysrootError> {
        if toolchain.host != TARGET {
            return Err(SysrootError::OtherTarget { host: toolchain.host.clone() });
        }
        let rustlib = toolchain.sysroot.join(RUSTLIB);
        let directory = rustlib.join(TARGET).join("lib");
        let missing = |library| SysrootError::NoStd { directory: directory.clone(), library };
        let entries = list(&directory).map_err(|_| missing("std"))?;
        let mut libraries = Vec::new();
        for library in INSTRUMENTED {
            let start = format!("lib{library}-");
            let is_it = |name: &str| name.starts_with(&start) && name.ends_with(".rlib");
            let found = entries.iter().find(|name| name.to_str().is_some_and(is_it));
            libraries.push(found.ok_or_else(|| missing(library))?.clone());
        }
        libraries.sort_by_key(|name| {
            std::cmp::Reverse(directory.join(name).metadata().map_or(0, |file| file.len()))
        });
        let linker = rustlib.join(TARGET).join("bin/rust-lld");
        if !linker.is_file() {
            return Err(SysrootError::NoLinker { path: linker });
        }
        Ok(Source { rustlib, linker, libraries })
    }
}

/// Makes a sysroot in an empty directory.
pub(super) fn make(
    source: &Source,
    directory: &Path,
    say: &mut dyn FnMut(&str),
) -> Result<Made, SysrootError> {
    let target = PathBuf::from(RUSTLIB).join(TARGET);
    let libraries = target.join("lib");
    let to = directory.join(&libraries);
    std::fs::create_dir_all(&to).map_err(|error| SysrootError::file(&to, &error))?;
    let mut made = Made {
        files: source.libraries.iter().map(|name| libraries.join(name)).collect(),
        links: BTreeSet::new(),
    };
    // Sources, scripts for debuggers and other targets; then the linker; then the libraries that stay as they are.
    link(source, Path::new(""), directory, &mut made, |path| path.is_dir() && !path.ends_with(TARGET))?;
    link(source, Path::new(TARGET), directory, &mut made, |path| !path.ends_with("lib"))?;
    link(source, &Path::new(TARGET).join("lib"), directory, &mut made, |path| {
        !source.libraries.iter().any(|name| path.ends_with(name))
    })?;
    let work = directory.join("work");
    for (library, member) in instrument_all(source, &to, &work)? {
        let library = library.to_string_lossy();
        say(&format!("{member} of {library} carries no bitcode, and is used as it is"));
    }
    std::fs::remove_dir_all(&work).map_err(|error| SysrootError::file(&work, &error))?;
    Ok(made)
}

/// Links what is chosen of one directory of the toolchain, which is named as seen from `rustlib`.
fn link(
    source: &Source,
    below: &Path,
    directory: &Path,
    made: &mut Made,
    is_chosen: impl Fn(&Path) -> bool,
) -> Result<(), SysrootError> {
    let from = source.rustlib.join(below);
    for name in list(&from).map_err(|error| SysrootError::file(&from, &error))? {
        let (original, path) = (from.join(&name), Path::new(RUSTLIB).join(below).join(&name));
        if is_chosen(&original) {
            let link = directory.join(&path);
            std::os::unix::fs::symlink(&original, &link)
                .map_err(|error| SysrootError::file(&link, &error))?;
            made.links.insert(path);
        }
    }
    Ok(())
}

/// The names in a directory, in order.
fn list(directory: &Path) -> io::Result<BTreeSet<OsString>> {
    std::fs::read_dir(directory)?.map(|entry| Ok(entry?.file_name())).collect()
}

/// Instruments the libraries, several at a time. Returns the members that had to stay as they are, each with its library.
fn instrument_all(source: &Source, to: &Path, work: &Path) -> Result<Vec<(OsString, String)>, SysrootError> {
    let from = source.rustlib.join(TARGET).join("lib");
    let workers = thread::available_parallelism().map_or(1, usize::from).min(source.libraries.len());
    let waiting = Mutex::new(source.libraries.iter());
    let next = || waiting.lock().expect("no worker panics").next();
    let work_off = || {
        let mut kept = Vec::new();
        while let Some(name) = next() {
            let members =
                instrument::library(&source.linker, &from.join(name), &to.join(name), &work.join(name));
            match members {
                Ok(members) => kept.extend(members.into_iter().map(|member| (name.clone(), member))),
                Err(error) => {
                    // Nobody need begin another one.
                    while next().is_some() {}
                    return Err(error);
                }
            }
        }
        Ok(kept)
    };
    let results: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work_off)).collect();
        workers.into_iter().map(|worker| worker.join().expect("no worker panics")).collect()
    });
    let mut kept = Vec::new();
    for result in results {
        kept.extend(result?);
    }
    kept.sort();
    Ok(kept)
}
