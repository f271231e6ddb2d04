//! A place in the source, and whose source it is.

/// A function at a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its name, demangled.
    pub function: Option<String>,
    /// The source file: relative to the base if it lies below it, else absolute.
    pub file: Option<String>,
    /// From 1; 0 if the compiler has made the instruction up.
    pub line: u32,
    /// From 1; 0 if it is not known.
    pub column: u32,
}

/// Directories that hold nothing but the toolchain's sources.
const ROOTS: [&str; 3] = ["/usr/include/", "/usr/lib/gcc/", "/rustc/"];

/// The same wherever compilers were installed.
const PLACES: [&str; 6] =
    ["/include/c++/", "/lib/gcc/", "/lib64/gcc/", "/lib/clang/", "/lib64/clang/", "/lib/rustlib/src/"];

/// What the toolchain links to every program.
const START_UP: [&str; 10] = [
    "_start",
    "_init",
    "_fini",
    "_dl_relocate_static_pie",
    "deregister_tm_clones",
    "register_tm_clones",
    "__do_global_dtors_aux",
    "frame_dummy",
    "__libc_csu_init",
    "__libc_csu_fini",
];

impl Frame {
    /// Whether this is code of the toolchain: system headers, the compiler's own headers, Rust's standard library, what runs before
    /// `main`. By the file; by the name where there is none.
    pub fn is_of_the_toolchain(&self) -> bool {
        match (&self.file, &self.function) {
            (Some(file), _) => is_the_toolchains(file),
            (None, Some(function)) => START_UP.contains(&function.as_str()),
            (None, None) => false,
        }
    }
}

/// Whether an absolute path, without `.` and `..`, is of the toolchain.
pub(crate) fn is_the_toolchains(file: &str) -> bool {
    file.starts_with('/')
        && (ROOTS.iter().any(|root| file.starts_with(root))
            || PLACES.iter().any(|place| file.contains(place)))
}
