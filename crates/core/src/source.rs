//! Places in a program's source.
//!
//! Every event names one, so they are passed by reference: a front end keeps each place that can occur once, for as long as the
//! process lives. A Rust program's places are the compiler's own ([`Location`]); a front end that reads its programs from files
//! has them as [`Place`]s.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::panic::Location;

/// A place in a file that a front end has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file, as the user named it.
    pub file: &'static str,
    /// The line, from 1 on.
    pub line: u32,
    /// The column, from 1 on.
    pub column: u32,
    /// What the program calls there, if that is what it is about and not the place itself; else nothing.
    pub call: &'static str,
}

/// Where in the program's source something stands. Two are equal if they name the same file, line and column, and they are
/// ordered by these.
#[derive(Clone, Copy)]
pub enum Source {
    /// In a Rust program, known to its compiler.
    Rust(&'static Location<'static>),
    /// In a file that a front end has read.
    File(&'static Place),
    /// An instruction of a native program, which only its front end can tell the place of.
    Code(Code),
}

/// An instruction, and by which calls it was come to, as far as its front end keeps that: the number of a stack, 0 if it does not.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Code {
    /// The address of the instruction.
    pub address: u64,
    /// The stack. Places are the same whatever it is.
    pub stack: u32,
}

impl Source {
    /// The file.
    #[inline]
    pub fn file(self) -> &'static str {
        match self {
            Source::Rust(location) => location.file(),
            Source::File(place) => place.file,
            Source::Code(_) => "code",
        }
    }

    /// The line, from 1 on.
    #[inline]
    pub fn line(self) -> u32 {
        match self {
            Source::Rust(location) => location.line(),
            Source::File(place) => place.line,
            Source::Code(code) => (code.address >> 32) as u32,
        }
    }

    /// The column, from 1 on.
    #[inline]
    pub fn column(self) -> u32 {
        match self {
            Source::Rust(location) => location.column(),
            Source::File(place) => place.column,
            Source::Code(code) => code.address as u32,
        }
    }

    /// What the program calls there, if that is what it is about; else nothing.
    pub fn call(self) -> &'static str {
        match self {
            Source::File(place) => place.call,
            Source::Rust(_) | Source::Code(_) => "",
        }
    }

    /// Where it is kept: a number that is quick to have. It differs for places that differ, but one place may have several, and
    /// others in the next process.
    #[inline]
    pub fn address(self) -> usize {
        match self {
            Source::Rust(location) => core::ptr::from_ref(location).addr(),
            Source::File(place) => core::ptr::from_ref(place).addr(),
            Source::Code(code) => code.address as usize,
        }
    }

    fn key(self) -> (&'static str, u32, u32) {
        (self.file(), self.line(), self.column())
    }
}

impl From<&'static Location<'static>> for Source {
    #[inline(always)]
    fn from(location: &'static Location<'static>) -> Source {
        Source::Rust(location)
    }
}

impl From<&'static Place> for Source {
    #[inline(always)]
    fn from(place: &'static Place) -> Source {
        Source::File(place)
    }
}

/// A source can be sent to another process if it is code.
#[cfg(feature = "serde")]
impl serde::Serialize for Source {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Source::Code(code) => code.serialize(serializer),
            Source::Rust(_) | Source::File(_) => Err(serde::ser::Error::custom("a place of this process")),
        }
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Source {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Source, D::Error> {
        Code::deserialize(deserializer).map(Source::Code)
    }
}

/// Words for what went wrong that can be received from another process.
#[cfg(feature = "serde")]
const WORDS: [&str; 14] = [
    "panic",
    "assertion",
    "abort",
    "signal",
    "exception",
    "exit",
    "good-samaritan",
    "use-after-free",
    "double-free",
    "bad-free",
    "bad-unlock",
    "destroyed",
    "memory",
    "failure",
];

/// Receives one of them.
#[cfg(feature = "serde")]
pub(crate) fn known_word<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<&'static str, D::Error> {
    use serde::Deserialize as _;
    let word = alloc::string::String::deserialize(deserializer)?;
    Ok(WORDS.into_iter().find(|known| *known == word).unwrap_or("failure"))
}

impl PartialEq for Source {
    fn eq(&self, other: &Source) -> bool {
        self.address() == other.address() || self.key() == other.key()
    }
}

impl Eq for Source {}

impl PartialOrd for Source {
    fn partial_cmp(&self, other: &Source) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Source {
    fn cmp(&self, other: &Source) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl Hash for Source {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file(), self.line(), self.column())
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({self})")
    }
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;
    use alloc::collections::BTreeSet;
    use alloc::string::ToString;

    use super::*;

    /// The same place as a location, but kept by a front end.
    fn copied(location: &'static Location<'static>) -> Source {
        let (file, line, column) = (location.file(), location.line(), location.column());
        Source::from(&*Box::leak(Box::new(Place { file, line, column, call: "" })))
    }

    #[test]
    fn places_are_what_they_name_whoever_keeps_them() {
        let locations = [Location::caller(), Location::caller()];
        let [first, second] = locations.map(Source::from);
        assert_eq!(first, copied(locations[0]));
        assert_eq!(copied(locations[1]), copied(locations[1]));
        assert_ne!(first.address(), copied(locations[0]).address());
        assert_ne!(first, second);
        assert_eq!(first.to_string(), locations[0].to_string());
        assert_eq!(copied(locations[0]).to_string(), locations[0].to_string());
        let all: BTreeSet<Source> = [second, copied(locations[0]), first].into();
        assert_eq!(all.into_iter().collect::<alloc::vec::Vec<_>>(), [first, second]);
    }

    #[test]
    fn places_are_ordered_by_file_then_line_then_column() {
        static PLACES: [Place; 5] = [
            Place { file: "a.cai", line: 2, column: 1, call: "" },
            Place { file: "a.cai", line: 2, column: 9, call: "" },
            Place { file: "a.cai", line: 10, column: 1, call: "" },
            Place { file: "a/b.cai", line: 1, column: 1, call: "" },
            Place { file: "b.cai", line: 1, column: 1, call: "" },
        ];
        assert!(PLACES.iter().map(Source::from).is_sorted());
    }
}
