//! Settings by environment variables: `CAISSA_*`, over those of the [`Builder`].

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use super::{Builder, Error, Search, setting};

impl Builder {
    /// The environment variables, without `CAISSA_`.
    pub(crate) const VARIABLES: &[&str] = &[
        "ALLOW_DETACHED",
        "BOUND",
        "CHECK",
        "CLASSES",
        "COMPLETE",
        "FAIR",
        "FAIR_K",
        "FAULTS",
        "FINISH_CUT",
        "FULL",
        "KEEP_GOING",
        "MAX_EXECUTIONS",
        "MAX_STEPS",
        "MEMORY",
        "MINIMISE",
        "NO_PREEMPT",
        "PANICS",
        "PCT_DEPTH",
        "POINTS",
        "PREEMPT_ONLY",
        "PROGRESS",
        "RACES",
        "REDUCE",
        "REPLAY",
        "RESUME",
        "RESUME_EVERY",
        "SCHEDULER",
        "SEARCH",
        "SEED",
        "STACK_SIZE",
        "TIME",
        "TRACE",
        "WATCHDOG",
        "WORKERS",
    ];

    /// These settings with the environment's over them.
    pub(crate) fn with_environment(mut self) -> Result<Builder, Error> {
        let seconds = "a number of seconds, such as 10 or 0.5";
        let switch = "`on` or `off`";
        let found = environment();
        if found.is_empty() {
            return Ok(self);
        }
        let var = |name: &str| {
            let value = found.iter().find(|(known, _)| known == name)?.1.to_str()?;
            (!value.is_empty()).then(|| value.to_owned())
        };
        macro_rules! read {
            ($name:literal, $expected:expr, $parse:expr, $target:expr) => {
                if let Some(value) = var($name) {
                    match $parse(value.trim()) {
                        Some(parsed) => $target = parsed,
                        None => return Err(setting(concat!("CAISSA_", $name), &value, $expected)),
                    }
                }
            };
        }
        let number = |text: &str| text.replace('_', "").parse().ok();
        let duration = |text: &str| text.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
        let on = |text: &str| match text {
            "on" | "1" | "true" => Some(true),
            "off" | "0" | "false" => Some(false),
            _ => None,
        };
        let known = Builder::VARIABLES;
        if let Some((name, _)) = found.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            return Err(Error::UnknownVariable { name: format!("CAISSA_{name}"), known: known.join(", ") });
        }
        if var("SEARCH").is_some() {
            let searches = format!("one of {}", Search::ALL.map(|(name, _)| name).join(", "));
            read!("SEARCH", &searches, |text: &str| text.parse().ok(), self.settings.search);
        }
        read!(
            "BOUND",
            "a number or `none`",
            |text: &str| if text == "none" {
                Some(Some(None))
            } else {
                text.parse().ok().map(|n| Some(Some(n)))
            },
            self.settings.bound
        );
        read!("SCHEDULER", "a name", |text: &str| Some(text.to_owned()), self.settings.scheduler);
        read!("MAX_EXECUTIONS", "a number", |text| number(text).map(Some), self.settings.max_executions);
        read!("MEMORY", "a number of bytes", |text| or_none(text, number), self.settings.memory);
        read!("RESUME", "a path", |text: &str| Some(Some(PathBuf::from(text))), self.settings.resume);
        read!("RESUME_EVERY", seconds, duration, self.settings.resume_every);
        read!("SEED", "a number", number, self.settings.seed);
        read!("PCT_DEPTH", "a number", |text: &str| text.parse().ok(), self.settings.pct_depth);
        read!(
            "MAX_STEPS",
            "a number",
            |text: &str| text.replace('_', "").parse().ok(),
            self.settings.max_steps
        );
        read!("TIME", seconds, |text: &str| or_none(text, duration), self.settings.time);
        read!("WORKERS", "a number", |text: &str| text.parse().ok(), self.settings.workers);
        read!(
            "FINISH_CUT",
            "a number (the seed) or `off`",
            |text: &str| or_none(text, |text| text.parse().ok()),
            self.settings.finish_cut
        );
        read!(
            "STACK_SIZE",
            "a number of bytes",
            |text: &str| text.replace('_', "").parse().ok(),
            self.stack_size
        );
        read!("WATCHDOG", seconds, duration, self.watchdog);
        read!("FAULTS", "a number", |text: &str| text.parse().ok(), self.settings.faults);
        read!("FAIR", switch, |text| on(text).map(Some), self.settings.fair);
        read!("FAIR_K", "a number", |text: &str| text.parse().ok().map(Some), self.settings.fair_k);
        read!("CLASSES", switch, on, self.settings.classes);
        read!("REDUCE", switch, on, self.settings.reduce);
        let panics = |text: &str| match text {
            "any" => Some(true),
            "unhandled" => Some(false),
            _ => None,
        };
        read!("PANICS", "`any` or `unhandled`", panics, self.panics_any);
        read!("ALLOW_DETACHED", switch, on, self.allow_detached);
        read!("KEEP_GOING", switch, on, self.settings.keep_going);
        read!("MINIMISE", "a number", |text: &str| text.parse().ok(), self.settings.minimise);
        read!("COMPLETE", switch, on, self.settings.complete);
        read!("FULL", switch, on, self.settings.full);
        read!("TRACE", "a path", |text: &str| Some(Some(PathBuf::from(text))), self.settings.trace_file);
        read!(
            "CHECK",
            "the number of a check, from 1",
            |text: &str| text.parse().ok().map(Some),
            self.check_number
        );
        if self.check_number.is_none() && var("REPLAY").is_some() {
            self.check_number = Some(1);
        }
        read!("REPLAY", "a schedule", |text: &str| Some(Some(text.to_owned())), self.replay);
        read!("PROGRESS", seconds, duration, self.settings.progress);
        let paths = |text: &str| {
            let listed = |text: &str| Some(text.split(',').map(|path| path.trim().to_owned()).collect());
            or_none(text, listed).map(Option::unwrap_or_default)
        };
        read!("NO_PREEMPT", "paths with commas between", paths, self.no_preempt);
        read!("PREEMPT_ONLY", "paths with commas between", paths, self.preempt_only);
        read!("RACES", switch, on, self.settings.races);
        read!("POINTS", "`sync`, `racy` or `all`", |text: &str| text.parse().ok(), self.settings.points);
        Ok(self)
    }
}

/// A value, or `none` or `off`.
fn or_none<T>(text: &str, parse: impl Fn(&str) -> Option<T>) -> Option<Option<T>> {
    if matches!(text, "none" | "off") { Some(None) } else { parse(text).map(Some) }
}

/// The variables of the environment that begin with `CAISSA_`, without that, as they were when they were first asked for: looking
/// for them takes as long as a small search.
pub(crate) fn environment() -> &'static [(String, OsString)] {
    static FOUND: OnceLock<Vec<(String, OsString)>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let ours = |(name, value): (OsString, OsString)| {
            Some((name.to_str()?.strip_prefix("CAISSA_")?.to_owned(), value))
        };
        let mut found: Vec<_> = std::env::vars_os().filter_map(ours).collect();
        found.sort();
        found
    })
}
