//! How tests are explored: what the command line says, over what `caissa.toml` or the manifest of a package says, over the same of its workspace.
//!
//! A table `[[test]]` holds for the tests that its name stands for, and is stronger than what holds for all.

mod files;

use std::path::PathBuf;
use std::time::Duration;

use caissa_check::{Points, Settings};
use caissa_native::{Mode, ModeSetting, NativeSettings};

use super::args::{Exploring, Running};
use crate::{args, check};
pub use files::{Files, Layer};

/// The budgets of one test, where neither is set.
const EXECUTIONS: u64 = 2_000;
const TIME: Duration = Duration::from_secs(10);

/// How one test, or one program, is explored.
#[derive(Clone, Debug)]
pub struct How {
    /// The check.
    pub settings: Settings,
    /// Whether races are to be looked for, even if not by this.
    pub had_races: bool,
    layer: Layer,
}

impl How {
    /// What holds for a test of a package.
    pub fn of_test(options: &Exploring, files: &Files, test: &str) -> How {
        let mut how = How::new(options, &files.layer(test));
        let settings = &mut how.settings;
        if settings.max_executions.is_none() && settings.time.is_none() {
            (settings.max_executions, settings.time) = (Some(EXECUTIONS), Some(TIME));
        }
        how
    }

    /// What holds for a program.
    pub fn of_program(options: &Exploring, under: &Layer) -> How {
        How::new(options, under)
    }

    fn new(options: &Exploring, under: &Layer) -> How {
        let layer = said(options).over(under);
        let defaults = Settings::default();
        let races = layer.races.unwrap_or(true);
        let points = layer.points.map(args::Points::setting);
        let settings = Settings {
            search: options.search.map_or(defaults.search, check::search),
            bound: layer.bound.map(Some),
            scheduler: options.scheduler.unwrap_or(args::Scheduler::Rr).name().to_owned(),
            max_executions: layer.max_executions,
            time: layer.time.map(Duration::from_secs_f64),
            max_steps: layer.max_steps.unwrap_or(MAX_STEPS),
            max_steps_grown: layer.max_steps.is_none().then_some(MAX_STEPS_GROWN),
            seed: options.seed.unwrap_or(defaults.seed),
            pct_depth: options.pct_depth.unwrap_or(defaults.pct_depth),
            workers: options.workers.map_or(defaults.workers, |workers| workers as usize),
            faults: layer.faults.unwrap_or(0),
            fair: options.no_fair.then_some(false),
            fair_k: options.fair_k,
            races,
            points: points.unwrap_or(Points::Sync),
            keep_going: options.keep_going,
            complete: options.complete,
            show_cut_off: false,
            full: options.running.full,
            progress: Duration::ZERO,
            ..defaults
        };
        How { had_races: settings.races, settings, layer }
    }

    /// The same without looking for races.
    pub fn without_races(&self) -> How {
        let mut how = self.clone();
        how.settings.races = false;
        if how.settings.points == Points::Racy {
            how.settings.points = Points::Sync;
        }
        how
    }

    /// From now on races are all that is looked for.
    pub fn look_for_races(&mut self) {
        self.settings.races = true;
        self.settings.points = Points::Sync;
        self.settings.keep_going = false;
    }

    /// How the program is run.
    pub fn native(&self, program: PathBuf) -> NativeSettings {
        let mut native = native(&self.layer, program);
        native.no_preempt = self.layer.no_preempt.clone().unwrap_or_default();
        native.preempt_only = self.layer.preempt_only.clone().unwrap_or_default();
        native
    }
}

/// How a program is run for a replay. `under`: what the user's files say of it. `shown`: what it prints is let through.
pub fn replayed(
    running: &Running,
    under: &Layer,
    program: PathBuf,
    shown: bool,
    debugger: bool,
) -> NativeSettings {
    let mut native = native(&said_of_running(running).over(under), program);
    if native.mode == ModeSetting::Auto || debugger {
        // A single execution, whose output can be seen.
        native.mode = ModeSetting::Only(Mode::Fork);
    }
    native.output = shown;
    if debugger {
        native.debugger = true;
        // It may take its time.
        native.hang = Duration::from_secs(1 << 30);
    }
    native
}

fn native(layer: &Layer, program: PathBuf) -> NativeSettings {
    let mut native = NativeSettings::new(program);
    native.rust = true;
    native.all_atomics = layer.all_atomics;
    native.mode = layer.mode.map_or(native.mode, args::Mode::setting);
    native.hang = layer.hang.map_or(native.hang, Duration::from_secs_f64);
    native.heap = layer.heap.unwrap_or(native.heap);
    native
}

/// The limit of steps, where none is set: tests do things very often, to make up for schedules that nobody controls.
pub const MAX_STEPS: u32 = 200_000;

/// And so many at most, where the first execution comes to its end with them.
const MAX_STEPS_GROWN: u32 = 5_000_000;

/// What a command line says.
fn said(options: &Exploring) -> Layer {
    let some = |names: &Vec<String>| Some(names.clone()).filter(|names| !names.is_empty());
    Layer {
        bound: options.bound,
        max_executions: options.max_executions,
        time: options.time.map(|time| time.as_secs_f64()),
        faults: options.faults,
        points: options.points,
        no_preempt: some(&options.no_preempt),
        preempt_only: some(&options.preempt_only),
        ..said_of_running(&options.running)
    }
}

fn said_of_running(running: &Running) -> Layer {
    Layer {
        max_steps: running.max_steps,
        mode: running.mode,
        hang: running.hang.map(|hang| hang.as_secs_f64()),
        heap: running.heap,
        races: running.no_races.then_some(false),
        all_atomics: running.all_atomics,
        ..Layer::default()
    }
}
