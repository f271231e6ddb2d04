//! What the user has told cargo besides the command line: flags for rustc, and profiles. Cargo puts these together itself; it has to be done again here because
//! flags that are given to it in the environment take the place of all others.
//!
//! Read as cargo documents it (The Cargo Book, Configuration, hierarchical structure): `--config`, the environment, `.cargo/config.toml` of the directory and all
//! above it, and that of cargo's home. Files that these include are not read.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use cargo_metadata::cargo_platform::{Cfg, CfgExpr};
use toml::{Table, Value};

use crate::Mistake;

/// The environment, as a function.
pub type Variables<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// What files of cargo's configuration say, the strongest first.
#[derive(Clone, Debug, Default)]
pub struct CargoConfig {
    tables: Vec<Table>,
}

impl CargoConfig {
    /// Reads what holds in a directory. `given`: the values of `--config`, the last of which is the strongest.
    pub fn read(
        directory: &Path,
        given: &[OsString],
        variables: Variables<'_>,
    ) -> Result<CargoConfig, Mistake> {
        let mut tables = Vec::new();
        for value in given.iter().rev() {
            let text = value.to_string_lossy();
            let path = directory.join(&*text);
            // Cargo complains of what is neither.
            tables.extend(if path.is_file() { read_file(&path)? } else { text.parse().ok() });
        }
        let home = variables("CARGO_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        let home = home.or_else(|| Some(PathBuf::from(variables("HOME")?).join(".cargo")));
        let mut directories: Vec<PathBuf> =
            directory.ancestors().map(|directory| directory.join(".cargo")).collect();
        directories.extend(home.filter(|home| !directories.contains(home)));
        for directory in directories {
            // The first is what it was called once, and is preferred by cargo.
            let names = ["config", "config.toml"].map(|name| directory.join(name));
            if let Some(path) = names.iter().find(|path| path.is_file()) {
                tables.extend(read_file(path)?);
            }
        }
        Ok(CargoConfig { tables })
    }

    /// The flags for rustc that the user wants for this target.
    pub fn rust_flags(&self, triple: &str, cfgs: &[Cfg], variables: Variables<'_>) -> Vec<String> {
        let variable = |name: &str| variables(name).map(|value| value.to_string_lossy().into_owned());
        if let Some(encoded) = variable("CARGO_ENCODED_RUSTFLAGS") {
            let words = encoded.split('\x1f').filter(|word| !word.is_empty());
            return words.map(str::to_owned).collect();
        }
        if let Some(flags) = variable("RUSTFLAGS") {
            return words(&flags);
        }
        let mut of_target = self.array(&["target", triple, "rustflags"]);
        let by_name = format!("CARGO_TARGET_{}_RUSTFLAGS", triple.to_uppercase().replace(['-', '.'], "_"));
        of_target.extend(variable(&by_name).map(|flags| words(&flags)).unwrap_or_default());
        let mut conditions: Vec<&String> = self.targets().collect();
        conditions.sort();
        conditions.dedup();
        for condition in conditions {
            if condition
                .strip_prefix("cfg(")
                .and_then(|rest| rest.strip_suffix(')'))
                .is_some_and(|text| text.parse::<CfgExpr>().is_ok_and(|condition| condition.matches(cfgs)))
            {
                of_target.extend(self.array(&["target", condition, "rustflags"]));
            }
        }
        if !of_target.is_empty() {
            return of_target;
        }
        let mut of_build = self.array(&["build", "rustflags"]);
        of_build.extend(variable("CARGO_BUILD_RUSTFLAGS").map(|flags| words(&flags)).unwrap_or_default());
        of_build
    }

    /// Whether some condition has flags, so that it has to be known whether it holds.
    pub fn has_conditions(&self) -> bool {
        self.targets().any(|target| target.starts_with("cfg("))
    }

    fn targets(&self) -> impl Iterator<Item = &String> {
        let tables = self.tables.iter().filter_map(|table| table.get("target")?.as_table());
        tables.flat_map(|table| table.keys())
    }

    /// What is said of a profile.
    pub fn profile(&self, name: &str, key: &str) -> Option<&Value> {
        self.tables.iter().find_map(|table| find(table, &["profile", name, key]))
    }

    /// An array, or a string of words: those of all files, the strongest last.
    fn array(&self, path: &[&str]) -> Vec<String> {
        let values = self.tables.iter().rev().filter_map(|table| find(table, path));
        let each = |value: &Value| match value {
            Value::String(text) => words(text),
            Value::Array(array) => array.iter().filter_map(|item| Some(item.as_str()?.to_owned())).collect(),
            _ => Vec::new(),
        };
        values.flat_map(each).collect()
    }
}

/// A value in a table of tables.
pub fn find<'a>(table: &'a Table, path: &[&str]) -> Option<&'a Value> {
    let (last, path) = path.split_last()?;
    let mut table = table;
    for name in path {
        table = table.get(*name)?.as_table()?;
    }
    table.get(*last)
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// A file of TOML; nothing if it is not there.
pub fn read_file(path: &Path) -> Result<Option<Table>, Mistake> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(crate::model::unreadable(&path.display().to_string(), &error)),
    };
    let table = text.parse();
    table.map(Some).map_err(|error| Mistake(format!("error: {} is no TOML: {error}\n", path.display())))
}

/// Profiles that cargo has by itself, with those that they inherit from.
const PROFILES: [(&str, Option<&str>); 4] =
    [("dev", None), ("release", None), ("test", Some("dev")), ("bench", Some("release"))];

/// What cargo has to be told of profiles for the programs to be explored: variables of its environment. `manifest`: that of the workspace. `profile`: one that the
/// user has named.
///
/// Bitcode of other crates cannot be linked to a standard library that was instrumented by itself, so there is no optimisation at link time. Places need
/// line tables, in the executable itself.
pub fn profile_variables(
    profile: Option<&str>,
    manifest: &Table,
    config: &CargoConfig,
    variables: Variables<'_>,
) -> Vec<(String, String)> {
    let mut names: Vec<&str> = PROFILES.iter().map(|(name, _)| *name).collect();
    names.extend(profile.filter(|name| !names.contains(name)));
    let mut all = Vec::new();
    for name in names {
        let variable =
            |key: &str| format!("CARGO_PROFILE_{}_{key}", name.to_uppercase().replace(['-', '.'], "_"));
        for (key, value) in [("LTO", "off"), ("STRIP", "none"), ("SPLIT_DEBUGINFO", "off")] {
            all.push((variable(key), value.to_owned()));
        }
        if !has_lines(name, manifest, config, variables, 8) {
            all.push((variable("DEBUG"), "limited".to_owned()));
        }
    }
    // What is not optimised at all calls even its atomics by functions, so that the library's own cannot be told from the program's.
    let level = "CARGO_PROFILE_DEV_OPT_LEVEL";
    let said = |key: &str| config.profile("dev", key).or_else(|| find(manifest, &["profile", "dev", key]));
    if variables(level).is_none() && said("opt-level").is_none() {
        all.push((level.to_owned(), "1".to_owned()));
    }
    all
}

/// Whether a profile has debug information. `depth`: so many profiles may inherit from each other.
fn has_lines(
    name: &str,
    manifest: &Table,
    config: &CargoConfig,
    variables: Variables<'_>,
    depth: u32,
) -> bool {
    let variable = format!("CARGO_PROFILE_{}_DEBUG", name.to_uppercase().replace(['-', '.'], "_"));
    let is_off = |word: &str| matches!(word, "0" | "false" | "none");
    if let Some(value) = variables(&variable) {
        return !is_off(&value.to_string_lossy());
    }
    let said = |key: &str| config.profile(name, key).or_else(|| find(manifest, &["profile", name, key]));
    if let Some(value) = said("debug") {
        return match value {
            Value::String(word) => !is_off(word),
            Value::Integer(level) => *level != 0,
            value => value.as_bool() != Some(false),
        };
    }
    let inherits = said("inherits").and_then(Value::as_str);
    let inherits = inherits.or_else(|| PROFILES.iter().find(|(known, _)| *known == name)?.1);
    match inherits {
        Some(other) if depth > 0 => has_lines(other, manifest, config, variables, depth - 1),
        _ => name == "dev",
    }
}

/// Whether flags make panics abort, which tests cannot live with.
pub fn aborts(flags: &[String]) -> bool {
    let pairs = flags.iter().zip(flags.iter().skip(1).map(String::as_str).chain([""]));
    pairs.into_iter().any(|(flag, next)| {
        ["-Cpanic=abort", "--codegen=panic=abort"].contains(&flag.as_str())
            || ["-C", "--codegen"].contains(&flag.as_str()) && next == "panic=abort"
    })
}

/// A variable of this process's environment.
pub fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(OsStr::new(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(texts: &[&str]) -> CargoConfig {
        CargoConfig { tables: texts.iter().map(|text| text.parse().unwrap()).collect() }
    }

    fn nothing(_: &str) -> Option<OsString> {
        None
    }

    #[test]
    fn flags_come_from_the_first_source_that_has_some() {
        let config = config(&[
            "target.t.rustflags = ['-a']\n[target.'cfg(unix)']\nrustflags = '-b -c'\n[target.'cfg(windows)']\nrustflags = '-w'",
            "[build]\nrustflags = ['-d']\n[target.t]\nrustflags = ['-first']",
        ]);
        let unix = ["unix".parse().unwrap()];
        assert_eq!(config.rust_flags("t", &unix, &nothing), ["-first", "-a", "-b", "-c"]);
        assert_eq!(config.rust_flags("other", &[], &nothing), ["-d"]);
        let flags = |name: &str| (name == "RUSTFLAGS").then(|| OsString::from(" -x  -y"));
        assert_eq!(config.rust_flags("t", &unix, &flags), ["-x", "-y"]);
        let encoded = |name: &str| (name == "CARGO_ENCODED_RUSTFLAGS").then(|| OsString::from("-x y\x1f-z"));
        assert_eq!(config.rust_flags("t", &unix, &encoded), ["-x y", "-z"]);
    }

    #[test]
    fn profiles_without_lines_get_some() {
        let manifest: Table =
            "[profile.dev]\ndebug = 0\n[profile.fast]\ninherits = 'release'\n[profile.release]\ndebug = true"
                .parse()
                .unwrap();
        let config = config(&["[profile.bench]\ndebug = 'none'"]);
        let variables = profile_variables(Some("fast"), &manifest, &config, &nothing);
        let debugged: Vec<&str> = variables
            .iter()
            .filter(|(name, _)| name.ends_with("_DEBUG"))
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(
            debugged,
            ["CARGO_PROFILE_DEV_DEBUG", "CARGO_PROFILE_TEST_DEBUG", "CARGO_PROFILE_BENCH_DEBUG"]
        );
        assert!(variables.contains(&("CARGO_PROFILE_FAST_LTO".to_owned(), "off".to_owned())));
    }

    #[test]
    fn panics_that_abort_are_seen() {
        let flags = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Vec<_>>();
        assert!(aborts(&flags(&["-Cpanic=abort"])) && aborts(&flags(&["-O", "-C", "panic=abort"])));
        assert!(!aborts(&flags(&["-C", "opt-level=3", "--cfg", "panic=abort"])));
    }
}
