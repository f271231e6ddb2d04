//! The resume file: a search that was interrupted goes on from it.
//!
//! It is written every so often, when a budget ends and on an interrupt, always as a whole: beside the old one, which it
//! then replaces. A file of another search, of another program or that is damaged is refused; nothing is guessed.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use caissa_search::Checkpoint;

use crate::front_end::{FrontEnd, Sealing};
use crate::settings::{Error, Search, Settings};

/// What the races on the way are called in a file.
const PROMOTED: &str = "promoted";

/// Files that a check of this process uses.
static IN_USE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The file of one check.
pub(crate) struct ResumeFile<'a> {
    path: PathBuf,
    settings: Vec<(String, String)>,
    sealing: &'a dyn Sealing,
}

/// Not a setting: whether the search has left out schedules that are sealed.
const LEFT_OUT: &str = "left_out";

impl<'a> ResumeFile<'a> {
    /// The file for a check, if these settings want one. A directory gets a file for each check.
    pub(crate) fn claim(
        given: &Settings,
        reduce: bool,
        races: String,
        front: &'a impl FrontEnd,
    ) -> Result<Option<ResumeFile<'a>>, Error> {
        let Some(path) = &given.resume else { return Ok(None) };
        let mut path = path.clone();
        if path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            std::fs::create_dir_all(&path)
                .map_err(|error| problem(&path, &format!("cannot be made: {error}")))?;
            let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
            let name: String = front.file_name().chars().map(plain).collect();
            path.push(format!("{name}.resume"));
        }
        if !IN_USE.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone()) {
            let why = "another check of this process uses it now. Name a directory (with a `/` at the end), which gets a file \
                       for each check";
            return Err(problem(&path, why));
        }
        let settings = settings(given, reduce, races, front.own_settings());
        Ok(Some(ResumeFile { settings, sealing: front.sealing(), path }))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What the file holds, if there is one.
    pub(crate) fn read(&self) -> Result<Option<Checkpoint>, Error> {
        let bytes = match std::fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(problem(&self.path, &format!("cannot be read: {error}"))),
        };
        let checkpoint = Checkpoint::decode(&bytes)
            .map_err(|error| problem(&self.path, &format!("{error}. Remove it to begin anew")))?;
        match self.difference(&checkpoint) {
            Some(difference) => Err(self.refused(&difference)),
            None => {
                if checkpoint.settings.iter().any(|(name, _)| name == LEFT_OUT) {
                    self.sealing.set_left_out();
                }
                Ok(Some(checkpoint))
            }
        }
    }

    /// Whether the saved search has left out executions; this one will do the same from now on.
    pub(crate) fn reduces_like(&mut self, saved: &Checkpoint) -> bool {
        self.settings.clone_from(&saved.settings);
        self.settings.iter().any(|(name, value)| name == "reduce" && value == "true")
    }

    /// The races that the saved search had behind it.
    pub(crate) fn races(saved: &Checkpoint) -> &str {
        saved.settings.iter().find(|(name, _)| name == PROMOTED).map_or("", |(_, races)| races)
    }

    /// The first setting that is not what it was.
    fn difference(&self, checkpoint: &Checkpoint) -> Option<String> {
        let value = |settings: &[(String, String)], name: &str| {
            let found = settings.iter().find(|(other, _)| other == name);
            found.map_or_else(|| "nothing".to_owned(), |(_, value)| format!("`{value}`"))
        };
        let names = self.settings.iter().chain(&checkpoint.settings).map(|(name, _)| name);
        let names = names.filter(|&name| name != LEFT_OUT);
        for name in names {
            let (there, here) = (value(&checkpoint.settings, name), value(&self.settings, name));
            // Whatever was left out until then, a search that leaves out nothing can go on as one.
            let gives_up = name == "reduce" && there == "`false`";
            if there != here && !gives_up && name != PROMOTED {
                return Some(format!("`{name}` is {there} there and {here} here. Make it the same again"));
            }
        }
        None
    }

    fn refused(&self, difference: &str) -> Error {
        problem(
            &self.path,
            &format!("it belongs to another search: {difference}, or remove the file to begin anew"),
        )
    }

    /// The file does not fit the program.
    pub(crate) fn other_program(&self) -> Error {
        problem(
            &self.path,
            "the first operations are others than when it was written: the program has changed since, or it is another check's \
             (a directory, with a `/` at the end, gets a file for each). Remove it to begin anew",
        )
    }

    /// The state in it makes no sense, though it is whole.
    pub(crate) fn nonsense(&self) -> Error {
        problem(&self.path, "it was written by another version of caissa. Remove it to begin anew")
    }

    /// Writes the file, so that after a crash at any moment it is either the old one or the new one.
    pub(crate) fn write(&self, fingerprint: u32, state: Vec<u8>) -> Result<(), Error> {
        let mut settings = self.settings.clone();
        if self.sealing.has_left_out() && !settings.iter().any(|(name, _)| name == LEFT_OUT) {
            settings.push((LEFT_OUT.to_owned(), "true".to_owned()));
        }
        let checkpoint = Checkpoint { settings, fingerprint, state };
        let mut beside = self.path.clone().into_os_string();
        beside.push(".new");
        let beside = PathBuf::from(beside);
        let write = || {
            let mut file = File::create(&beside)?;
            file.write_all(&checkpoint.encode())?;
            file.sync_all()?;
            std::fs::rename(&beside, &self.path)?;
            let directory = self.path.parent().filter(|parent| !parent.as_os_str().is_empty());
            File::open(directory.unwrap_or(Path::new(".")))?.sync_all()
        };
        write().map_err(|error: std::io::Error| problem(&self.path, &format!("cannot be written: {error}")))
    }

    /// The search is done.
    pub(crate) fn remove(&self) -> Result<(), Error> {
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(problem(&self.path, &format!("cannot be removed: {error}")))
            }
            _ => Ok(()),
        }
    }
}

impl Drop for ResumeFile<'_> {
    fn drop(&mut self) {
        IN_USE.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.path);
    }
}

fn problem(path: &Path, why: &str) -> Error {
    Error::ResumeFile { path: path.to_owned(), why: why.to_owned() }
}

/// Everything that decides which executions are run and what is made of them. Budgets and workers may change.
fn settings(
    given: &Settings,
    reduce: bool,
    races: String,
    own: Vec<(&'static str, String)>,
) -> Vec<(String, String)> {
    let mut settings = vec![("search", given.search.name().to_owned())];
    let samples = given.search == Search::Auto || given.search.policy().is_some();
    if given.search.policy().is_none() {
        settings.push(("bound", given.max_bound().map_or("none".to_owned(), |bound| bound.to_string())));
    }
    if given.search == Search::Delays {
        settings.push(("scheduler", given.scheduler.clone()));
    }
    if samples {
        settings.push(("seed", given.seed.to_string()));
        settings.push(("pct_depth", given.pct_depth.to_string()));
    }
    settings.extend([
        ("max_steps", given.max_steps.to_string()),
        ("finish_cut", format!("{:?}", given.finish_cut)),
        ("faults", given.faults.to_string()),
        ("fair_k", given.fairness().to_string()),
        ("classes", given.classes.to_string()),
        ("reduce", reduce.to_string()),
        ("keep_going", given.keep_going.to_string()),
    ]);
    settings.extend(own);
    settings.extend([
        ("races", given.races.to_string()),
        ("points", given.points.name().to_owned()),
        (PROMOTED, races),
    ]);
    settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
