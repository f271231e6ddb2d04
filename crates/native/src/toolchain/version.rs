//! What a compiler says of itself, and how compilers for the two languages are called.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{Kind, Language, ToolchainError};

/// A version of a compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    major: u32,
    minor: u32,
    patch: u32,
}

impl Version {
    pub(super) const fn new(major: u32, minor: u32, patch: u32) -> Version {
        Version { major, minor, patch }
    }

    /// Reads `12.2.0`, `14.0.6-2`, `15.0`.
    pub(super) fn read(text: &str) -> Option<Version> {
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let mut numbers = text[..end].split('.').map(str::parse);
        let major = numbers.next()?.ok()?;
        let minor = numbers.next()?.ok()?;
        let patch = numbers.next().and_then(Result::ok).unwrap_or(0);
        Some(Version { major, minor, patch })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Runs a program with `--version` and reads what it prints.
pub(super) fn ask(program: &Path, arguments: &[OsString]) -> Result<(Kind, Version), ToolchainError> {
    let mut command = Command::new(program);
    command.args(arguments).arg("--version").env("LC_ALL", "C").stdin(Stdio::null());
    let output = command
        .output()
        .map_err(|error| ToolchainError::CannotRun { program: program.to_owned(), why: error.to_string() })?;
    let said = String::from_utf8_lossy(&output.stdout);
    recognise(&said).ok_or_else(|| {
        let said =
            if said.trim().is_empty() { String::from_utf8_lossy(&output.stderr) } else { said.clone() };
        let said = said.trim().lines().next().unwrap_or("nothing").to_owned();
        ToolchainError::Unknown { program: program.to_owned(), said }
    })
}

/// Whose compiler it is by the text that `--version` prints, and which.
fn recognise(said: &str) -> Option<(Kind, Version)> {
    let first = said.lines().next()?;
    if let Some((_, version)) = first.split_once("clang version ") {
        return Some((Kind::Clang, Version::read(version)?));
    }
    if !said.contains("Free Software Foundation") {
        return None;
    }
    // `gcc (Debian 12.2.0-14) 12.2.0`: what is in brackets can look like a version too.
    let after = first.split_once(") ").map_or(first, |(_, after)| after);
    Some((Kind::Gcc, after.split_whitespace().find_map(Version::read)?))
}

/// How a compiler is called that is made for a language, if another one of its family was named: `gcc-12` for C++ is `g++-12`.
pub(super) fn spelling_for(language: Language, program: &str) -> Option<String> {
    let (directory, name) =
        program.rsplit_once('/').map_or(("", program), |(directory, name)| (directory, name));
    let twins = match language {
        Language::C => [("clang++", "clang"), ("g++", "gcc"), ("c++", "cc")],
        Language::Cxx => [("clang", "clang++"), ("gcc", "g++"), ("cc", "c++")],
    };
    let family = twins.iter().find(|(other, own)| {
        let own_already = language == Language::Cxx && name.contains(own);
        name.contains(other) && !own_already
    });
    let &(other, own) = family?;
    let at = name.rfind(other)?;
    // `clang-tidy` or `gccgo` are no compilers of the family.
    let rest = &name[at + other.len()..];
    let before = name[..at].ends_with('-') || at == 0;
    if !before || !rest.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    let name = format!("{}{own}{rest}", &name[..at]);
    Some(if directory.is_empty() { name } else { format!("{directory}/{name}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_compilers_of_many_systems_say() {
        let gnu = "\nCopyright (C) 2022 Free Software Foundation, Inc.\n";
        for (said, kind, version) in [
            ("gcc (Debian 12.2.0-14+deb12u1) 12.2.0", Kind::Gcc, "12.2.0"),
            ("g++ (Ubuntu 13.2.0-23ubuntu4) 13.2.0", Kind::Gcc, "13.2.0"),
            ("gcc (GCC) 14.2.1 20240912 (Red Hat 14.2.1-3)", Kind::Gcc, "14.2.1"),
            ("x86_64-linux-gnu-gcc-15 (crosstool-NG 1.26.0) 15.1.0", Kind::Gcc, "15.1.0"),
            ("Debian clang version 14.0.6", Kind::Clang, "14.0.6"),
            ("Ubuntu clang version 18.1.3 (1ubuntu1)", Kind::Clang, "18.1.3"),
            ("clang version 19.1.0 (https://github.com/llvm/llvm-project abc)", Kind::Clang, "19.1.0"),
            ("clang version 20.0.0git", Kind::Clang, "20.0.0"),
        ] {
            let (found, which) = recognise(&format!("{said}{gnu}")).expect(said);
            assert_eq!((found, which.to_string().as_str()), (kind, version), "{said}");
        }
        assert_eq!(recognise("tcc version 0.9.27 (x86_64 Linux)\n"), None);
        assert_eq!(recognise(""), None);
        assert!(Version::new(9, 5, 0) < Version::new(12, 0, 0));
    }

    #[test]
    fn a_compiler_is_called_by_the_language() {
        for (program, c, cxx) in [
            ("gcc", None, Some("g++")),
            ("g++", Some("gcc"), None),
            ("clang-14", None, Some("clang++-14")),
            ("clang++-14", Some("clang-14"), None),
            ("/opt/bin/x86_64-linux-gnu-gcc-12", None, Some("/opt/bin/x86_64-linux-gnu-g++-12")),
            ("cc", None, Some("c++")),
            ("c++", Some("cc"), None),
            ("ccache", None, None),
            ("clang-tidy", None, None),
        ] {
            assert_eq!(spelling_for(Language::C, program).as_deref(), c, "{program}");
            assert_eq!(spelling_for(Language::Cxx, program).as_deref(), cxx, "{program}");
        }
    }
}
