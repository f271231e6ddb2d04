//! The words of a command line: which are ours, which are cargo's, and which are meant for the tests or the program.
//!
//! Ours are recognised wherever they stand before `--`. Cargo's are handed on as they are; of those that decide something here we know how many
//! words they take, so that what is left is a filter, or an argument of the program.

use std::ffi::OsString;

use clap::Command;

use crate::Mistake;

/// What an option of cargo's is to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It chooses targets: `--lib`, `--test NAME`.
    Target,
    /// It chooses packages.
    Package,
    /// `cargo metadata` takes it too.
    Everywhere,
    /// It decides how things are built.
    Build,
}

/// How many words an option takes besides itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Nothing,
    One,
    /// One, if the next word is no option.
    Perhaps,
}

/// The options of cargo's that matter here. Others take no word of their own.
const OPTIONS: &[(&str, Takes, Kind)] = &[
    ("--lib", Takes::Nothing, Kind::Target),
    ("--bins", Takes::Nothing, Kind::Target),
    ("--bin", Takes::Perhaps, Kind::Target),
    ("--examples", Takes::Nothing, Kind::Target),
    ("--example", Takes::Perhaps, Kind::Target),
    ("--tests", Takes::Nothing, Kind::Target),
    ("--test", Takes::Perhaps, Kind::Target),
    ("--benches", Takes::Nothing, Kind::Target),
    ("--bench", Takes::Perhaps, Kind::Target),
    ("--all-targets", Takes::Nothing, Kind::Target),
    ("--package", Takes::Perhaps, Kind::Package),
    ("-p", Takes::Perhaps, Kind::Package),
    ("--workspace", Takes::Nothing, Kind::Package),
    ("--all", Takes::Nothing, Kind::Package),
    ("--exclude", Takes::One, Kind::Package),
    ("--manifest-path", Takes::One, Kind::Everywhere),
    ("--lockfile-path", Takes::One, Kind::Everywhere),
    ("--config", Takes::One, Kind::Everywhere),
    ("--color", Takes::One, Kind::Everywhere),
    ("-Z", Takes::One, Kind::Everywhere),
    ("--offline", Takes::Nothing, Kind::Everywhere),
    ("--locked", Takes::Nothing, Kind::Everywhere),
    ("--frozen", Takes::Nothing, Kind::Everywhere),
    ("--jobs", Takes::One, Kind::Build),
    ("-j", Takes::One, Kind::Build),
    ("--profile", Takes::One, Kind::Build),
    ("--features", Takes::One, Kind::Build),
    ("-F", Takes::One, Kind::Build),
    ("--target", Takes::Perhaps, Kind::Build),
    ("--target-dir", Takes::One, Kind::Build),
    ("--message-format", Takes::One, Kind::Build),
];

/// Other long options of cargo's.
const OTHERS: &[&str] = &[
    "--all-features",
    "--artifact-dir",
    "--build-plan",
    "--doc",
    "--future-incompat-report",
    "--ignore-rust-version",
    "--keep-going",
    "--list",
    "--no-default-features",
    "--no-fail-fast",
    "--no-run",
    "--quiet",
    "--release",
    "--timings",
    "--unit-graph",
    "--verbose",
];

/// An option of cargo's as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CargoOption {
    /// Its name, with its dashes.
    pub name: String,
    /// Its value, if it has one.
    pub value: Option<OsString>,
    /// What it is to us.
    pub kind: Kind,
    /// As it was written.
    pub words: Vec<OsString>,
}

/// A command line, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// Options of ours, for clap.
    pub ours: Vec<OsString>,
    /// Options of cargo's.
    pub cargo: Vec<CargoOption>,
    /// Words that are no options.
    pub plain: Vec<OsString>,
    /// What comes after `--`.
    pub rest: Vec<OsString>,
}

impl Words {
    /// Takes a command line apart. `ours`: the command whose options are ours. `runs`: the first word that is no option begins the arguments of
    /// the program.
    pub fn split(words: impl IntoIterator<Item = OsString>, ours: &Command, runs: bool) -> Words {
        let mut split = Words::default();
        let mut words = words.into_iter().peekable();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy().into_owned();
            if text == "--" {
                split.rest.extend(words);
                break;
            }
            if !text.starts_with('-') || text == "-" {
                split.plain.push(word);
                if runs {
                    // A `--` after this is the program's.
                    split.plain.extend(words);
                    break;
                }
                continue;
            }
            if let Some(takes_value) = is_ours(ours, &text) {
                split.ours.push(word);
                if takes_value && !text.contains('=') {
                    split.ours.extend(words.next());
                }
                continue;
            }
            let (name, takes, kind, attached) = known(&text);
            let follows = |next: &OsString| !next.to_string_lossy().starts_with('-');
            let takes_next = attached.is_none()
                && match takes {
                    Takes::Nothing => false,
                    Takes::One => true,
                    Takes::Perhaps => words.peek().is_some_and(follows),
                };
            let next = if takes_next { words.next() } else { None };
            let value = attached.map(OsString::from).or_else(|| next.clone());
            let written = std::iter::once(word).chain(next).collect();
            split.cargo.push(CargoOption { name, value, kind, words: written });
        }
        split
    }

    /// The value of an option of cargo's; of several the last.
    pub fn value(&self, name: &str) -> Option<&OsString> {
        self.cargo.iter().rev().find(|option| option.name == name)?.value.as_ref()
    }

    /// Whether an option of cargo's was given.
    pub fn has(&self, name: &str) -> bool {
        self.cargo.iter().any(|option| option.name == name)
    }

    /// Takes an option of cargo's out. Returns whether it was there.
    pub fn take(&mut self, name: &str) -> bool {
        let before = self.cargo.len();
        self.cargo.retain(|option| option.name != name);
        self.cargo.len() < before
    }

    /// Cargo's options of some kinds, as they were written.
    pub fn of(&self, kinds: &[Kind]) -> Vec<OsString> {
        let options = self.cargo.iter().filter(|option| kinds.contains(&option.kind));
        options.flat_map(|option| option.words.iter().cloned()).collect()
    }

    /// All options of cargo's, as they were written.
    pub fn all(&self) -> Vec<OsString> {
        self.cargo.iter().flat_map(|option| option.words.iter().cloned()).collect()
    }

    /// The profile that is built, if it is another one than usual.
    pub fn profile(&self) -> Option<String> {
        let release = self.has("--release") || self.has("-r");
        let named = self.value("--profile").map(|name| name.to_string_lossy().into_owned());
        named.or_else(|| release.then(|| "release".to_owned()))
    }

    /// Whether cargo is to say little.
    pub fn is_quiet(&self) -> bool {
        self.has("--quiet") || self.has("-q")
    }

    /// Refuses what is nearly an option of ours and none of cargo's, which would only say that there is no such option.
    pub fn refuse_mistyped(&self, ours: &Command) -> Result<(), Mistake> {
        for option in &self.cargo {
            let name = option.name.split('=').next().unwrap_or_default();
            let is_known = OPTIONS.iter().any(|(known, ..)| *known == name) || OTHERS.contains(&name);
            let longs = ours.get_arguments().filter(|option| !option.is_hide_set());
            let longs = longs.filter_map(|option| option.get_long()).map(|long| format!("--{long}"));
            let nearest = longs.map(|long| (distance(name, &long), long)).min();
            if let Some((1..=MISTYPED, long)) = nearest.filter(|_| !is_known && name.starts_with("--")) {
                return Err(Mistake(format!("error: there is no option `{name}`\nhelp: `{long}`\n")));
            }
        }
        Ok(())
    }

    /// Refuses what cannot be handed on.
    pub fn refuse(&self, host: &str) -> Result<(), Mistake> {
        let refused = |what: &str, help: &str| Err(Mistake(format!("error: {what}\nhelp: {help}\n")));
        if self.has("--message-format") {
            return refused("--message-format: cargo's messages are read here", "use --json for results");
        }
        if self.has("--doc") {
            return refused(
                "--doc: doctests are not explored",
                "leave it out; a test in tests/ can say the same",
            );
        }
        if let Some(target) = self.value("--target").filter(|target| *target != host) {
            return refused(
                &format!(
                    "--target {}: tests are run on this machine, which is {host}",
                    target.to_string_lossy()
                ),
                "leave --target out",
            );
        }
        Ok(())
    }
}

/// Words that differ in so many letters are taken for the same, mistyped.
pub const MISTYPED: usize = 2;

/// How many letters have to be put in, taken out or changed to make one word of another (Wagner and Fischer, JACM 1974).
pub fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (number, letter) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], number + 1);
        for at in 0..other.len() {
            let changed = diagonal + (letter != other[at]) as usize;
            diagonal = row[at + 1];
            row[at + 1] = changed.min(row[at] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

/// Whether an option is ours, and if so whether it takes a value.
fn is_ours(ours: &Command, word: &str) -> Option<bool> {
    if ["--help", "-h", "--version", "-V"].contains(&word) {
        return Some(false);
    }
    let name = word.strip_prefix("--")?.split('=').next()?;
    let option = ours.get_arguments().find(|option| option.get_long() == Some(name))?;
    Some(option.get_action().takes_values())
}

/// What is known of an option of cargo's: its name, what it takes and is, and a value that is part of the word.
fn known(word: &str) -> (String, Takes, Kind, Option<String>) {
    let (name, attached) = match word.split_once('=').filter(|_| word.starts_with("--")) {
        Some((name, value)) => (name, Some(value)),
        // As in -j4.
        None if !word.starts_with("--") && word.len() > 2 && word.is_char_boundary(2) => {
            let (name, value) = word.split_at(2);
            (name, Some(value.strip_prefix('=').unwrap_or(value)))
        }
        None => (word, None),
    };
    match OPTIONS.iter().find(|(option, ..)| *option == name) {
        Some(&(_, takes, kind)) => (name.to_owned(), takes, kind, attached.map(str::to_owned)),
        None => (word.to_owned(), Takes::Nothing, Kind::Build, None),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cargo::args::Test;

    fn split(line: &str) -> Words {
        Words::split(line.split_whitespace().map(OsString::from), &Test::command(), false)
    }

    fn shown(words: &[OsString]) -> String {
        words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ours_are_found_wherever_they_stand() {
        let words = split("--release --bound 2 -p a --time=3 --lib filter --json -- x --bound");
        assert_eq!(shown(&words.ours), "--bound 2 --time=3 --json");
        assert_eq!(shown(&words.all()), "--release -p a --lib");
        assert_eq!(shown(&words.plain), "filter");
        assert_eq!(shown(&words.rest), "x --bound");
    }

    #[test]
    fn what_an_option_of_cargo_takes_is_no_filter() {
        let words = split("-j4 -j 4 --features a,b --test t --test --lib --profile=fast --unknown name");
        assert_eq!(shown(&words.plain), "name");
        assert_eq!(words.profile().as_deref(), Some("fast"));
        assert_eq!(shown(&words.of(&[Kind::Target])), "--test t --test --lib");
        let jobs: Vec<_> = words.cargo.iter().filter(|option| option.name == "-j").collect();
        assert!(jobs.iter().all(|option| option.value.as_deref() == Some("4".as_ref())) && jobs.len() == 2);
    }

    #[test]
    fn what_is_nearly_an_option_of_ours_is_refused() {
        for (given, meant) in [
            ("--serch dfs", "--search"),
            ("--max-execution 5", "--max-executions"),
            ("--max_steps=5", "--max-steps"),
        ] {
            let Mistake(text) = split(given).refuse_mistyped(&Test::command()).unwrap_err();
            assert!(text.ends_with(&format!("help: `{meant}`\n")), "{text}");
        }
        for given in
            ["--keep-going --no-run --release", "--verbose --tests -v", "--no-such-option", "--tim=1 -x"]
        {
            let told = split(given).refuse_mistyped(&Test::command());
            assert_eq!(told.is_err(), given.starts_with("--tim="), "{given}");
        }
        assert_eq!((distance("abc", "abc"), distance("abc", "xabd"), distance("", "ab")), (0, 2, 2));
    }

    #[test]
    fn arguments_of_a_program_begin_with_the_first_word_that_is_no_option() {
        let words = Words::split(["--release", "a", "--bound"].map(OsString::from), &Test::command(), true);
        assert_eq!(shown(&words.plain), "a --bound");
    }
}
