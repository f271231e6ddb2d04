//! Names for other languages: valid there, different from each other, and as close to the source as that allows.

use rustc_hash::FxHashMap;

/// The names of a scope, and of those around it.
pub(super) struct Names<'n> {
    around: Option<&'n Names<'n>>,
    /// What stands before the number of a name that would else be taken.
    mark: char,
    /// Names that are taken, and the last number that was put behind each.
    taken: FxHashMap<String, u32>,
}

impl<'n> Names<'n> {
    /// The outermost scope, where these words are taken.
    pub(super) fn new(mark: char, words: &str) -> Names<'static> {
        let taken = words.split_whitespace().map(|word| (word.to_owned(), 1)).collect();
        Names { around: None, mark, taken }
    }

    /// A scope inside of this one.
    pub(super) fn inside(&'n self) -> Names<'n> {
        Names { around: Some(self), mark: self.mark, taken: FxHashMap::default() }
    }

    /// A name that nothing else here has: this one, or this one with a number.
    pub(super) fn take(&mut self, wanted: String) -> String {
        if !self.is_taken(&wanted) {
            self.taken.insert(wanted.clone(), 1);
            return wanted;
        }
        let mut number = self.taken.get(&wanted).copied().unwrap_or(1);
        loop {
            number += 1;
            let name = format!("{wanted}{}{number}", self.mark);
            if !self.is_taken(&name) {
                self.taken.insert(wanted, number);
                self.taken.insert(name.clone(), 1);
                return name;
            }
        }
    }

    fn is_taken(&self, name: &str) -> bool {
        self.taken.contains_key(name) || self.around.is_some_and(|around| around.is_taken(name))
    }
}

/// A name without what sets names of the translations apart from those of the source; [`Names::take`] sees to it that they differ.
pub(super) fn unmarked(name: &str) -> String {
    name.trim_end_matches('\'').replace('\'', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_as_they_are_unless_they_are_taken() {
        let mut outer = Names::new('_', "if while");
        assert_eq!(outer.take("x".to_owned()), "x");
        assert_eq!(outer.take("while".to_owned()), "while_2");
        assert_eq!(outer.take("x_2".to_owned()), "x_2");
        assert_eq!(outer.take("x".to_owned()), "x_3");
        let mut inner = outer.inside();
        assert_eq!(inner.take("x".to_owned()), "x_4");
        assert_eq!(inner.take("y".to_owned()), "y");
        assert_eq!(outer.inside().take("y".to_owned()), "y");
    }
}
