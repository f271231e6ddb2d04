//! Which accesses of data are scheduling points.

use std::str::FromStr;

/// Where scheduling points lie besides synchronization operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Points {
    /// Nowhere. Data needs none as long as nothing races, and a race is a finding, which ends the search.
    #[default]
    Sync,
    /// Before accesses that race: a race is kept, its two places become points, and the search begins again, for what comes of
    /// the race. If nothing does, the race is the finding.
    Racy,
    /// Before every access of data.
    All,
}

impl Points {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Points); 3] =
        [("sync", Points::Sync), ("racy", Points::Racy), ("all", Points::All)];

    /// Its name.
    pub fn name(self) -> &'static str {
        Points::ALL.iter().find(|(_, points)| *points == self).expect("all are listed").0
    }
}

impl FromStr for Points {
    type Err = ();

    fn from_str(name: &str) -> Result<Points, ()> {
        Points::ALL.iter().find(|(known, _)| *known == name).map(|(_, points)| *points).ok_or(())
    }
}
