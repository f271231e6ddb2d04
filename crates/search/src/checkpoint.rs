//! Checkpoints: a search as bytes, so that it can go on in another process.
//!
//! A checkpoint holds a version, the settings that the search must go on with (as names and values, so that a difference can
//! be named), a fingerprint of the program, the state of the search, and a checksum over all of it. Numbers are written
//! seven bits a byte, the lowest first. What is being run while a checkpoint is made is kept as still to be run.

use caissa_core::class::{mix, mix2};
use caissa_core::guide::{Profile, Target};
use caissa_core::{AtCut, Choice, Cut, Ending, Failure, GuideSpec, Record, Repeat, Scope};
use std::fmt;
use std::sync::Arc;

use crate::BoundSummary;

/// A search that can go on in another process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The settings that must be the same, by name.
    pub settings: Vec<(String, String)>,
    /// What the program's first operations look like.
    pub fingerprint: u32,
    /// The search, by `Mix::save`.
    pub state: Vec<u8>,
}

/// Why bytes are no checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckpointError {
    /// They are something else.
    NotACheckpoint,
    /// They are of another version.
    OtherVersion(String),
    /// Some are missing or changed.
    Damaged,
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckpointError::NotACheckpoint => f.write_str("it is not a resume file"),
            CheckpointError::OtherVersion(version) => {
                write!(
                    f,
                    "it is a resume file of version {version}, and this is a version that reads {VERSION}"
                )
            }
            CheckpointError::Damaged => f.write_str("it is damaged: its checksum does not fit"),
        }
    }
}

impl std::error::Error for CheckpointError {}

const HEAD: &str = "caissa-resume ";
const VERSION: &str = "2";

fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let sum = words.iter().fold(bytes.len() as u64, |sum, word| mix2(sum, u64::from_le_bytes(*word)));
    mix(rest.iter().fold(sum, |sum, &byte| mix2(sum, byte as u64)))
}

impl Checkpoint {
    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut to = Writer { bytes: format!("{HEAD}{VERSION}\n").into_bytes() };
        to.count(self.settings.len());
        for (name, value) in &self.settings {
            to.text(name);
            to.text(value);
        }
        to.number(self.fingerprint as u64);
        to.count(self.state.len());
        to.bytes.extend_from_slice(&self.state);
        let sum = checksum(&to.bytes);
        to.word(sum);
        to.bytes
    }

    /// From bytes.
    pub fn decode(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
        let body = bytes.strip_prefix(HEAD.as_bytes()).ok_or(CheckpointError::NotACheckpoint)?;
        let version = body.split(|&byte| byte == b'\n').next().unwrap_or_default();
        if version != VERSION.as_bytes() {
            let version = String::from_utf8_lossy(&version[..version.len().min(20)]).into_owned();
            return Err(CheckpointError::OtherVersion(version));
        }
        let damaged = CheckpointError::Damaged;
        let (whole, sum) = bytes.split_last_chunk::<8>().ok_or(damaged.clone())?;
        if u64::from_le_bytes(*sum) != checksum(whole) {
            return Err(damaged);
        }
        let body = &whole[HEAD.len() + VERSION.len()..];
        let mut from = Reader { bytes: body.get(1..).ok_or(damaged.clone())? };
        Checkpoint::read(&mut from).ok_or(damaged)
    }

    fn read(from: &mut Reader<'_>) -> Option<Checkpoint> {
        let settings = from.list(|from| Some((from.text()?, from.text()?)))?;
        let fingerprint = from.small()?;
        let length = from.count()?;
        let state = from.take(length)?.to_vec();
        from.bytes.is_empty().then_some(Checkpoint { settings, fingerprint, state })
    }
}

/// Writes numbers and what is made of them.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
}

/// Reads what a [`Writer`] wrote; `None` if that is not what it wrote.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) bytes: &'a [u8],
}

impl Writer {
    pub(crate) fn number(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.bytes.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.bytes.push(n as u8);
    }

    pub(crate) fn count(&mut self, n: usize) {
        self.number(n as u64);
    }

    pub(crate) fn flag(&mut self, flag: bool) {
        self.bytes.push(flag as u8);
    }

    /// A number that is as likely to be large as small.
    pub(crate) fn word(&mut self, word: u64) {
        self.bytes.extend_from_slice(&word.to_le_bytes());
    }

    pub(crate) fn signed(&mut self, n: i64) {
        self.word(n as u64);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.count(text.len());
        self.bytes.extend_from_slice(text.as_bytes());
    }

    pub(crate) fn choices(&mut self, choices: &[Choice]) {
        self.count(choices.len());
        for choice in choices {
            self.number(choice.step as u64);
            self.number(choice.pick as u64);
            self.number(choice.check as u64);
        }
    }

    pub(crate) fn scope(&mut self, scope: &Scope) {
        match scope {
            Scope::One => self.bytes.push(0),
            Scope::Below => self.bytes.push(1),
            Scope::Cuts(cuts) => {
                self.bytes.push(2);
                self.count(cuts.len());
                for cut in cuts {
                    self.number(cut.step as u64);
                    self.number(cut.from as u64);
                    self.number(cut.to as u64);
                }
            }
            Scope::Samples(first) => {
                self.bytes.push(3);
                self.number(*first);
            }
        }
    }

    pub(crate) fn record(&mut self, record: &Record) {
        self.count(record.as_bytes().len());
        self.bytes.extend_from_slice(record.as_bytes());
    }

    pub(crate) fn profile(&mut self, profile: &Profile) {
        self.count(profile.targets.len());
        for target in &profile.targets {
            self.count(target.sites.len());
            target.sites.iter().for_each(|&site| self.word(site));
            self.count(target.counts.len());
            for &(key, count) in &target.counts {
                self.word(key);
                self.number(count as u64);
            }
        }
    }

    fn guide(&mut self, guide: &GuideSpec) {
        match guide {
            GuideSpec::NonPreemptive => self.bytes.push(0),
            GuideSpec::Delaying(name) => {
                self.bytes.push(1);
                self.text(name);
            }
            GuideSpec::Random(seed) => {
                self.bytes.push(2);
                self.word(*seed);
            }
            GuideSpec::Pct { seed, depth, steps } => {
                self.bytes.push(3);
                self.word(*seed);
                self.number(*depth as u64);
                self.number(*steps as u64);
            }
            GuideSpec::Pos(seed) => {
                self.bytes.push(4);
                self.word(*seed);
            }
            GuideSpec::Surw { seed, profile } => {
                self.bytes.push(5);
                self.word(*seed);
                self.profile(profile);
            }
        }
    }

    pub(crate) fn failure(&mut self, failure: &Failure) {
        self.choices(&failure.choices);
        self.guide(&failure.guide);
        match failure.at_cut {
            AtCut::Stop => self.flag(false),
            AtCut::Finish(seed) => {
                self.flag(true);
                self.word(seed);
            }
        }
        let ending = ENDINGS.iter().position(|ending| *ending == failure.ending);
        self.count(ending.expect("every ending is listed"));
        self.number(failure.step as u64);
        self.flag(failure.repeat.is_some());
        if let Some(repeat) = failure.repeat {
            self.number(repeat.from as u64);
            self.number(repeat.to as u64);
        }
    }

    pub(crate) fn bounds(&mut self, bounds: &[BoundSummary]) {
        self.count(bounds.len());
        for bound in bounds {
            self.number(bound.bound as u64);
            self.number(bound.executions);
            self.number(bound.cut);
            self.number(bound.pruned);
            self.number(bound.discarded);
            self.number(bound.step_limited);
            self.number(bound.redundant);
            self.number(bound.new_classes);
            self.number(bound.new_states);
            self.flag(bound.complete);
        }
    }
}

const ENDINGS: [Ending; 10] = [
    Ending::Complete,
    Ending::Deadlock,
    Ending::Panicked,
    Ending::StepLimit,
    Ending::Cut,
    Ending::Pruned,
    Ending::Diverged,
    Ending::Misused,
    Ending::Raced,
    Ending::Discarded,
];

impl<'a> Reader<'a> {
    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut n = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            n |= (byte as u64 & 0x7f) << shift;
            if byte < 0x80 {
                return Some(n);
            }
        }
        None
    }

    /// A number of 32 bits.
    pub(crate) fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    /// How many things follow; each takes at least a byte.
    pub(crate) fn count(&mut self) -> Option<usize> {
        self.number()?.try_into().ok().filter(|&count| count <= self.bytes.len())
    }

    pub(crate) fn flag(&mut self) -> Option<bool> {
        Some(self.byte()? != 0)
    }

    pub(crate) fn word(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    pub(crate) fn signed(&mut self) -> Option<i64> {
        Some(self.word()? as i64)
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        let length = self.count()?;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }

    pub(crate) fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        (0..self.count()?).map(|_| one(self)).collect()
    }

    pub(crate) fn choices(&mut self) -> Option<Vec<Choice>> {
        self.list(|from| Some(Choice { step: from.small()?, pick: from.small()?, check: from.small()? }))
    }

    pub(crate) fn scope(&mut self) -> Option<Scope> {
        Some(match self.byte()? {
            0 => Scope::One,
            1 => Scope::Below,
            2 => Scope::Cuts(
                self.list(|from| Some(Cut { step: from.small()?, from: from.small()?, to: from.small()? }))?,
            ),
            3 => Scope::Samples(self.number()?),
            _ => return None,
        })
    }

    pub(crate) fn record(&mut self) -> Option<Record> {
        let length = self.count()?;
        Some(Record::from_bytes(self.take(length)?))
    }

    pub(crate) fn profile(&mut self) -> Option<Profile> {
        let targets = self.list(|from| {
            let sites = from.list(Reader::word)?;
            let counts = from.list(|from| Some((from.word()?, from.small()?)))?;
            Some(Target { sites, counts })
        })?;
        Some(Profile { targets })
    }

    fn guide(&mut self) -> Option<GuideSpec> {
        Some(match self.byte()? {
            0 => GuideSpec::NonPreemptive,
            1 => GuideSpec::Delaying(self.text()?),
            2 => GuideSpec::Random(self.word()?),
            3 => GuideSpec::Pct { seed: self.word()?, depth: self.small()?, steps: self.small()? },
            4 => GuideSpec::Pos(self.word()?),
            5 => GuideSpec::Surw { seed: self.word()?, profile: Arc::new(self.profile()?) },
            _ => return None,
        })
    }

    pub(crate) fn failure(&mut self) -> Option<Failure> {
        Some(Failure {
            choices: self.choices()?,
            guide: self.guide()?,
            at_cut: if self.flag()? { AtCut::Finish(self.word()?) } else { AtCut::Stop },
            ending: ENDINGS.get(self.number()? as usize)?.clone(),
            step: self.small()?,
            repeat: if self.flag()? { Some(Repeat { from: self.small()?, to: self.small()? }) } else { None },
        })
    }

    pub(crate) fn bounds(&mut self) -> Option<Vec<BoundSummary>> {
        self.list(|from| {
            Some(BoundSummary {
                bound: from.small()?,
                executions: from.number()?,
                cut: from.number()?,
                pruned: from.number()?,
                discarded: from.number()?,
                step_limited: from.number()?,
                redundant: from.number()?,
                new_classes: from.number()?,
                new_states: from.number()?,
                complete: from.flag()?,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Checkpoint {
        let settings = vec![("search".to_owned(), "dfs".to_owned()), ("seed".to_owned(), "7".to_owned())];
        Checkpoint { settings, fingerprint: 0xdead_beef, state: (0..200).collect() }
    }

    #[test]
    fn bytes_come_back_as_they_were() {
        assert_eq!(Checkpoint::decode(&sample().encode()), Ok(sample()));
    }

    #[test]
    fn every_damaged_byte_and_every_lost_end_is_noticed() {
        let whole = sample().encode();
        for index in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[index] ^= 0x10;
            assert!(Checkpoint::decode(&damaged).is_err(), "byte {index}");
            assert!(Checkpoint::decode(&whole[..index]).is_err(), "{index} bytes");
        }
        assert_eq!(Checkpoint::decode(b"caissa-trace 1\n"), Err(CheckpointError::NotACheckpoint));
        assert_eq!(
            Checkpoint::decode(b"caissa-resume 9\nabcdefgh"),
            Err(CheckpointError::OtherVersion("9".to_owned()))
        );
    }

    #[test]
    fn failures_come_back_as_they_were() {
        let profile = Profile { targets: vec![Target { sites: vec![1, u64::MAX], counts: vec![(3, 4)] }] };
        let guides = [
            GuideSpec::NonPreemptive,
            GuideSpec::Delaying("mine".to_owned()),
            GuideSpec::Random(1),
            GuideSpec::Pct { seed: u64::MAX, depth: 3, steps: 70 },
            GuideSpec::Pos(2),
            GuideSpec::Surw { seed: 5, profile: Arc::new(profile) },
        ];
        for guide in guides {
            let failure = Failure {
                choices: vec![Choice { step: 1, pick: 200, check: u32::MAX }],
                guide,
                at_cut: AtCut::Finish(9),
                ending: Ending::Panicked,
                step: 300,
                repeat: Some(Repeat { from: 3, to: 299 }),
            };
            let mut to = Writer::default();
            to.failure(&failure);
            assert_eq!(Reader { bytes: &to.bytes }.failure(), Some(failure));
        }
    }
}
