//! What is said to tests after `--`: which of them are meant, and how they are shown. The words are those of Rust's own test harness.

use std::ffi::OsString;

use clap::Parser;

use crate::Mistake;

/// What is said after `--`.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "cargo caissa test --",
    override_usage = "cargo caissa test [OPTIONS] -- [FILTERS AND OPTIONS OF THE TESTS]",
    max_term_width = 100
)]
pub struct Libtest {
    /// Tests whose names contain one of these
    pub filters: Vec<String>,
    /// Filters are whole names
    #[arg(long)]
    pub exact: bool,
    /// Leaves out tests whose names contain this; can be given several times
    #[arg(long, value_name = "FILTER")]
    pub skip: Vec<String>,
    /// Ignored tests, and no others
    #[arg(long)]
    pub ignored: bool,
    /// Ignored tests too
    #[arg(long)]
    pub include_ignored: bool,
    /// Lists tests and runs none
    #[arg(long)]
    pub list: bool,
    /// Shows a character for each test
    #[arg(short, long)]
    pub quiet: bool,
    /// Shows what tests print, in all their executions
    #[arg(long, visible_alias = "no-capture")]
    pub nocapture: bool,
    /// The same as --test-workers
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub test_threads: Option<u32>,
    /// Whether results are coloured
    #[arg(long, value_name = "WHEN", value_parser = ["auto", "always", "never"])]
    pub color: Option<String>,
    /// How results are shown
    #[arg(long, value_name = "FORMAT", value_parser = ["pretty", "terse"])]
    pub format: Option<String>,
}

/// Whether a test is run, and if not why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meant {
    /// It is run.
    Yes,
    /// It is marked as ignored.
    Ignored,
    /// It is not among those asked for.
    No,
}

impl Libtest {
    /// Reads what comes after `--`; `plain` are filters before it.
    pub fn read(plain: &[OsString], rest: &[OsString]) -> Result<Libtest, Mistake> {
        let mut filters = Vec::new();
        for word in plain {
            let text = word.to_str();
            let text = text.ok_or_else(|| Mistake(format!("error: {word:?} is no name of a test\n")))?;
            filters.push(text.to_owned());
        }
        if let [first, second, ..] = &filters[..] {
            return Err(Mistake(format!(
                "error: `{first}` and `{second}` are both filters\nhelp: several of them come after --: cargo caissa test -- {}\n",
                filters.join(" ")
            )));
        }
        let words = std::iter::once(OsString::from("cargo caissa test --")).chain(rest.iter().cloned());
        let mut libtest = Libtest::try_parse_from(words).unwrap_or_else(|error| error.exit());
        libtest.filters.splice(0..0, filters);
        Ok(libtest)
    }

    /// Whether a test is meant.
    pub fn means(&self, name: &str, ignored: bool) -> Meant {
        let matches = |filter: &String| if self.exact { name == filter } else { name.contains(filter) };
        if !self.filters.is_empty() && !self.filters.iter().any(matches) || self.skip.iter().any(matches) {
            return Meant::No;
        }
        match (ignored, self.ignored, self.include_ignored) {
            (false, true, false) => Meant::No,
            (true, false, false) => Meant::Ignored,
            _ => Meant::Yes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Libtest {
        Libtest::read(&[], &line.split_whitespace().map(OsString::from).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn filters_are_parts_of_names_or_whole_names() {
        assert_eq!(read("").means("a::b", false), Meant::Yes);
        assert_eq!(read("a:: x").means("a::b", false), Meant::Yes);
        assert_eq!(read("--exact a").means("a::b", false), Meant::No);
        assert_eq!(read("a --skip b").means("a::b", false), Meant::No);
        assert_eq!(read("--exact --skip b").means("a::b", false), Meant::Yes);
    }

    #[test]
    fn ignored_tests_are_run_if_asked_for() {
        assert_eq!(read("").means("a", true), Meant::Ignored);
        assert_eq!(read("--ignored").means("a", true), Meant::Yes);
        assert_eq!(read("--ignored").means("a", false), Meant::No);
        assert_eq!(read("--include-ignored").means("a", true), Meant::Yes);
        assert_eq!(read("--include-ignored").means("a", false), Meant::Yes);
    }

    #[test]
    fn two_filters_before_the_dashes_are_refused() {
        let plain = ["a", "b"].map(OsString::from);
        assert!(Libtest::read(&plain, &[]).unwrap_err().0.contains("come after --"));
    }
}
