//! The arithmetic: medians with their spread, ratios, and what is claimed of them.

/// Repeats of one measurement, in the order of the rounds.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    rounds: Vec<f64>,
}

impl Figures {
    pub fn push(&mut self, value: f64) {
        assert!(value.is_finite() && value > 0.0, "a measurement came to {value}");
        self.rounds.push(value);
    }

    fn sorted(&self) -> Vec<f64> {
        assert!(!self.rounds.is_empty(), "nothing was measured");
        let mut sorted = self.rounds.clone();
        sorted.sort_by(f64::total_cmp);
        sorted
    }

    /// The middle one; of an even number, the mean of the two in the middle.
    pub fn median(&self) -> f64 {
        let sorted = self.sorted();
        let middle = sorted.len() / 2;
        if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 }
    }

    pub fn lowest(&self) -> f64 {
        self.sorted()[0]
    }

    pub fn highest(&self) -> f64 {
        self.sorted()[self.rounds.len() - 1]
    }

    /// The same rounds in another unit.
    pub fn each(&self, convert: impl Fn(f64) -> f64) -> Figures {
        Figures { rounds: self.rounds.iter().map(|&value| convert(value)).collect() }
    }

    /// How many times `other` this is, round by round: the two measurements of a round were made one after the other, so
    /// what slows the machine down for a while slows both.
    pub fn over(&self, other: &Figures) -> Figures {
        assert_eq!(self.rounds.len(), other.rounds.len(), "both were measured in every round");
        Figures { rounds: self.rounds.iter().zip(&other.rounds).map(|(a, b)| a / b).collect() }
    }
}

/// Which way a claim points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    AtLeast,
    AtMost,
}

/// One thing that the benchmark must show.
#[derive(Clone, Debug)]
pub struct Claim {
    pub what: String,
    pub measured: Figures,
    pub wanted: Wanted,
    pub floor: f64,
    pub goal: Option<f64>,
}

impl Claim {
    pub fn at_least(what: String, measured: Figures, floor: f64, goal: Option<f64>) -> Claim {
        Claim { what, measured, wanted: Wanted::AtLeast, floor, goal }
    }

    pub fn at_most(what: String, measured: Figures, floor: f64, goal: Option<f64>) -> Claim {
        Claim { what, measured, wanted: Wanted::AtMost, floor, goal }
    }

    fn reaches(&self, limit: f64) -> bool {
        match self.wanted {
            Wanted::AtLeast => self.measured.median() >= limit,
            Wanted::AtMost => self.measured.median() <= limit,
        }
    }

    /// Whether the floor is met.
    pub fn met(&self) -> bool {
        self.reaches(self.floor)
    }

    /// Whether the goal is, if there is one.
    pub fn goal_met(&self) -> Option<bool> {
        self.goal.map(|goal| self.reaches(goal))
    }
}

/// A number with as many digits as it deserves: about three, and none after the point of a whole one.
pub fn short(value: f64) -> String {
    match value.abs() {
        _ if value.fract() == 0.0 => format!("{value}"),
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(values: &[f64]) -> Figures {
        let mut figures = Figures::default();
        values.iter().for_each(|&value| figures.push(value));
        figures
    }

    #[test]
    fn the_median_is_the_middle_whatever_the_order() {
        assert_eq!(figures(&[5.0, 1.0, 3.0]).median(), 3.0);
        assert_eq!(figures(&[4.0, 1.0, 3.0, 2.0]).median(), 2.5);
        assert_eq!(figures(&[7.0]).median(), 7.0);
        let spread = figures(&[5.0, 1.0, 9.0, 3.0, 2.0]);
        assert_eq!((spread.lowest(), spread.median(), spread.highest()), (1.0, 3.0, 9.0));
    }

    #[test]
    fn a_ratio_is_taken_within_a_round() {
        // The second round was slow for both: its ratio is the same.
        let ratio = figures(&[10.0, 5.0, 12.0]).over(&figures(&[2.0, 1.0, 3.0]));
        assert_eq!(ratio.median(), 5.0);
        assert_eq!((ratio.lowest(), ratio.highest()), (4.0, 5.0));
    }

    #[test]
    #[should_panic(expected = "in every round")]
    fn ratios_of_different_rounds_are_refused() {
        let _ = figures(&[1.0]).over(&figures(&[1.0, 2.0]));
    }

    #[test]
    #[should_panic(expected = "came to NaN")]
    fn what_is_no_number_is_refused() {
        figures(&[f64::NAN]);
    }

    #[test]
    fn claims_point_both_ways_and_their_limits_count_as_met() {
        let claim = Claim::at_least("speed".into(), figures(&[6.0, 5.0, 7.0]), 6.0, Some(12.0));
        assert!(claim.met());
        assert_eq!(claim.goal_met(), Some(false));
        let claim = Claim::at_most("cost".into(), figures(&[1.4, 1.6, 9.0]), 2.5, Some(1.5));
        assert!(claim.met());
        assert_eq!(claim.goal_met(), Some(false));
        assert!(!Claim::at_most("cost".into(), figures(&[3.0]), 2.5, None).met());
        assert_eq!(Claim::at_least("x".into(), figures(&[3.0]), 2.5, None).goal_met(), None);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [123456.7, 12.34, 1.234, 0.01234, 17.0].map(short),
            ["123457", "12.3", "1.23", "0.012", "17"].map(str::to_owned)
        );
    }
}
