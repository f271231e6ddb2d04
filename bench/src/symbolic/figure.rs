//! The two families of models that the 2012 paper measures (Fig. 9 and Fig. 10): what takes N turns, and which bounds are enough.

use caissa_model::sequentialize::Bounds;
use caissa_model::symbolic::unroll::Unwinding;

use super::ours::Question;

/// A family of models, one for each N, all with a bug that takes N turns.
#[derive(Debug, PartialEq, Eq)]
pub struct Figure {
    pub name: &'static str,
    text: &'static str,
    /// How far N goes.
    pub most: u32,
    /// K1 is N; else 1.
    rounds_grow: bool,
    /// What the paper measured for N = 1, 2, ..., in seconds.
    paper: Paper,
}

/// Times as printed in the paper.
#[derive(Debug, PartialEq, Eq)]
struct Paper {
    synce: [&'static str; 4],
    asyncchecker: [&'static str; 4],
}

pub const FIGURES: [Figure; 2] = [
    Figure {
        name: "figure9",
        text: include_str!("../../../corpus/model/fail/figure9.cai"),
        most: 20,
        rounds_grow: false,
        paper: Paper { synce: ["1.5", "2.1", "13.6", "384.2"], asyncchecker: ["1.2", "1.2", "1.25", "1.34"] },
    },
    Figure {
        name: "figure10",
        text: include_str!("../../../corpus/model/fail/figure10.cai"),
        most: 12,
        rounds_grow: true,
        paper: Paper {
            synce: ["1.6", "5.1", "168.9", "> 500"],
            asyncchecker: ["1.1", "1.7", "7.23", "256.6"],
        },
    },
];

impl Figure {
    pub fn named(name: &str) -> Option<&'static Figure> {
        FIGURES.iter().find(|figure| figure.name == name)
    }

    /// K1, K2 being 1.
    pub fn rounds(&self, size: u32) -> u32 {
        if self.rounds_grow { size } else { 1 }
    }

    /// Loops and recursion as far as the bug needs them: figure9 posts itself N - 1 times, figure10 goes round N times.
    pub fn unwinding(&self, size: u32) -> Unwinding {
        if self.rounds_grow {
            Unwinding { loops: size, recursion: 1 }
        } else {
            Unwinding { loops: 1, recursion: size.saturating_sub(1).max(1) }
        }
    }

    pub fn question(&self, size: u32, bounds: Bounds) -> Question {
        Question {
            name: format!("{}.cai", self.name),
            text: self.text.to_owned(),
            sets: vec![("N".to_owned(), size.to_string())],
            bounds,
            most: self.unwinding(size),
        }
    }

    /// By rounds of buffers and tasks.
    pub fn by_rounds(&self, size: u32) -> Question {
        self.question(size, Bounds::Rounds { buffers: self.rounds(size), tasks: 1 })
    }

    /// The paper's claim for this family: priorities cost no rounds, so time does not explode with N.
    pub fn is_linear(&self) -> bool {
        !self.rounds_grow
    }

    /// The paper's own figures, marked as such.
    pub fn paper_remarks(&self) -> Vec<String> {
        let line = |name: &str, times: [&str; 4]| {
            format!("from the paper, in s, N = 1 to 4: {name} {}", times.join(", "))
        };
        vec![line("ASYNCCHECKER", self.paper.asyncchecker), line("SYNCE", self.paper.synce)]
    }
}
