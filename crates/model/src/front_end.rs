//! The front end of models: what a check from beginning to end needs to know of them.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use caissa_check::{Assumed, Error, FrontEnd, Interrupts, Tending, Terms, Words, on_threads};
use caissa_core::{Identity, PanicNote};

use crate::code::Code;
use crate::exec::{Exec, ExecSettings};

/// A model that is to be checked.
#[derive(Clone)]
pub struct Model {
    /// The model.
    pub code: Arc<Code>,
    /// How the user names it on a command line, with the constants that were set.
    pub target: String,
    /// The whole command line that checks it.
    pub command: String,
    /// How it is executed; what a check has settings for is taken from there.
    pub settings: ExecSettings,
    /// Set when the user interrupts the check.
    pub interrupted: Option<&'static AtomicBool>,
}

impl Model {
    /// Whether it has plain globals: data, on which accesses can race.
    pub fn has_plain(&self) -> bool {
        self.code.program().globals.iter().any(|global| global.plain)
    }
}

impl FrontEnd for Model {
    type Subject = Exec;
    type Error = Error;

    fn at_work<R: Send>(
        &self,
        terms: Vec<Terms>,
        tending: &mut Tending<'_>,
        work: impl Fn(&mut Exec) -> R + Sync,
    ) -> Result<Vec<R>, Error> {
        Ok(on_threads(terms, tending, |terms| {
            let settings =
                ExecSettings { classes: terms.classes, races: terms.races, ..self.settings.clone() };
            let mut exec = Exec::with_identity(Arc::clone(&self.code), settings, terms.identity);
            exec.attend(terms.pulse);
            work(&mut exec)
        }))
    }

    fn identity(&self) -> Identity {
        Identity::MODEL
    }

    fn words(&self) -> &'static dyn Words {
        &ModelWords
    }

    fn replay_command(&self, schedule: &str) -> String {
        format!("caissa replay {schedule} {}", self.target)
    }

    fn resume_command(&self, _file: &Path) -> String {
        // It names the file.
        self.command.clone()
    }

    fn file_name(&self) -> String {
        let name = Path::new(&self.code.program().source.name).file_stem();
        name.map_or("model".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    fn own_settings(&self) -> Vec<(&'static str, String)> {
        // The program itself is known by its first operations; its text says more.
        let text = &self.code.program().source.text;
        let number = text.bytes().fold(0u64, |hash, byte| caissa_core::class::mix2(hash, byte as u64));
        vec![("model", format!("{} {number:x}", self.target))]
    }

    fn interrupts(&self, _resumable: bool) -> Option<Box<dyn Interrupts + '_>> {
        self.interrupted.map(|flag| Box::new(flag) as Box<dyn Interrupts>)
    }
}

/// What things are called in a model.
#[derive(Debug)]
pub struct ModelWords;

impl Words for ModelWords {
    fn option(&self, name: &str) -> String {
        format!("--{}", name.replace('_', "-"))
    }

    fn panicked(&self, task: &str, note: &PanicNote) -> String {
        let end = if note.message.ends_with(['.', '!', '?']) { "" } else { "." };
        let (place, message) = (&note.source, &note.message);
        match note.kind {
            "assertion" => format!("task {task} fails an assertion at {place}: {message}{end}"),
            "final" => {
                format!("all tasks have ended, and the condition at {place} does not hold: {message}{end}")
            }
            "good-samaritan" => {
                format!("task {task} {message}, in the loop at {place}. If it waits, put `pause;` into it.")
            }
            _ => format!("task {task} fails at {place}: {message}{end}"),
        }
    }

    fn remark(&self, note: &PanicNote) -> String {
        match note.kind {
            "final" => "all tasks have ended".to_owned(),
            _ => format!("{} {}", note.task, self.panics()),
        }
    }

    fn lists_tasks(&self) -> bool {
        true
    }

    fn more_of_a_trace(&self) -> String {
        "--full shows every step, --trace FILE writes the trace to a file.".to_owned()
    }

    fn trace_file(&self) -> String {
        "`--trace`".to_owned()
    }

    fn nothing_shared(&self) -> &'static str {
        "Do the tasks share a global, and are there yields?"
    }

    fn yielding(&self) -> [&'static str; 3] {
        ["pause", "pauses", "pausing"]
    }

    fn how_to_yield(&self) -> &'static str {
        "put `pause;` into it. A model that is meant to run for ever is checked with --no-fair."
    }

    fn left_waiting(&self) -> &'static str {
        "The first task has ended."
    }

    fn what_orders(&self) -> &'static str {
        "a global that is not plain, a post, or a serial level"
    }

    fn what_can_differ(&self) -> &'static str {
        "a mistake in this tool: a model does the same under the same schedule"
    }

    fn assumptions(&self, assumed: &Assumed) -> String {
        match (assumed.fair_k, assumed.races) {
            (Some(k), true) => format!("assuming fairness (k = {k})"),
            (Some(k), false) => format!("assuming fairness (k = {k}) and no data races"),
            (None, true) => "assuming nothing".to_owned(),
            (None, false) => "assuming no data races".to_owned(),
        }
    }
}
