//! The front end of native programs: what a check from beginning to end needs to know of them.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use caissa_check::{FrontEnd, Interrupts, Sealing, Tending, Terms, Words, on_threads};
use caissa_core::Identity;

use crate::misuse::NativeError;
use crate::places::Places;
use crate::program::{Program, Shared};
use crate::settings::{ModeSetting, NativeSettings};
use crate::words::{NativeWords, RustWords};

/// A program that is to be checked.
pub struct Native {
    settings: NativeSettings,
    /// How the user names it on a command line, with its arguments.
    target: String,
    /// The whole command line that checks it.
    command: String,
    /// Set when the user interrupts the check.
    interrupted: Option<&'static AtomicBool>,
    shared: Arc<Shared>,
    places: Places,
    seals: Seals,
    /// That it is run in copies has been said.
    told: AtomicBool,
    told_of_the_unseen: AtomicBool,
    /// Hears what is to be said beside the report.
    listener: Option<Listener>,
    /// The command that replays a schedule, if it is another one than usual.
    replayed_by: Option<ReplayedBy>,
}

type Listener = Box<dyn Fn(&str) + Send + Sync>;
type ReplayedBy = Box<dyn Fn(&str) -> String + Send + Sync>;

impl Native {
    /// A program. `target` and `command`: how to name it, and its check, on a command line.
    pub fn new(settings: NativeSettings, target: String, command: String) -> Native {
        let shared = Arc::new(Shared::new(settings.mode));
        let base = std::env::current_dir().unwrap_or_default();
        let seals = Seals {
            shared: Arc::clone(&shared),
            no_preempt: settings.no_preempt.clone(),
            preempt_only: settings.preempt_only.clone(),
        };
        Native {
            settings,
            target,
            command,
            interrupted: None,
            shared,
            places: Places::new(base),
            seals,
            told: AtomicBool::new(false),
            told_of_the_unseen: AtomicBool::new(false),
            listener: None,
            replayed_by: None,
        }
    }

    /// The same; what is known of its files is shared with other checks of the same executable.
    pub fn knowing(self, places: Places) -> Native {
        Native { places, ..self }
    }

    /// A number for what the program is.
    fn fingerprint(&self) -> u64 {
        let bytes = std::fs::read(&self.settings.program).unwrap_or_default();
        bytes.iter().fold(0, |hash, &byte| caissa_core::class::mix2(hash, byte as u64))
    }

    /// The same; what is said beside the report is not printed but told to this.
    pub fn telling(self, listener: impl Fn(&str) + Send + Sync + 'static) -> Native {
        Native { listener: Some(Box::new(listener)), ..self }
    }

    /// The same; this makes the command that replays a schedule.
    pub fn replayed_by(self, command: impl Fn(&str) -> String + Send + Sync + 'static) -> Native {
        Native { replayed_by: Some(Box::new(command)), ..self }
    }

    fn say(&self, sentence: &str) {
        match &self.listener {
            Some(listener) => listener(sentence),
            None => caissa_check::say(format_args!("caissa: {sentence}\n")),
        }
    }

    /// The same, to be ended when this is set.
    pub fn until(self, interrupted: Option<&'static AtomicBool>) -> Native {
        self.shared.until(interrupted);
        Native { interrupted, ..self }
    }

    /// Says once what of it nobody sees, and what it was told to seal that is not there.
    fn tell_of_the_unseen(&self) {
        if self.told_of_the_unseen.swap(true, Ordering::Relaxed) {
            return;
        }
        for sentence in self.places.not_seen() {
            self.say(&sentence);
        }
        let seals =
            [("--no-preempt", &self.settings.no_preempt), ("--preempt-only", &self.settings.preempt_only)];
        for (option, names) in seals {
            for name in names.iter().filter(|name| self.places.code_of(name).is_empty()) {
                self.say(&format!(
                    "{option} {name}: no function, type, module or file of the program is called so"
                ));
            }
        }
    }

    /// Says once why the program is not run in the fastest way.
    fn tell(&self) {
        if let Some(why) = self.shared.left()
            && self.settings.mode == ModeSetting::Auto
            && !self.told.swap(true, Ordering::Relaxed)
        {
            self.say(&format!("executions are run in copies of the process (--mode fork): {why}"));
        }
    }
}

impl FrontEnd for Native {
    type Subject = Program;
    type Error = NativeError;

    fn at_work<R: Send>(
        &self,
        terms: Vec<Terms>,
        tending: &mut Tending<'_>,
        work: impl Fn(&mut Program) -> R + Sync,
    ) -> Result<Vec<R>, NativeError> {
        let workers = AtomicU32::new(0);
        let results = on_threads(terms, tending, |terms| {
            let number = workers.fetch_add(1, Ordering::Relaxed);
            let (settings, shared) = (self.settings.clone(), Arc::clone(&self.shared));
            let mut program = Program::new(settings, terms, shared, self.places.clone(), number);
            work(&mut program)
        });
        self.tell();
        self.tell_of_the_unseen();
        match self.shared.error() {
            Some(error) => Err(error),
            None => Ok(results),
        }
    }

    fn forgive(&self) {
        self.shared.forgive();
    }

    fn identity(&self) -> Identity {
        Identity::NATIVE
    }

    fn words(&self) -> &'static dyn Words {
        if self.settings.rust { &RustWords } else { &NativeWords }
    }

    fn replay_command(&self, schedule: &str) -> String {
        match &self.replayed_by {
            Some(command) => command(schedule),
            None => format!("caissa replay {schedule} {}", self.target),
        }
    }

    fn resume_command(&self, _file: &Path) -> String {
        // It names the file.
        self.command.clone()
    }

    fn file_name(&self) -> String {
        let name = self.settings.program.file_stem();
        name.map_or("program".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    fn own_settings(&self) -> Vec<(&'static str, String)> {
        let arguments: Vec<String> =
            self.settings.arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        vec![
            ("program", format!("{:x} {}", self.fingerprint(), arguments.join(" "))),
            ("exit_fails", self.settings.exit_fails.to_string()),
            ("no_preempt", self.settings.no_preempt.join(",")),
            ("preempt_only", self.settings.preempt_only.join(",")),
        ]
    }

    fn interrupts(&self, _resumable: bool) -> Option<Box<dyn Interrupts + '_>> {
        self.interrupted.map(|flag| Box::new(flag) as Box<dyn Interrupts>)
    }

    fn sealing(&self) -> &dyn Sealing {
        &self.seals
    }
}

/// Where tasks are not preempted.
struct Seals {
    shared: Arc<Shared>,
    no_preempt: Vec<String>,
    preempt_only: Vec<String>,
}

impl Sealing for Seals {
    fn has_left_out(&self) -> bool {
        self.shared.has_sealed()
    }

    fn set_left_out(&self) {
        self.shared.set_sealed();
    }

    fn words(&self) -> String {
        let mut words = Vec::new();
        if !self.no_preempt.is_empty() {
            words.push(format!("no preemption in {}", self.no_preempt.join(", ")));
        }
        if !self.preempt_only.is_empty() {
            words.push(format!("preemptions only in {}", self.preempt_only.join(", ")));
        }
        words.join(" and ")
    }
}
