//! A directory in the user's cache that is either not there or whole.
//!
//! It is made under another name, with a manifest that is written last, and renamed. Who makes it holds a lock, which goes with the process: whoever
//! needs the same waits, and what a process that was killed has left behind belongs to nobody, and is removed. What a disk that was full or
//! somebody with `rm` did to it later is noticed by the manifest.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::SysrootError;
use super::layout::Made;

const MANIFEST: &str = "manifest";
/// Its first and its last line.
const BEGINNING: &str = "caissa: what this directory must contain";
const END: &str = "end";

/// A directory that is made once.
pub(super) struct Kept<'a> {
    pub(super) cache: &'a Path,
    /// What it is called, and must be unique to what it is made from.
    pub(super) name: String,
}

impl Kept<'_> {
    /// The directory; `make` makes it, in an empty one, unless it is there.
    pub(super) fn get(
        &self,
        say: &mut dyn FnMut(&str),
        make: impl FnOnce(&Path, &mut dyn FnMut(&str)) -> Result<Made, SysrootError>,
    ) -> Result<PathBuf, SysrootError> {
        let directory = self.cache.join(&self.name);
        if is_whole(&directory) {
            return Ok(directory);
        }
        let _lock = self.lock(say)?;
        if is_whole(&directory) {
            return Ok(directory);
        }
        self.remove_leftovers()?;
        let partial = self.cache.join(format!("{}{}", self.leftover(), std::process::id()));
        let made = fill(&partial, |directory| make(directory, say));
        let moved = made.and_then(|()| {
            remove(&directory)
                .and_then(|()| std::fs::rename(&partial, &directory))
                .map_err(|error| SysrootError::file(&directory, &error))
        });
        if let Err(error) = moved {
            // It is the first error that counts.
            let _ = remove(&partial);
            return Err(error);
        }
        Ok(directory)
    }

    /// Waits until nobody else makes it. Where a file system has no locks two may make it at the same time, and one of them fails.
    fn lock(&self, say: &mut dyn FnMut(&str)) -> Result<File, SysrootError> {
        let path = self.cache.join(format!("{}.lock", self.name));
        let failed = |error: io::Error| SysrootError::file(&path, &error);
        std::fs::create_dir_all(self.cache).map_err(|error| SysrootError::file(self.cache, &error))?;
        let file = File::create(&path).map_err(failed)?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            say("another caissa is instrumenting Rust's standard library: it is waited for");
            file.lock().map_err(failed)?;
        }
        Ok(file)
    }

    /// How the names of what is not finished begin.
    fn leftover(&self) -> String {
        format!("{}.partial.", self.name)
    }

    fn remove_leftovers(&self) -> Result<(), SysrootError> {
        let failed = |error: io::Error| SysrootError::file(self.cache, &error);
        for entry in std::fs::read_dir(self.cache).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if entry.file_name().to_string_lossy().starts_with(&self.leftover()) {
                remove(&entry.path()).map_err(failed)?;
            }
        }
        Ok(())
    }
}

fn fill(
    directory: &Path,
    make: impl FnOnce(&Path) -> Result<Made, SysrootError>,
) -> Result<(), SysrootError> {
    std::fs::create_dir(directory).map_err(|error| SysrootError::file(directory, &error))?;
    let made = make(directory)?;
    write_manifest(directory, &made).map_err(|error| SysrootError::file(directory, &error))
}

/// Removes a directory, if it is there.
fn remove(directory: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(directory) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn write_manifest(directory: &Path, made: &Made) -> io::Result<()> {
    let mut lines = vec![BEGINNING.to_owned()];
    for path in &made.files {
        lines.push(format!("{} {}", directory.join(path).metadata()?.len(), path.display()));
    }
    lines.extend(made.links.iter().map(|path| format!("link {}", path.display())));
    lines.push(END.to_owned());
    std::fs::write(directory.join(MANIFEST), lines.join("\n"))
}

/// Whether everything is there that the manifest lists: files of the size they had, links to what still exists.
fn is_whole(directory: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(directory.join(MANIFEST)) else { return false };
    let lines: Vec<&str> = text.lines().collect();
    let [BEGINNING, listed @ .., END] = lines.as_slice() else { return false };
    listed.iter().all(|line| {
        let Some((what, path)) = line.split_once(' ') else { return false };
        let metadata = directory.join(path).metadata();
        metadata.is_ok_and(|file| what == "link" || what.parse() == Ok(file.len()))
    })
}
