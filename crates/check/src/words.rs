//! What reports call things that each front end calls by names of its own: its settings, its failures, its remedies.

use std::fmt;

use caissa_core::PanicNote;

/// The words of a front end. Whatever is not here is said the same way of every program.
pub trait Words: fmt::Debug + Sync {
    /// How the user knows a setting of [`Settings`](crate::Settings): `max_steps`, or `--max-steps` on a command line.
    fn option(&self, name: &str) -> String;

    /// By what else the same setting is made, if there is something: an environment variable.
    fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    /// A task has failed by itself: a sentence that says which, where and how, without a capital, for it may follow a colon.
    fn panicked(&self, task: &str, note: &PanicNote) -> String;

    /// The same in one word, beside the trace.
    fn panics(&self) -> &'static str {
        "fails"
    }

    /// Where that happens, beside the trace.
    fn remark(&self, note: &PanicNote) -> String {
        format!("{} {}", note.task, self.panics())
    }

    /// Whether it is said who the tasks are above a trace of so many that they share a column.
    fn lists_tasks(&self) -> bool {
        false
    }

    /// Whether a release stands where its lock was taken, since it has no place of its own.
    fn releases_where_taken(&self) -> bool {
        true
    }

    /// How to see more of a trace than the report shows.
    fn more_of_a_trace(&self) -> String;

    /// How a trace file is asked for.
    fn trace_file(&self) -> String;

    /// Where no order of steps mattered: what to look for.
    fn nothing_shared(&self) -> &'static str;

    /// What to say where there was one schedule only, if that is worth a word.
    fn one_schedule(&self) -> Option<&'static str> {
        None
    }

    /// What a task does to say that it makes no progress: it must, it does, doing so.
    fn yielding(&self) -> [&'static str; 3] {
        ["yield", "yields", "yielding"]
    }

    /// How a loop that waits says so.
    fn how_to_yield(&self) -> &'static str;

    /// What to do if tasks may be left waiting when the main task has ended; nothing if there is nothing to be said.
    fn left_waiting(&self) -> &'static str;

    /// What can order two accesses of data, beside a lock around both: what comes after "by".
    fn what_orders(&self) -> &'static str;

    /// What can differ between two runs under the same schedule: the end of a sentence that begins with "Look for".
    fn what_can_differ(&self) -> &'static str;

    /// What verdicts take for granted: a clause that begins with "assuming", or nothing.
    fn assumptions(&self, assumed: &Assumed) -> String {
        let faults = match assumed.faults {
            0 => format!("no faults (`{}` = 0)", self.option("faults")),
            1 => "at most 1 fault".to_owned(),
            n => format!("at most {n} faults"),
        };
        let faults = match assumed.races {
            true => faults,
            false => format!("{faults}, no data races (`{}` is off)", self.option("races")),
        };
        match assumed.fair_k {
            Some(k) => format!("assuming sequential consistency, fairness (k = {k}) and {faults}"),
            None => format!("assuming sequential consistency and {faults}"),
        }
    }
}

/// What a verdict may take for granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assumed {
    /// Fairness by every so many yields, where some task has yielded.
    pub fair_k: Option<u32>,
    /// The budget of faults.
    pub faults: u32,
    /// Whether data races were looked for.
    pub races: bool,
}

impl dyn Words {
    /// A setting with all its names: `` `max_steps` (CAISSA_MAX_STEPS) ``.
    pub(crate) fn setting(&self, name: &str) -> String {
        format!("`{}`{}", self.option(name), self.by_variable(name))
    }

    /// The variable, in brackets.
    pub(crate) fn by_variable(&self, name: &str) -> String {
        self.variable(name).map_or(String::new(), |variable| format!(" ({variable})"))
    }

    /// All names of some settings, for brackets.
    pub(crate) fn names(&self, names: &[&str]) -> String {
        let options: Vec<String> = names.iter().map(|name| format!("`{}`", self.option(name))).collect();
        let variables: Vec<String> = names.iter().filter_map(|name| self.variable(name)).collect();
        let mut text = options.join(" and ");
        if !variables.is_empty() {
            text.push_str(", ");
            text.push_str(&variables.join(" and "));
        }
        text
    }
}
