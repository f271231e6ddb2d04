//! How source files are shown: below the base relative to it, without `.` and `..`.
//!
//! `..` is taken back without asking the file system, which knows nothing of programs compiled elsewhere; where it follows a symbolic link
//! the shown path can be wrong. The toolchain's files are never shown relative, so that they can be told from the user's.

use std::path::{Component, Path, PathBuf};

use super::frame::is_the_toolchains;

/// The base, under all names that it has.
pub(super) struct Paths {
    bases: Vec<PathBuf>,
}

impl Paths {
    pub(super) fn new(base: Option<&Path>) -> Paths {
        let given = base.and_then(|base| std::path::absolute(base).ok()).map(|base| plain(&base));
        // A compiler names the directory that it runs in by $PWD, or as the system does.
        let canonical = base.and_then(|base| base.canonicalize().ok());
        let mut bases: Vec<PathBuf> = given.into_iter().chain(canonical).collect();
        bases.dedup();
        Paths { bases }
    }

    /// A path of the debug information as it is shown.
    pub(super) fn show(&self, file: &str) -> String {
        let path = plain(Path::new(file));
        let below = self.bases.iter().find_map(|base| path.strip_prefix(base).ok());
        let shown = match below {
            Some(below) if !is_the_toolchains(&path.to_string_lossy()) => below,
            _ => &path,
        };
        shown.to_string_lossy().into_owned()
    }
}

/// A path without `.`, and without `..` wherever something precedes it.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match (component, plain.components().next_back()) {
            (Component::CurDir, _) | (Component::ParentDir, Some(Component::RootDir)) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                plain.pop();
            }
            (component, _) => plain.push(component),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_below_the_base_are_relative_and_have_no_dots() {
        let paths = Paths::new(Some(Path::new("/home/me/project")));
        for (file, shown) in [
            ("/home/me/project/src/./queue.c", "src/queue.c"),
            ("/home/me/project/build/../src/queue.c", "src/queue.c"),
            ("/home/me/project2/queue.c", "/home/me/project2/queue.c"),
            ("/home/me/project/../other/queue.c", "/home/me/other/queue.c"),
            ("./queue.c", "queue.c"),
            ("../queue.c", "../queue.c"),
            ("/../queue.c", "/queue.c"),
        ] {
            assert_eq!(paths.show(file), shown);
        }
        assert_eq!(Paths::new(None).show("/home/me/./queue.c"), "/home/me/queue.c");
    }

    #[test]
    fn files_of_the_toolchain_stay_absolute() {
        let paths = Paths::new(Some(Path::new("/")));
        let gcc = "/usr/bin/../lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/bits/std_thread.h";
        assert_eq!(paths.show(gcc), "/usr/include/c++/12/bits/std_thread.h");
        assert_eq!(paths.show("/home/me/queue.c"), "home/me/queue.c");
    }
}
