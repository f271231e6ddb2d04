//! What the user's files say of tests: `caissa.toml`, or a table `metadata.caissa` of a manifest.

use std::path::Path;
use std::time::Duration;

use cargo_metadata::{Metadata, PackageId};
use serde::{Deserialize, Serialize};

use crate::{Mistake, args};

/// What can be said of some tests; what is not said is left to others.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq)]
#[serde(default, rename_all = "kebab-case")]
pub struct Layer {
    pub bound: Option<u32>,
    pub max_executions: Option<u64>,
    /// Seconds.
    pub time: Option<f64>,
    pub max_steps: Option<u32>,
    pub faults: Option<u32>,
    pub points: Option<args::Points>,
    pub mode: Option<args::Mode>,
    /// Seconds.
    pub hang: Option<f64>,
    /// Megabytes.
    pub heap: Option<u64>,
    pub races: Option<bool>,
    pub no_preempt: Option<Vec<String>>,
    pub preempt_only: Option<Vec<String>>,
    /// No file says this.
    #[serde(skip)]
    pub all_atomics: bool,
}

/// `caissa.toml`, or a table `metadata.caissa` of a manifest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct File {
    /// What it is called in messages.
    name: String,
    layer: Layer,
    /// Seconds for all tests together.
    pub total_time: Option<Duration>,
    /// Tests that are left out.
    skip: Vec<String>,
    tests: Vec<TestTable>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct TestTable {
    name: String,
    skip: bool,
    reason: Option<String>,
    layer: Layer,
}

const LAYER_KEYS: [&str; 12] = [
    "bound",
    "max-executions",
    "time",
    "max-steps",
    "faults",
    "points",
    "mode",
    "hang",
    "heap",
    "races",
    "no-preempt",
    "preempt-only",
];

impl File {
    /// Reads a table. `name`: where it is.
    fn read(name: String, mut table: toml::Table) -> Result<File, Mistake> {
        let keys = || LAYER_KEYS.into_iter();
        refuse_unknown(&name, &table, keys().chain(["total-time", "skip", "test"]))?;
        let total_time =
            table.remove("total-time").map(|value| seconds(&name, "total-time", &value)).transpose()?;
        let skip =
            table.remove("skip").map(|value| convert(&name, "skip", value)).transpose()?.unwrap_or_default();
        let tests: Vec<toml::Table> =
            table.remove("test").map(|value| convert(&name, "test", value)).transpose()?.unwrap_or_default();
        let mut file = File { layer: Layer::read(&name, table)?, name, total_time, skip, tests: Vec::new() };
        for mut test in tests {
            let within = format!("{}, [[test]]", file.name);
            refuse_unknown(&within, &test, keys().chain(["name", "skip", "reason"]))?;
            let missing =
                || Mistake(format!("error: {within}: there is no `name`\nhelp: name = \"module::test_*\"\n"));
            let pattern = test.remove("name").ok_or_else(missing)?;
            file.tests.push(TestTable {
                name: convert(&within, "name", pattern)?,
                skip: test
                    .remove("skip")
                    .map(|value| convert(&within, "skip", value))
                    .transpose()?
                    .unwrap_or(false),
                reason: test.remove("reason").map(|value| convert(&within, "reason", value)).transpose()?,
                layer: Layer::read(&within, test)?,
            });
        }
        Ok(file)
    }
}

impl Layer {
    fn read(name: &str, table: toml::Table) -> Result<Layer, Mistake> {
        let said: Vec<(String, toml::Value)> = table.clone().into_iter().collect();
        for (key, value) in said {
            // One by one, so that a mistake can be named.
            let one: toml::Table = [(key.clone(), value)].into_iter().collect();
            Layer::deserialize(one).map_err(|error| wrong(name, &key, error.message()))?;
        }
        let layer = Layer::deserialize(table).map_err(|error| wrong(name, "it", &error.to_string()))?;
        for (key, seconds) in [("time", layer.time), ("hang", layer.hang)] {
            if seconds.is_some_and(|seconds| !(seconds > 0.0 && seconds < 1e9)) {
                return Err(wrong(name, key, "expected a number of seconds above 0"));
            }
        }
        for (key, zero) in [
            ("max-executions", layer.max_executions == Some(0)),
            ("max-steps", layer.max_steps == Some(0)),
            ("heap", layer.heap == Some(0)),
        ] {
            if zero {
                return Err(wrong(name, key, "expected a number above 0"));
            }
        }
        Ok(layer)
    }

    /// This one, and what it does not say by another.
    pub fn over(self, under: &Layer) -> Layer {
        let under = under.clone();
        Layer {
            bound: self.bound.or(under.bound),
            max_executions: self.max_executions.or(under.max_executions),
            time: self.time.or(under.time),
            max_steps: self.max_steps.or(under.max_steps),
            faults: self.faults.or(under.faults),
            points: self.points.or(under.points),
            mode: self.mode.or(under.mode),
            hang: self.hang.or(under.hang),
            heap: self.heap.or(under.heap),
            races: self.races.or(under.races),
            no_preempt: self.no_preempt.or(under.no_preempt),
            preempt_only: self.preempt_only.or(under.preempt_only),
            all_atomics: self.all_atomics || under.all_atomics,
        }
    }
}

fn wrong(name: &str, key: &str, why: &str) -> Mistake {
    Mistake(format!("error: {name}: `{key}`: {why}\n"))
}

fn convert<'de, T: Deserialize<'de>>(name: &str, key: &str, value: toml::Value) -> Result<T, Mistake> {
    T::deserialize(value).map_err(|error| wrong(name, key, error.message()))
}

fn seconds(name: &str, key: &str, value: &toml::Value) -> Result<Duration, Mistake> {
    let seconds = value.as_float().or_else(|| Some(value.as_integer()? as f64));
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| wrong(name, key, "expected a number of seconds above 0"))
}

fn refuse_unknown(
    name: &str,
    table: &toml::Table,
    known: impl Iterator<Item = &'static str>,
) -> Result<(), Mistake> {
    let known: Vec<&str> = known.collect();
    match table.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(Mistake(format!(
            "error: {name}: there is no key `{key}`\nhelp: there are {}\n",
            known.join(", ")
        ))),
        None => Ok(()),
    }
}

/// What holds for the tests of a package, the weakest first.
#[derive(Clone, Debug, Default)]
pub struct Files(Vec<File>);

impl Files {
    /// Reads what there is for a package.
    pub fn of(metadata: &Metadata, package: &PackageId) -> Result<Files, Mistake> {
        let root = metadata.workspace_root.as_std_path();
        let package = metadata.packages.iter().find(|other| other.id == *package);
        let mut files = Vec::new();
        files.extend(of_manifest(&root.join("Cargo.toml"), &metadata.workspace_metadata)?);
        files.extend(caissa_toml(root)?);
        if let Some(package) = package {
            let manifest = package.manifest_path.as_std_path();
            files.extend(of_manifest(manifest, &package.metadata)?);
            files.extend(manifest.parent().map(caissa_toml).transpose()?.flatten());
        }
        Ok(Files(files))
    }

    /// The time for all tests together, if one of these says something.
    pub fn total_time(&self) -> Option<Duration> {
        self.0.iter().rev().find_map(|file| file.total_time)
    }

    /// Why a test is left out, if it is.
    pub fn skipped(&self, test: &str) -> Option<String> {
        self.0.iter().rev().find_map(|file| {
            let table = file.tests.iter().find(|table| table.skip && matches(&table.name, test));
            match table {
                Some(table) => Some(table.reason.clone().unwrap_or_else(|| file.name.clone())),
                None => file.skip.iter().any(|name| matches(name, test)).then(|| file.name.clone()),
            }
        })
    }

    /// The names that stand for tests, as messages show them, and whether they stand for some of these.
    pub fn names(&self, tests: &[&str]) -> Vec<(String, bool)> {
        let names = self.0.iter().flat_map(|file| {
            let skips = file.skip.iter().map(move |name| (format!("{}: skip, \"{name}\"", file.name), name));
            let tables = file.tests.iter().map(|table| &table.name);
            skips.chain(tables.map(move |name| (format!("{}: [[test]], name = \"{name}\"", file.name), name)))
        });
        names.map(|(shown, name)| (shown, tests.iter().any(|test| matches(name, test)))).collect()
    }

    /// What holds for a test.
    pub fn layer(&self, test: &str) -> Layer {
        let tables = self.0.iter().flat_map(|file| &file.tests);
        let of_it = tables.filter(|table| matches(&table.name, test)).map(|table| &table.layer);
        of_it.fold(self.of_all(), |under, layer| layer.clone().over(&under))
    }

    /// What holds for all tests, and for programs.
    pub fn of_all(&self) -> Layer {
        self.0.iter().fold(Layer::default(), |under, file| file.layer.clone().over(&under))
    }
}

/// What a manifest says in `metadata`.
fn of_manifest(path: &Path, metadata: &serde_json::Value) -> Result<Option<File>, Mistake> {
    let Some(json) = metadata.get("caissa") else { return Ok(None) };
    let name = format!("{}, metadata.caissa", shown(path));
    let table = toml::Table::deserialize(json);
    let table = table.map_err(|error| Mistake(format!("error: {name}: {error}\n")))?;
    File::read(name, table).map(Some)
}

fn caissa_toml(directory: &Path) -> Result<Option<File>, Mistake> {
    let path = directory.join("caissa.toml");
    let Some(table) = crate::cargo::config::read_file(&path)? else { return Ok(None) };
    let name = shown(&path);
    let file = File::read(name.clone(), table);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    file.map(Some).map_err(|mistake| with_line(mistake, &name, &text))
}

/// Puts the line of a mistake behind the name of the file, if it is clear: tables do not know any more where they stood.
fn with_line(Mistake(told): Mistake, name: &str, text: &str) -> Mistake {
    let key = told.split('`').nth(1).unwrap_or_default();
    let has_key = |line: &str| {
        let rest = line.trim_start().strip_prefix(key);
        !key.is_empty() && rest.is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    // A key of a table is not meant where the file begins.
    let from = if told.contains("[[test]]") { text.find("[[test]]").unwrap_or(0) } else { 0 };
    let before = text[..from].lines().count();
    let mut lines = text[from..].lines().enumerate().filter(|(_, line)| has_key(line));
    match (lines.next(), lines.next(), told.strip_prefix(&format!("error: {name}"))) {
        (Some((line, _)), None, Some(rest)) => Mistake(format!("error: {name}:{}{rest}", before + line + 1)),
        _ => Mistake(told),
    }
}

/// A path as the user would name it.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path).display().to_string()
}

/// Whether a pattern stands for a name: `*` stands for anything.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Result<File, Mistake> {
        File::read("caissa.toml".to_owned(), text.parse().unwrap())
    }

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, name, expected) in [
            ("a::b", "a::b", true),
            ("a::b", "a::bc", false),
            ("a*", "a::b", true),
            ("*b", "a::b", true),
            ("a*b*c", "axbxbc", true),
            ("a*b*c", "axc", false),
            ("*", "", true),
            ("a*a", "a", false),
            ("net::*", "tests::net::x", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn what_is_nearer_is_stronger() {
        let far = file("bound = 1\ntime = 3\n[[test]]\nname = 'slow*'\ntime = 60").unwrap();
        let near = file("bound = 4\nmode = 'fork'").unwrap();
        let files = Files(vec![far, near]);
        let layer = files.layer("slow_one");
        assert_eq!((layer.bound, layer.time, layer.mode), (Some(4), Some(60.0), Some(args::Mode::Fork)));
        assert_eq!(files.layer("other").time, Some(3.0));
    }

    #[test]
    fn tests_are_left_out_by_name() {
        let files = Files(vec![
            file("skip = ['net::*']\n[[test]]\nname = 'gpu'\nskip = true\nreason = 'needs a GPU'").unwrap(),
        ]);
        assert_eq!(files.skipped("net::a").as_deref(), Some("caissa.toml"));
        assert_eq!(files.skipped("gpu").as_deref(), Some("needs a GPU"));
        assert_eq!(files.skipped("cpu"), None);
    }

    #[test]
    fn names_that_stand_for_no_test_are_known() {
        let files = Files(vec![file("skip = ['net::*', 'a']\n[[test]]\nname = 'b*'").unwrap()]);
        let unused = files.names(&["a", "c"]).into_iter().filter(|(_, used)| !used).map(|(name, _)| name);
        let expected = ["caissa.toml: skip, \"net::*\"", "caissa.toml: [[test]], name = \"b*\""];
        assert_eq!(unused.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn mistakes_name_the_key_and_the_file() {
        let says = |text: &str| file(text).unwrap_err().0;
        assert!(
            says("bond = 1")
                .starts_with("error: caissa.toml: there is no key `bond`\nhelp: there are bound, ")
        );
        assert!(says("bound = 'x'").starts_with("error: caissa.toml: `bound`: "));
        assert!(says("mode = 'x'").contains("`mode`: unknown variant `x`, expected one of `auto`"));
        let with_line = |text: &str| with_line(file(text).unwrap_err(), "caissa.toml", text).0;
        assert!(with_line("# bound\n bound = 'x'").starts_with("error: caissa.toml:2: `bound`: "));
        let table = "bound = 1\n[[test]]\nname = 'a'\nbound = 'x'";
        assert!(with_line(table).starts_with("error: caissa.toml:4, [[test]]: `bound`: "));
        let unclear = "[[test]]\nname = 'a'\nbound = 1\n[[test]]\nname = 'b'\nbound = 'x'";
        assert!(with_line(unclear).starts_with("error: caissa.toml, [[test]]: `bound`: "));
        assert!(says("time = 0").contains("`time`: expected a number of seconds above 0"));
        assert!(says("total-time = -1").contains("`total-time`"));
        assert!(says("[[test]]\nbound = 1").contains("[[test]]: there is no `name`"));
        assert!(
            says("[[test]]\nname = 'a'\ntotal-time = 1").contains("[[test]]: there is no key `total-time`")
        );
    }
}
