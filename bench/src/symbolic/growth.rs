//! How time grows with N on the figures of the 2012 paper: ours, the encoding by shared variables (SYNCE), and Boogie on our translation.

use std::process::Command;
use std::time::{Duration, Instant};

use caissa_model::emit;
use caissa_model::sequentialize::Bounds;

use super::boogie;
use super::figure::Figure;
use super::ours::{Decided, Depth, Question, Verdict};
use super::process;
use crate::figures::Figures;
use crate::section::said;

/// How long each may take for one N.
pub const LIMIT: Duration = Duration::from_secs(60);

/// How long SYNCE may take for all N of a figure, with the search for the number of rounds.
const SYNCE_LIMIT: Duration = Duration::from_secs(60);

/// A question that takes less is asked until this time is full.
const FILL: Duration = Duration::from_millis(40);

/// What takes longer than this is measured less often: at most thrice, and only once for others than us.
const SLOW: f64 = 5.0;

/// All that was measured for one N.
#[derive(Debug)]
pub struct Point {
    pub size: u32,
    /// Milliseconds of `ask`, in the order of the rounds.
    pub growing: Vec<f64>,
    /// The same with loops and recursion followed as far as needed at once.
    pub at_once: Vec<f64>,
    /// `ask` as a process, by the clock.
    pub process: Vec<f64>,
    pub variables: u64,
    pub clauses: u64,
    pub synce: Option<Synce>,
    pub boogie: Option<Boogie>,
}

/// The encoding by shared variables.
#[derive(Debug)]
pub struct Synce {
    /// The smallest number with which something is found.
    pub rounds: u32,
    /// In milliseconds.
    pub times: Vec<f64>,
    /// It is an execution of the model; the encoding may find more than there is.
    pub played: bool,
}

/// Boogie and Z3.
#[derive(Debug)]
pub enum Boogie {
    /// In milliseconds, by the clock.
    Found(Vec<f64>),
    /// Not within [`LIMIT`].
    TooSlow,
}

pub fn figures(times: &[f64]) -> Figures {
    let mut figures = Figures::default();
    times.iter().for_each(|&time| figures.push(time));
    figures
}

pub fn median(times: &[f64]) -> f64 {
    figures(times).median()
}

/// It must be wrong: all these models are.
fn wrong(question: &Question, depth: Depth) -> Result<Decided, String> {
    let decided = question.measure(depth, LIMIT, FILL)?;
    let (sets, verdict) = (&question.sets, decided.verdict);
    if verdict != Verdict::Wrong {
        return Err(format!("{} {sets:?} is wrong, but the verdict is: {}", question.name, verdict.name()));
    }
    if !decided.played {
        return Err(format!("{} {sets:?}: the finding is no execution", question.name));
    }
    Ok(decided)
}

/// Asks about one figure here, once: for a profiler, and in the processes that are measured.
pub fn ask(figure: &Figure, size: u32) -> Result<(), String> {
    let decided = figure.by_rounds(size).measure(Depth::Growing, LIMIT, Duration::ZERO)?;
    println!("{}", decided.verdict.name());
    Ok(())
}

impl Point {
    fn new(size: u32) -> Point {
        let (growing, at_once, process) = (Vec::new(), Vec::new(), Vec::new());
        Point { size, growing, at_once, process, variables: 0, clauses: 0, synce: None, boogie: None }
    }

    fn measure_ours(&mut self, figure: &Figure) -> Result<(), String> {
        let question = figure.by_rounds(self.size);
        let growing = wrong(&question, Depth::Growing)?;
        let at_once = wrong(&question, Depth::AtOnce)?;
        let this = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(this);
        let ended = process::run(command.args(["ask", figure.name, &self.size.to_string()]), LIMIT)?;
        if ended.output.as_deref() != Some("wrong\n") {
            return Err(format!("as a process: {} N={}: {:?}", figure.name, self.size, ended.output));
        }
        (self.variables, self.clauses) = (growing.variables, growing.clauses);
        self.growing.push(growing.seconds * 1e3);
        self.at_once.push(at_once.seconds * 1e3);
        self.process.push(ended.seconds * 1e3);
        Ok(())
    }

    /// `least`: fewer rounds find nothing. Nothing if time is over.
    fn measure_synce(&mut self, figure: &Figure, least: u32, over: Instant) -> Result<Option<u32>, String> {
        let left = || over.saturating_duration_since(Instant::now());
        let mut rounds = least;
        loop {
            let question = figure.question(self.size, Bounds::Shared(rounds));
            let decided = question.measure(Depth::Growing, left(), Duration::ZERO)?;
            match decided.verdict {
                Verdict::Undecided => return Ok(None),
                Verdict::Wrong => {
                    let mut times = vec![decided.seconds * 1e3];
                    while times.len() < 3 {
                        let again = question.measure(Depth::Growing, left(), FILL)?;
                        if again.verdict != Verdict::Wrong {
                            break;
                        }
                        times.push(again.seconds * 1e3);
                    }
                    self.synce = Some(Synce { rounds, times, played: decided.played });
                    return Ok(Some(rounds));
                }
                Verdict::Right | Verdict::RightSoFar => rounds += 1,
            }
        }
    }

    fn measure_boogie(&mut self, figure: &Figure) -> Result<(), String> {
        let program = figure.by_rounds(self.size).sequential(false)?;
        let unwinding = figure.unwinding(self.size);
        let bounds = emit::Bounds { loops: unwinding.loops, frames: unwinding.recursion + 1 };
        let mut times = Vec::new();
        while times.is_empty() || times.len() < 3 && times[0] < SLOW * 1e3 {
            let decided = boogie::decide(&program, bounds, LIMIT)?;
            match decided.verdict {
                boogie::Verdict::Error => times.push(decided.seconds * 1e3),
                boogie::Verdict::Undecided => {
                    self.boogie = Some(Boogie::TooSlow);
                    return Ok(());
                }
                boogie::Verdict::Verified => {
                    return Err(format!("Boogie does not find the bug of {} N={}", figure.name, self.size));
                }
            }
        }
        self.boogie = Some(Boogie::Found(times));
        Ok(())
    }

    /// How many times as long as we SYNCE takes.
    pub fn synce_ratio(&self) -> Option<f64> {
        Some(median(&self.synce.as_ref()?.times) / median(&self.growing))
    }

    /// How many times as long as our process Boogie takes, at least.
    pub fn boogie_ratio(&self) -> Option<f64> {
        let theirs = match self.boogie.as_ref()? {
            Boogie::Found(times) => median(times),
            Boogie::TooSlow => LIMIT.as_secs_f64() * 1e3,
        };
        Some(theirs / median(&self.process))
    }
}

/// Measures a figure for N up to some size.
pub fn measure(figure: &Figure, most: u32, rounds: usize, has_boogie: bool) -> Result<Vec<Point>, String> {
    let mut points: Vec<Point> = (1..=most).map(Point::new).collect();
    for round in 1..=rounds {
        for point in &mut points {
            if round > 3 && median(&point.growing) > SLOW * 1e3 {
                continue;
            }
            said(&format!("round {round} of {rounds}: {} N={}", figure.name, point.size));
            point.measure_ours(figure)?;
        }
    }
    let over = Instant::now() + SYNCE_LIMIT;
    let mut least = 1;
    for point in &mut points {
        said(&format!("SYNCE: {} N={}", figure.name, point.size));
        match point.measure_synce(figure, least, over)? {
            Some(rounds) => least = rounds,
            None => break,
        }
    }
    if has_boogie {
        for point in &mut points {
            said(&format!("Boogie: {} N={}", figure.name, point.size));
            point.measure_boogie(figure)?;
            if matches!(point.boogie, Some(Boogie::TooSlow)) {
                // It only gets worse.
                break;
            }
        }
    }
    said("");
    Ok(points)
}

/// The slope of the logarithm of time over that of N: time grows like N to the power of this. A line through all points, by least squares.
pub fn power(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|&(size, time)| (size.ln(), time.ln())).collect();
    let count = logs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|log| log.0), mean(|log| log.1));
    let both: f64 = logs.iter().map(|log| (log.0 - x) * (log.1 - y)).sum();
    both / logs.iter().map(|log| (log.0 - x).powi(2)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbolic::figure::FIGURES;

    #[test]
    fn powers_are_found() {
        let of = |power: i32| -> Vec<(f64, f64)> {
            (5..=20).map(|n| (f64::from(n), 3.0 * f64::from(n).powi(power))).collect()
        };
        assert!((power(&of(1)) - 1.0).abs() < 1e-9);
        assert!((power(&of(2)) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn bugs_are_found_and_with_fewer_rounds_they_are_not() {
        for figure in &FIGURES {
            for size in 1..=3 {
                assert!(wrong(&figure.by_rounds(size), Depth::Growing).is_ok(), "{} {size}", figure.name);
            }
        }
        let mut point = Point::new(2);
        let over = Instant::now() + LIMIT;
        assert_eq!(point.measure_synce(&FIGURES[0], 1, over), Ok(Some(3)));
        let synce = point.synce.expect("it was just measured");
        assert!(synce.played && synce.rounds == 3);
    }

    #[test]
    fn ratios_are_taken_of_medians_and_time_that_is_over_counts() {
        let mut point = Point::new(1);
        (point.growing, point.process) = (vec![1.0, 2.0, 9.0], vec![3.0]);
        point.synce = Some(Synce { rounds: 2, times: vec![8.0], played: true });
        assert_eq!((point.synce_ratio(), point.boogie_ratio()), (Some(4.0), None));
        point.boogie = Some(Boogie::Found(vec![30.0]));
        assert_eq!(point.boogie_ratio(), Some(10.0));
        point.boogie = Some(Boogie::TooSlow);
        assert_eq!(point.boogie_ratio(), Some(20_000.0));
    }
}
