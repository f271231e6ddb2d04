//! What of the process's environment decides which compiler is used. Read in one place, so that everything else can be tried out.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The name that our command goes by.
const OURS: &str = "caissa";

/// Variables, the search path, and which program we are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment {
    pub(crate) variables: BTreeMap<&'static str, String>,
    /// `PATH`.
    pub(crate) search_path: OsString,
    /// Our own executable. It may stand on the path under a compiler's name.
    pub(crate) ourselves: Option<PathBuf>,
}

impl Environment {
    pub(crate) fn of_this_process() -> Environment {
        let read = |name: &'static str| Some((name, std::env::var(name).ok()?));
        Environment {
            variables: ["CAISSA_CC", "CC", "CAISSA_CXX", "CXX", "RUSTC"]
                .into_iter()
                .filter_map(read)
                .collect(),
            search_path: std::env::var_os("PATH").unwrap_or_default(),
            ourselves: std::env::current_exe().ok().and_then(|path| path.canonicalize().ok()),
        }
    }

    /// A variable that says something.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// The program that a name means to a shell, unless it is us.
    pub(crate) fn find(&self, name: &str) -> Option<PathBuf> {
        if name.contains('/') {
            let path = PathBuf::from(name);
            return is_program(&path).then_some(path);
        }
        let directories = std::env::split_paths(&self.search_path);
        let mut candidates = directories.map(|directory| directory.join(name));
        candidates.find(|path| is_program(path) && !self.is_us(path))
    }

    /// Whether a command line is one of ours: `caissa cc`, `ccache /opt/bin/caissa cc`.
    pub(crate) fn names_us(&self, words: &str) -> bool {
        words.split_whitespace().any(|word| {
            let path = Path::new(word);
            path.file_name().is_some_and(|name| name == OURS) || (path.is_absolute() && self.is_us(path))
        })
    }

    fn is_us(&self, path: &Path) -> bool {
        self.ourselves.is_some() && path.canonicalize().ok() == self.ourselves
    }
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}
