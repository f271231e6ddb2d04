//! `caissa replay`.

use std::process::ExitCode;

use caissa_check::{Check, Settings, read_schedule};

use crate::check::{exit_code, print};
use crate::{Mistake, args, contradictions, model, native};

/// Replays a schedule and prints what it shows.
pub fn replay(args: &args::Replay) -> Result<ExitCode, Mistake> {
    if native::is_native(&args.target) {
        return native::replay(args);
    }
    contradictions::refuse_native_run(&args.native, &args.arguments)?;
    if args.gdb {
        let text = "error: --gdb is for native programs\nhelp: leave it out: this is a model\n";
        return Err(Mistake(text.to_owned()));
    }
    let mut model = model::load(&args.target, &args.sets, args.overflow)?;
    let (schedule, file) = read_schedule(&args.schedule)?;
    let fair_k = schedule.identity.fair_k;
    // Without a fair scheduler only an engine that knows better has called it endless.
    model.settings.known_fair = fair_k == 0 && schedule.repeat.is_some();
    let settings = Settings {
        max_steps: args.max_steps,
        faults: 0,
        fair: Some(fair_k > 0),
        fair_k: Some(fair_k).filter(|&k| k > 0),
        races: !args.no_races,
        full: args.full,
        trace_file: args.trace.clone(),
        ..Settings::default()
    };
    let report = Check::new(model, settings)?.replay(&schedule, file.as_deref())?;
    print(&report, args.json);
    Ok(exit_code(&report))
}
