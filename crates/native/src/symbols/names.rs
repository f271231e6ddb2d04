//! Names of functions: demangling them, and what a user means by a shorter one.
//!
//! A demangled name is text. To compare it with a pattern it is read as a path: `void ns::Queue<int>::push<char>(char)` and
//! `<ns::Queue<i32> as Sink<char>>::push` are both `ns`, `Queue`, `push`.

mod path;

pub(super) use path::UNNAMED;
use path::path_of;

/// Whether a name is one that [`demangle`] changes. Anything else must not be demangled: `f` would be taken for the type `float`.
pub(super) fn is_mangled(name: &str) -> bool {
    name.starts_with("_Z") || name.starts_with("_R")
}

/// The name as the source has it; the name itself if it is not mangled.
pub(super) fn demangle(name: &str) -> String {
    match is_mangled(name) {
        true => addr2line::demangle_auto(name.into(), None).into_owned(),
        false => name.to_owned(),
    }
}

/// The crates that a mangled name of Rust's speaks of: how each is called, and what it is told by from others that are called the same. Nothing where names are mangled the old way.
pub(super) fn crates_of(symbol: &str) -> impl Iterator<Item = (&str, &str)> {
    let rest = if symbol.starts_with("_R") { symbol } else { "" };
    // `Cs3xY_4test`: of a crate, some letters and digits, and a name with its length in front.
    rest.match_indices("Cs").filter_map(|(at, start)| {
        let (apart, name) = symbol[at + start.len()..].split_once('_')?;
        let digits = name.bytes().take_while(u8::is_ascii_digit).count();
        let length: usize = name[..digits].parse().ok()?;
        let name = name[digits..].trim_start_matches('_').get(..length)?;
        apart.bytes().all(|byte| byte.is_ascii_alphanumeric()).then_some((name, apart))
    })
}

/// What a user calls functions by.
pub(super) struct Pattern<'a> {
    text: &'a str,
    /// Empty if only the whole name will do.
    path: Vec<String>,
    /// It ends with `::`: everything in there.
    is_scope: bool,
}

impl<'a> Pattern<'a> {
    /// None if the text means nothing.
    pub(super) fn read(text: &'a str) -> Option<Pattern<'a>> {
        let text = text.trim();
        let scope = text.strip_suffix("::");
        let parameters = text.replace("operator()", "").replace(UNNAMED, "").contains('(');
        let path = if parameters { Vec::new() } else { path_of(scope.unwrap_or(text)) };
        (!text.is_empty()).then_some(Pattern { text, path, is_scope: scope.is_some() })
    }

    /// Whether it means a function by its demangled name.
    pub(super) fn means(&self, name: &str) -> bool {
        name == self.text || self.means_path(&path_of(name))
    }

    /// Whether it means all functions of a source file: it is the file's path, or the end of it.
    pub(super) fn means_file(&self, file: &str) -> bool {
        let before = file.strip_suffix(self.text.strip_prefix("./").unwrap_or(self.text));
        before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
    }

    fn means_path(&self, path: &[String]) -> bool {
        if self.path.is_empty() {
            return false;
        }
        if self.is_scope {
            return path.len() > self.path.len() && path.starts_with(&self.path);
        }
        path.starts_with(&self.path) || without_closures(path).ends_with(&self.path)
    }
}

/// A path up to the function that a closure or lambda is written in.
fn without_closures(path: &[String]) -> &[String] {
    let mut rest = path;
    while let [before @ .., last] = rest {
        let called = last == "operator()" && before.last().is_some_and(|name| is_closure(name));
        if !called && !is_closure(last) {
            break;
        }
        rest = before;
    }
    rest
}

/// Whether two names can be the same function's, one perhaps without the scopes that it lies in.
pub(super) fn have_same_end(one: &str, other: &str) -> bool {
    match (path_of(one).last(), path_of(other).last()) {
        (Some(one), Some(other)) => one == other || (is_closure(one) && is_closure(other)),
        _ => false,
    }
}

fn is_closure(name: &str) -> bool {
    name.starts_with('{') || name.starts_with("<lambda")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn means(pattern: &str, name: &str) -> bool {
        Pattern::read(pattern).expect("a pattern").means(name)
    }

    #[test]
    fn a_pattern_is_a_name_or_an_end_or_a_beginning_of_a_path() {
        for pattern in [
            "push",
            "Queue::push",
            "ns::Queue::push",
            "ns::Queue",
            "ns",
            "ns::",
            "ns::Queue::",
            "Queue<int>::push",
        ] {
            assert!(means(pattern, "void ns::Queue<int>::push<char>(char, int)"), "{pattern}");
        }
        for pattern in ["pus", "Queue", "Queue::", "ns::push", "ns::Queue::push::", "push(int)", "int"] {
            assert!(!means(pattern, "void ns::Queue<int>::push<char>(char, int)"), "{pattern}");
        }
        assert!(means("push(int)", "push(int)"));
        assert!(!means("push(int)", "push(char)"));
        assert!(means("push", "<app::Queue<T> as app::Sink>::push"));
        assert!(means("app::Queue::push", "<app::Queue<T> as app::Sink>::push"));
    }

    #[test]
    fn closures_belong_to_their_function() {
        assert!(means("worker", "ns::worker(int)::{lambda()#1}::operator()() const"));
        assert!(means("worker", "app::worker::{{closure}}"));
        assert!(means("worker", "app::worker::{closure#0}::{closure#1}"));
        assert!(!means("worker", "app::worker::inner"));
    }

    #[test]
    fn a_pattern_can_be_a_file() {
        let means = |pattern, file| Pattern::read(pattern).expect("a pattern").means_file(file);
        assert!(means("queue.c", "src/queue.c"));
        assert!(means("./src/queue.c", "src/queue.c"));
        assert!(means("src/queue.c", "/home/me/src/queue.c"));
        assert!(!means("queue.c", "src/old_queue.c"));
        assert!(Pattern::read("").is_none());
    }

    #[test]
    fn crates_are_told_apart_by_what_is_in_front_of_their_names() {
        let crates = |symbol| crates_of(symbol).collect::<Vec<_>>();
        assert_eq!(
            crates(
                "_RNvXsh_NtCs8H9ZGJbKYYW_5alloc4syncINtB5_3ArcNtCs3xY_4test3FooENtNtCsb_4core5clone5Clone5clone"
            ),
            [("alloc", "8H9ZGJbKYYW"), ("test", "3xY"), ("core", "b")]
        );
        assert_eq!(crates("_ZN4test3Foo17h0123456789abcdefE"), []);
        assert_eq!(crates("_RNvCsb_1000f"), []);
    }

    #[test]
    fn what_is_not_mangled_stays() {
        assert_eq!(demangle("f"), "f");
        assert_eq!(demangle("_ZL3foov"), "foo()");
        assert_eq!(demangle("_ZN3app4push17h0123456789abcdefE"), "app::push");
        assert_eq!(demangle("_Z"), "_Z");
    }
}
