//! The models that are exhausted, their sizes, and what exhausting one comes to.

/// A model, in three languages: models/NAME.cai, models/NAME.pml, src/models/NAME.rs.
#[derive(Debug, PartialEq, Eq)]
pub struct Subject {
    pub name: &'static str,
    /// The text for our engine.
    pub cai: &'static str,
    /// The text for Spin.
    pub pml: &'static str,
    pub full: Size,
    /// To see that everything works.
    pub quick: Size,
}

/// Values of a model's constants.
#[derive(Debug, PartialEq, Eq)]
pub struct Size {
    pub sets: &'static [(&'static str, i32)],
    /// States, by the two other checkers alike.
    pub states: u64,
    /// More steps than any path of Spin's depth-first search has; it reserves memory for as many.
    pub depth: u64,
}

macro_rules! texts {
    ($name:literal, $full:expr, $quick:expr) => {
        Subject {
            name: $name,
            cai: include_str!(concat!("../../models/", $name, ".cai")),
            pml: include_str!(concat!("../../models/", $name, ".pml")),
            full: $full,
            quick: $quick,
        }
    };
}

pub const SUBJECTS: [Subject; 3] = [
    texts!(
        "philosophers",
        Size { sets: &[("N", 13)], states: 1_594_323, depth: 1_500_000 },
        Size { sets: &[("N", 8)], states: 6_561, depth: 10_000 }
    ),
    texts!(
        "peterson",
        Size { sets: &[("N", 5)], states: 2_671_684, depth: 1_000_000 },
        Size { sets: &[("N", 4)], states: 38_719, depth: 40_000 }
    ),
    texts!(
        "filesystem",
        Size { sets: &[("THREADS", 10), ("INODES", 5), ("BLOCKS", 5)], states: 5_153_632, depth: 1_000 },
        Size { sets: &[("THREADS", 6), ("INODES", 3), ("BLOCKS", 4)], states: 13_398, depth: 1_000 }
    ),
];

impl Subject {
    pub fn named(name: &str) -> Option<&'static Subject> {
        SUBJECTS.iter().find(|subject| subject.name == name)
    }

    pub fn size(&self, quick: bool) -> &Size {
        if quick { &self.quick } else { &self.full }
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sets: Vec<String> = self.sets.iter().map(|(name, value)| format!("{name}={value}")).collect();
        f.write_str(&sets.join(" "))
    }
}

/// What exhausting a model came to, as the checker says it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Exhausted {
    /// Different states at scheduling points.
    pub states: u64,
    /// Steps from one to another.
    pub transitions: u64,
    /// Seconds on the clock, for the search alone.
    pub seconds: f64,
    /// What the states take in memory; 0 where the checker does not say.
    pub bytes: u64,
}

impl Exhausted {
    /// The form in which a process tells it to the one that started it.
    pub fn line(&self) -> String {
        let Exhausted { states, transitions, seconds, bytes } = self;
        format!("exhausted {states} {transitions} {seconds} {bytes}")
    }

    pub fn parse(output: &str) -> Option<Exhausted> {
        let mut words = output.lines().find_map(|line| line.strip_prefix("exhausted "))?.split(' ');
        Some(Exhausted {
            states: words.next()?.parse().ok()?,
            transitions: words.next()?.parse().ok()?,
            seconds: words.next()?.parse().ok()?,
            bytes: words.next()?.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_process_says_the_other_understands() {
        let exhausted = Exhausted { states: 9, transitions: 13, seconds: 0.25, bytes: 180 };
        assert_eq!(Exhausted::parse(&format!("hello\n{}\n", exhausted.line())), Some(exhausted));
        assert_eq!(Exhausted::parse("exhausted 9 13"), None);
        assert_eq!(Exhausted::parse(""), None);
    }

    #[test]
    fn sizes_are_shown_as_they_are_set() {
        let filesystem = Subject::named("filesystem").expect("it is one of them");
        assert_eq!(filesystem.size(true).to_string(), "THREADS=6 INODES=3 BLOCKS=4");
        assert_eq!(Subject::named("bakery"), None);
    }
}
