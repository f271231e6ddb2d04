//! Schedules in their portable form: a short string that replays an execution.
//!
//! A schedule is written down as its differences from the non-preemptive default (the running task goes on while it can;
//! when it cannot, the enabled task with the lowest number goes on; data choices are 0), so it is short whatever search
//! found it. The form is `cai1:` followed by letters, digits, `-` and `_`: the identity (front end, point set with promoted places,
//! fairness, faults), the numbers as base-64 digits, and a checksum. Each difference carries a check of everything that happened
//! before it, so that replay of a changed program can say where it differs.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use crate::class::{mix, mix2};
use crate::job::Choice;
use crate::liveness::Repeat;

/// What kind of program a schedule belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FrontEnd {
    /// A Rust test that uses this library's types.
    Rust,
    /// A model, read from a `.cai` file.
    Model,
    /// A program that is run as it is.
    Native,
}

impl FrontEnd {
    const ALL: [FrontEnd; 3] = [FrontEnd::Rust, FrontEnd::Model, FrontEnd::Native];

    /// By which schedules name it.
    pub fn letter(self) -> char {
        match self {
            FrontEnd::Rust => 'r',
            FrontEnd::Model => 'm',
            FrontEnd::Native => 'n',
        }
    }

    /// What its programs are called.
    pub fn words(self) -> &'static str {
        match self {
            FrontEnd::Rust => "a Rust test",
            FrontEnd::Model => "a model",
            FrontEnd::Native => "a native program",
        }
    }
}

/// Before which operations scheduling points lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PointSet {
    /// Before every synchronization operation, save those that docs/soundness.md shows to be needless.
    Sync,
    /// Before every synchronization operation, needless or not; for testing the former.
    Reference,
    /// As `Sync`, and before accesses of data at the places of [`Schedule::promoted`].
    Racy,
    /// As `Sync`, and before every access of data.
    All,
}

/// The settings under which a schedule means what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Identity {
    /// What kind of program.
    pub front_end: FrontEnd,
    /// Where points lie.
    pub points: PointSet,
    /// Fairness: every so many yields count; 0 is off.
    pub fair_k: u32,
    /// The faults budget.
    pub faults: u32,
}

impl Identity {
    /// A Rust test with the default settings.
    pub const RUST: Identity =
        Identity { front_end: FrontEnd::Rust, points: PointSet::Sync, fair_k: 0, faults: 0 };

    /// A model with the default settings.
    pub const MODEL: Identity = Identity { front_end: FrontEnd::Model, ..Identity::RUST };

    /// A native program with the default settings.
    pub const NATIVE: Identity = Identity { front_end: FrontEnd::Native, ..Identity::RUST };
}

/// One difference from the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stop {
    /// The step.
    pub step: u32,
    /// The task or value chosen.
    pub pick: u32,
    /// Check of everything up to and including this step's operation.
    pub check: u32,
}

/// A schedule in its portable form.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Schedule {
    /// The settings it was made under.
    pub identity: Identity,
    /// Check of the program's first operations.
    pub fingerprint: u32,
    /// How many steps the execution took.
    pub steps: u32,
    /// Check of everything.
    pub end: u32,
    /// The differences from the default, by ascending step.
    pub stops: Vec<Stop>,
    /// A window of steps that is repeated to the end; no differences are given there.
    pub repeat: Option<Repeat>,
    /// The limit of steps ended it, in no such window.
    pub cut_off: bool,
    /// The places at which accesses of data are points, by their numbers ([`crate::race::place_number`]).
    pub promoted: Vec<u32>,
}

/// Where a replay differed from the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The program did as the schedule says up to this step at least.
    pub same_until: u32,
    /// It had differed by this step at the latest.
    pub differs_by: u32,
}

impl Schedule {
    /// A schedule means nothing to another front end than its own.
    ///
    /// # Errors
    /// If it was made by another one.
    pub fn require_made_by(&self, asked: FrontEnd) -> Result<(), ScheduleError> {
        let made_by = self.identity.front_end;
        if made_by == asked { Ok(()) } else { Err(ScheduleError::OtherFrontEnd { made_by, asked }) }
    }

    /// The schedule as the prefix of a job under the non-preemptive guide.
    pub fn prefix(&self) -> Vec<Choice> {
        self.stops.iter().map(|stop| Choice { step: stop.step, pick: stop.pick, check: 0 }).collect()
    }

    /// The form in which a running hash enters a schedule.
    pub(crate) fn check_of(hash: u64) -> u32 {
        (mix(hash) & 0xfff) as u32
    }

    /// Whether a replay of this schedule that ended early has followed it as far as it went.
    pub fn begins_like(&self, replayed: &Schedule) -> bool {
        let (head, rest) = self.stops.split_at(replayed.stops.len().min(self.stops.len()));
        head == replayed.stops
            && replayed.steps <= self.steps
            && rest.first().is_none_or(|stop| stop.step >= replayed.steps)
    }

    /// Compares with the schedule that a replay of this one produced.
    pub fn difference(&self, replayed: &Schedule) -> Option<Difference> {
        let mut same_until = 0;
        for (index, stop) in self.stops.iter().enumerate() {
            if replayed.stops.get(index) != Some(stop) {
                return Some(Difference { same_until, differs_by: stop.step });
            }
            same_until = stop.step + 1;
        }
        let same = self.end == replayed.end
            && self.steps == replayed.steps
            && self.stops.len() == replayed.stops.len()
            && self.repeat == replayed.repeat
            && self.fingerprint == replayed.fingerprint;
        (!same).then_some(Difference { same_until, differs_by: self.steps })
    }
}

const DIGITS: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

/// Five bits a digit, the sixth says that more follow.
fn put(text: &mut String, mut n: u32) {
    loop {
        let low = (n & 31) as usize;
        n >>= 5;
        let more = if n != 0 { 32 } else { 0 };
        text.push(DIGITS[low | more] as char);
        if n == 0 {
            return;
        }
    }
}

fn get(text: &mut &[u8]) -> Option<u32> {
    let mut n = 0u64;
    let mut shift = 0;
    loop {
        let (&byte, rest) = text.split_first()?;
        *text = rest;
        let digit = DIGITS.iter().position(|&d| d == byte)? as u64;
        n |= (digit & 31) << shift;
        if digit < 32 {
            return u32::try_from(n).ok();
        }
        shift += 5;
        if shift > 30 {
            return None;
        }
    }
}

fn checksum(body: &str) -> u32 {
    (body.bytes().fold(0x00ca_155a, |sum, byte| mix2(sum, byte as u64)) & 0xf_ffff) as u32
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut body = String::new();
        body.push(self.identity.front_end.letter());
        body.push(match self.identity.points {
            PointSet::Sync => 's',
            PointSet::Reference => 'a',
            PointSet::Racy => 'p',
            PointSet::All => 'c',
        });
        if self.identity.points == PointSet::Racy {
            put(&mut body, self.promoted.len() as u32);
            self.promoted.iter().for_each(|&place| put(&mut body, place));
        }
        let numbers = [
            self.identity.fair_k,
            self.identity.faults,
            self.fingerprint,
            self.steps,
            self.end,
            self.stops.len() as u32,
        ];
        for number in numbers {
            put(&mut body, number);
        }
        let mut step = 0;
        for stop in &self.stops {
            put(&mut body, stop.step - step);
            put(&mut body, stop.pick);
            put(&mut body, stop.check);
            step = stop.step;
        }
        if let Some(Repeat { from, to }) = self.repeat {
            put(&mut body, from);
            put(&mut body, to);
        } else if self.cut_off {
            put(&mut body, 0);
        }
        // A fixed number of digits, so that the checksum can be cut off first.
        let sum = checksum(&body);
        for shift in [15, 10, 5, 0] {
            body.push(DIGITS[(sum >> shift & 31) as usize] as char);
        }
        write!(f, "cai1:{body}")
    }
}

/// Why a string is no schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScheduleError {
    /// It does not begin with `cai` and a version.
    NotASchedule,
    /// It is of another version.
    OtherVersion(String),
    /// Its checksum does not fit: characters are missing or changed.
    Damaged,
    /// It was made by a front end that this version does not know.
    UnknownFrontEnd(char),
    /// It was made by a front end that is not the one asked to replay it.
    OtherFrontEnd {
        /// Its own.
        made_by: FrontEnd,
        /// The one asked.
        asked: FrontEnd,
    },
    /// It was made for a point set that this version does not know.
    OtherPoints(char),
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScheduleError::NotASchedule => f.write_str(
                "this is neither a schedule, which begins with `cai1:`, nor the path of a trace file. Copy the whole word from the \
                 report",
            ),
            ScheduleError::OtherVersion(version) => write!(
                f,
                "this schedule is of version `{version}` and this is a version that reads `cai1`. Use the version of \
                 caissa that printed it, or search again"
            ),
            ScheduleError::Damaged => f.write_str(
                "this schedule is damaged: its checksum does not fit. Copy the whole word from the report, without \
                 line breaks",
            ),
            ScheduleError::UnknownFrontEnd(letter) => write!(
                f,
                "this schedule belongs to a kind of program not known here (front end `{letter}`). Use the version of caissa that \
                 printed it"
            ),
            ScheduleError::OtherFrontEnd { made_by, asked } => write!(
                f,
                "this schedule belongs to another kind of program: {} (front end `{}`), not {} (`{}`)",
                made_by.words(),
                made_by.letter(),
                asked.words(),
                asked.letter()
            ),
            ScheduleError::OtherPoints(letter) => {
                write!(f, "this schedule was made with scheduling points of a kind not known here (`{letter}`)")
            }
        }
    }
}

impl core::error::Error for ScheduleError {}

impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Schedule, ScheduleError> {
        let text = text.trim();
        let (version, body) = text.split_once(':').ok_or(ScheduleError::NotASchedule)?;
        let number = version.strip_prefix("cai").ok_or(ScheduleError::NotASchedule)?;
        if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
            return Err(ScheduleError::NotASchedule);
        }
        if number != "1" {
            return Err(ScheduleError::OtherVersion(version.into()));
        }
        if !body.is_ascii() || body.len() < 6 {
            return Err(ScheduleError::Damaged);
        }
        let (body, sum) = body.split_at(body.len() - 4);
        let mut given = 0;
        for byte in sum.bytes() {
            let digit = DIGITS[..32].iter().position(|&d| d == byte).ok_or(ScheduleError::Damaged)?;
            given = given << 5 | digit as u32;
        }
        if given != checksum(body) {
            return Err(ScheduleError::Damaged);
        }
        let letter = body.as_bytes()[0] as char;
        let front_end = FrontEnd::ALL.into_iter().find(|front_end| front_end.letter() == letter);
        let front_end = front_end.ok_or(ScheduleError::UnknownFrontEnd(letter))?;
        let points = match body.as_bytes()[1] {
            b's' => PointSet::Sync,
            b'a' => PointSet::Reference,
            b'p' => PointSet::Racy,
            b'c' => PointSet::All,
            other => return Err(ScheduleError::OtherPoints(other as char)),
        };
        let mut rest = &body.as_bytes()[2..];
        let mut next = || get(&mut rest).ok_or(ScheduleError::Damaged);
        let promoted = match points {
            PointSet::Racy => (0..next()?).map(|_| next()).collect::<Result<_, _>>()?,
            _ => Vec::new(),
        };
        let identity = Identity { front_end, points, fair_k: next()?, faults: next()? };
        let (fingerprint, steps, end, count) = (next()?, next()?, next()?, next()?);
        let mut stops = Vec::new();
        let mut step = 0u32;
        for _ in 0..count {
            step = step.checked_add(next()?).ok_or(ScheduleError::Damaged)?;
            stops.push(Stop { step, pick: next()?, check: next()? });
        }
        let mut last = Vec::new();
        while !rest.is_empty() {
            last.push(get(&mut rest).ok_or(ScheduleError::Damaged)?);
        }
        let (repeat, cut_off) = match last[..] {
            [] => (None, false),
            [0] => (None, true),
            [from, to] if from < to => (Some(Repeat { from, to }), false),
            _ => return Err(ScheduleError::Damaged),
        };
        Ok(Schedule { identity, fingerprint, steps, end, stops, repeat, cut_off, promoted })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::ToString;
    use alloc::vec;

    fn sample() -> Schedule {
        Schedule {
            identity: Identity::RUST,
            fingerprint: 0xdead_beef,
            steps: 4711,
            end: 4095,
            stops: vec![
                Stop { step: 0, pick: 3, check: 0 },
                Stop { step: 70, pick: 0, check: 4000 },
                Stop { step: 4710, pick: u32::MAX, check: 1 },
            ],
            repeat: None,
            cut_off: false,
            promoted: Vec::new(),
        }
    }

    #[test]
    fn strings_come_back_as_they_were() {
        let text = sample().to_string();
        assert_eq!(text.parse(), Ok(sample()));
        assert_eq!(format!("  {text}\n").parse(), Ok(sample()));
        assert!(text.len() < 50, "{text}");
        let repeated = Schedule { repeat: Some(Repeat { from: 70, to: 4000 }), ..sample() };
        assert_eq!(repeated.to_string().parse(), Ok(repeated));
        let cut_off = Schedule { cut_off: true, ..sample() };
        assert_eq!(cut_off.to_string().parse(), Ok(cut_off));
    }

    #[test]
    fn promoted_places_come_back() {
        for (points, promoted) in
            [(PointSet::Racy, vec![]), (PointSet::Racy, vec![0, 7, u32::MAX]), (PointSet::All, vec![])]
        {
            let identity = Identity { points, ..Identity::RUST };
            let schedule = Schedule { identity, promoted, ..sample() };
            assert_eq!(schedule.to_string().parse(), Ok(schedule));
        }
    }

    #[test]
    fn schedules_name_their_front_end() {
        let model = Schedule { identity: Identity::MODEL, ..sample() };
        assert!(model.to_string().starts_with("cai1:ms"), "{model}");
        assert!(sample().to_string().starts_with("cai1:rs"), "{}", sample());
        assert_eq!(model.to_string().parse(), Ok(model.clone()));
        assert_eq!(model.require_made_by(FrontEnd::Model), Ok(()));
        let refused = model.require_made_by(FrontEnd::Rust).unwrap_err();
        let words = "another kind of program: a model (front end `m`), not a Rust test (`r`)";
        assert!(refused.to_string().contains(words), "{refused}");
        let body = format!("x{}", &model.to_string()[6..model.to_string().len() - 4]);
        let sum = [15, 10, 5, 0].map(|shift| DIGITS[(checksum(&body) >> shift & 31) as usize] as char);
        let unknown = format!("cai1:{body}{}", sum.iter().collect::<String>());
        assert_eq!(unknown.parse::<Schedule>(), Err(ScheduleError::UnknownFrontEnd('x')));
    }

    #[test]
    fn every_single_damaged_character_is_noticed() {
        let text = sample().to_string();
        for index in 5..text.len() {
            for replacement in ["", "0", "z", "_", "é"] {
                let mut damaged = text.clone();
                damaged.replace_range(index..=index, replacement);
                if damaged != text {
                    assert!(damaged.parse::<Schedule>().is_err(), "{damaged}");
                }
            }
        }
    }

    #[test]
    fn other_versions_are_named() {
        assert_eq!("cai2:abc".parse::<Schedule>(), Err(ScheduleError::OtherVersion("cai2".into())));
        assert_eq!("hello".parse::<Schedule>(), Err(ScheduleError::NotASchedule));
        assert_eq!("cai:0".parse::<Schedule>(), Err(ScheduleError::NotASchedule));
        assert_eq!("cai1:".parse::<Schedule>(), Err(ScheduleError::Damaged));
    }
}
