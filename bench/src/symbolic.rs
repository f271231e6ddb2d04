//! `bench symbolic`: the symbolic engine on the two families of models of the 2012 paper's section 6, beside the encoding by shared variables and
//! Boogie with Z3; and its verdicts on the corpus beside Boogie's. See README.md.
//!
//! Our times are CPU time of `ask`, from the text of the model to the verdict, in this process; `as a process` is the clock from the start of a process to its
//! end, which is how Boogie is measured, and what it is compared with.

mod boogie;
mod corpus;
mod figure;
mod growth;
mod ours;
mod process;

use crate::figures::{Claim, Figures, short};
use crate::json::Json;
use crate::machine::Machine;
use crate::peers::Extent;
use crate::section::{Row, Section, print_claims};
use growth::{Boogie, Point, figures, measure, median, power};

pub use corpus::Part;
pub use figure::{FIGURES, Figure};
pub use growth::ask;

/// How much is measured, unless something else is said.
pub const FULL: Extent = Extent { rounds: 5, divisor: 1 };

/// Where the line through the times begins: with smaller N, what does not depend on it weighs most.
const FIT_FROM: u32 = 5;

/// The most that twice as many turns may cost: linear, and what a fit of milliseconds leaves uncertain (N to the power of 1.2).
const LINEAR: f64 = 2.3;

/// Times of a point, in the order of the rounds.
type Times = fn(&Point) -> &[f64];

/// How loops and recursion are followed, and what that takes.
const WAYS: [(&str, Times); 2] =
    [("further and further", |point| &point.growing), ("as far as needed at once", |point| &point.at_once)];

/// Compares verdicts with Boogie's on the corpus; an error if they disagree.
pub fn corpus(part: &Part) -> Result<(), String> {
    let agree = corpus::run(part)?;
    agree.then_some(()).ok_or_else(|| "verdicts disagree; see the table".to_owned())
}

/// The measurements of a figure.
struct Measured {
    figure: &'static Figure,
    points: Vec<Point>,
}

impl Measured {
    fn at(&self, size: u32) -> Option<&Point> {
        self.points.iter().find(|point| point.size == size)
    }

    /// The power of N that times grow with, for each round.
    fn powers(&self, times: Times) -> Option<Figures> {
        let fitted: Vec<&Point> = self.points.iter().filter(|point| point.size >= FIT_FROM).collect();
        if fitted.len() < 3 {
            return None;
        }
        let rounds = fitted.iter().map(|point| times(point).len()).min()?;
        let line = |round: usize| {
            let points: Vec<(f64, f64)> =
                fitted.iter().map(|point| (f64::from(point.size), times(point)[round])).collect();
            power(&points)
        };
        let powers: Vec<f64> = (0..rounds).map(line).collect();
        Some(figures(&powers))
    }

    /// That time is at most linear in N.
    fn linear(&self) -> Vec<Claim> {
        let mut claims = Vec::new();
        for (way, times) in WAYS {
            if let Some(powers) = self.powers(times) {
                let what = format!("{}: 2N turns against N, by a fit, {way}", self.figure.name);
                claims.push(Claim::at_most(what, powers.each(f64::exp2), LINEAR, None));
            }
            if let Some((ten, twenty)) = self.at(10).zip(self.at(20)) {
                let what = format!("{}: 20 turns against 10, {way}", self.figure.name);
                let ratio = figures(times(twenty)).over(&figures(times(ten)));
                claims.push(Claim::at_most(what, ratio, LINEAR, None));
            }
        }
        claims
    }

    /// What is claimed beside the others.
    fn beside(&self) -> Vec<Claim> {
        let mut claims = Vec::new();
        let mut at_least = |what: &str, measured: f64, floor| {
            let what = format!("{}: {what}", self.figure.name);
            claims.push(Claim::at_least(what, figures(&[measured]), floor, None));
        };
        if let Some(ratio) = self.at(5).and_then(Point::boogie_ratio) {
            at_least("boogie against caissa, as processes, N = 5", ratio, 10.0);
        }
        let ratios = self.points.iter().filter_map(Point::boogie_ratio);
        if let Some(least) = ratios.min_by(f64::total_cmp) {
            at_least("boogie against caissa, as processes, the least of all N", least, 1.0);
        }
        let synce: Vec<(u32, f64)> =
            self.points.iter().filter_map(|point| Some((point.size, point.synce_ratio()?))).collect();
        if let [(_, first), .., (size, last)] = synce[..] {
            at_least(&format!("SYNCE against caissa, N = {size} against N = 1"), last / first, 2.0);
        }
        claims
    }

    fn section(&self) -> Section {
        let mut rows = Vec::new();
        for point in &self.points {
            let mut row = |checker: &str, times: &[f64], facts: Vec<(&'static str, u64)>| {
                let program = format!("{} N={}", self.figure.name, point.size);
                rows.push(Row { program, checker: checker.to_owned(), figures: figures(times), facts });
            };
            let size = vec![("variables", point.variables), ("clauses", point.clauses)];
            row("caissa", &point.growing, size);
            row("caissa-at-once", &point.at_once, Vec::new());
            row("caissa-process", &point.process, Vec::new());
            if let Some(synce) = &point.synce {
                let facts = vec![("rounds", synce.rounds.into()), ("played", synce.played.into())];
                row("synce", &synce.times, facts);
            }
            if let Some(Boogie::Found(times)) = &point.boogie {
                row("boogie", times, Vec::new());
            }
        }
        let linear = if self.figure.is_linear() { self.linear() } else { Vec::new() };
        let claims = linear.into_iter().chain(self.beside()).collect();
        Section { name: self.figure.name, unit: "ms", rows, claims, remarks: self.figure.paper_remarks() }
    }

    fn print(&self) {
        let k1 = if self.figure.rounds(2) == 2 { "N" } else { "1" };
        println!("\n## {}, K1 = {k1}, K2 = 1\n", self.figure.name);
        println!(
            "| N | caissa ms | lowest..highest | at once ms | as a process ms | variables | clauses | SYNCE rounds | SYNCE ms \
             | SYNCE / caissa | boogie ms | boogie / process |"
        );
        println!("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
        for point in &self.points {
            let growing = figures(&point.growing);
            let ratio =
                |ratio: Option<f64>| ratio.map_or(String::new(), |ratio| format!("{}x", short(ratio)));
            let (mut rounds, mut synce) = (String::new(), String::new());
            if let Some(found) = &point.synce {
                rounds = format!("{}{}", found.rounds, if found.played { "" } else { "*" });
                synce = short(median(&found.times));
            }
            let boogie = match &point.boogie {
                None => String::new(),
                Some(Boogie::Found(times)) => short(median(times)),
                Some(Boogie::TooSlow) => format!("> {}", short(growth::LIMIT.as_secs_f64() * 1e3)),
            };
            println!(
                "| {} | {} | {}..{} | {} | {} | {} | {} | {rounds} | {synce} | {} | {boogie} | {} |",
                point.size,
                short(growing.median()),
                short(growing.lowest()),
                short(growing.highest()),
                short(median(&point.at_once)),
                short(median(&point.process)),
                point.variables,
                point.clauses,
                ratio(point.synce_ratio()),
                ratio(point.boogie_ratio()),
            );
        }
        for (way, times) in WAYS {
            if let Some(powers) = self.powers(times) {
                let [low, middle, high] = [powers.lowest(), powers.median(), powers.highest()].map(short);
                println!(
                    "\n{way}: time grows like N to the power of {middle} ({low}..{high}), N >= {FIT_FROM}"
                );
            }
        }
        for remark in self.figure.paper_remarks() {
            println!("\n{remark}");
        }
    }
}

/// Measures everything and prints it.
pub fn run(extent: Extent, json: bool) {
    let machine = Machine::this();
    let versions = boogie::versions();
    let quick = extent.divisor > 1;
    let mut remarks = vec![versions.clone().unwrap_or_else(|missing| missing)];
    let mut all = Vec::new();
    for figure in &FIGURES {
        let most = if quick { 3 } else { figure.most };
        match measure(figure, most, extent.rounds, versions.is_ok()) {
            Ok(points) => all.push(Measured { figure, points }),
            Err(error) => remarks.push(format!("{}: {error}", figure.name)),
        }
    }
    let mut sections: Vec<Section> = all.iter().map(Measured::section).collect();
    if json {
        if let Some(first) = sections.first_mut() {
            first.remarks.splice(0..0, remarks);
        }
        println!(
            "{}",
            Json::Object(vec![
                ("machine", machine.json()),
                ("rounds", (extent.rounds as u64).into()),
                ("quick", quick.into()),
                ("sections", Json::List(sections.iter().map(Section::json).collect())),
            ])
        );
        return;
    }
    print!("{machine}");
    println!("rounds: {}", extent.rounds);
    remarks.iter().for_each(|remark| println!("{remark}"));
    if quick {
        println!("the models are small: these figures mean little");
    }
    all.iter().for_each(Measured::print);
    println!("\n*: what SYNCE finds there cannot be played: it is no execution of the model");
    print_claims(sections.iter().flat_map(|section| &section.claims));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(time: fn(f64) -> f64) -> Measured {
        let point = |size: u32| {
            let times = vec![time(f64::from(size)); 2];
            let (growing, at_once, process) = (times.clone(), times, vec![1.0, 1.0]);
            let boogie = Some(Boogie::Found(vec![20.0]));
            Point { size, growing, at_once, process, variables: 1, clauses: 1, synce: None, boogie }
        };
        Measured { figure: &FIGURES[0], points: (1..=20).map(point).collect() }
    }

    #[test]
    fn what_is_linear_is_told_from_what_is_not() {
        let met = |measured: &Measured| -> Vec<bool> { measured.linear().iter().map(Claim::met).collect() };
        assert_eq!(met(&measured(|size| 3.0 * size)), [true; 4]);
        assert_eq!(met(&measured(|size| size * size)), [false; 4]);
        assert!(measured(|size| size).beside().iter().all(Claim::met));
    }

    #[test]
    fn a_section_has_a_row_for_each_checker() {
        let section = measured(|size| size).section();
        assert_eq!(section.rows.len(), 20 * 4);
        assert!(crate::json::tests::well_formed(&section.json().to_string()));
    }
}
