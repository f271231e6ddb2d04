//! The flags that instrument a program, and those that link it to our runtime.

use std::ffi::OsString;
use std::path::Path;

use super::{Compiler, Kind, RUNTIME};

/// What makes a compiler call hooks. It can be seen by the preprocessor too.
const SANITIZE: &str = "-fsanitize=thread";

/// What else the preprocessor can see. Functions that check lengths are others than those that the runtime knows; programs have threads when they
/// are linked, and a header that was compiled ahead must agree with that.
const PREPROCESS: [&str; 2] = ["-U_FORTIFY_SOURCE", "-pthread"];

/// Functions that gcc would turn into instructions, to which it adds no hooks. As calls they reach the runtime. Those that can stand in constant
/// expressions (`strlen`, say) stay as they are.
const NOT_BUILT_IN: [&str; 13] = [
    "-fno-builtin-memcpy",
    "-fno-builtin-memmove",
    "-fno-builtin-memset",
    "-fno-builtin-mempcpy",
    "-fno-builtin-memcmp",
    "-fno-builtin-bcopy",
    "-fno-builtin-bzero",
    "-fno-builtin-bcmp",
    "-fno-builtin-strcpy",
    "-fno-builtin-stpcpy",
    "-fno-builtin-strncpy",
    "-fno-builtin-strcat",
    "-fno-builtin-strncat",
];

impl Compiler {
    /// What compiling a program takes, without linking it.
    pub fn compile_flags(&self) -> Vec<&'static str> {
        let mut flags = Compiler::preprocess_flags();
        flags.extend(self.instrumentation());
        flags
    }

    /// The same for what the preprocessor is done with.
    pub(super) fn preprocessed_flags(&self) -> Vec<&'static str> {
        let mut flags = vec![SANITIZE];
        flags.extend(self.instrumentation());
        flags
    }

    /// What compiling and linking in one go takes, beside [`Compiler::link_flags`]. gcc must not see that a sanitizer is asked for when it comes to
    /// linking, or it links libtsan: so the flag goes to the preprocessor only, which is the compiler proper.
    pub(super) fn compile_and_link_flags(&self, preprocesses: bool) -> Vec<&'static str> {
        let mut flags = match self.kind {
            Kind::Gcc => vec!["-Wp,-fsanitize=thread"],
            Kind::Clang => vec![SANITIZE, "-fno-sanitize-link-runtime"],
        };
        if preprocesses {
            flags.extend(PREPROCESS);
        }
        flags.extend(self.instrumentation());
        flags
    }

    /// What the preprocessor takes by itself, to see what the compiler will.
    pub(super) fn preprocess_flags() -> Vec<&'static str> {
        let mut flags = vec![SANITIZE];
        flags.extend(PREPROCESS);
        flags
    }

    fn instrumentation(&self) -> Vec<&'static str> {
        let mut flags = vec!["-g", "-fno-omit-frame-pointer"];
        match self.kind {
            Kind::Gcc => {
                // gcc warns that fences are not supported, which is true of libtsan only.
                flags.extend(["--param=tsan-distinguish-volatile=1", "-Wno-tsan"]);
                flags.extend(NOT_BUILT_IN);
            }
            Kind::Clang => {
                flags.extend([
                    "-mllvm",
                    "-tsan-distinguish-volatile=1",
                    "-mllvm",
                    "-tsan-instrument-read-before-write=1",
                ]);
            }
        }
        flags
    }

    /// What linking a program takes. They must come first: symbols are taken from our library only if it precedes libc.
    pub fn link_flags(&self, runtime_dir: &Path) -> Vec<OsString> {
        let mut search = OsString::from("-L");
        search.push(runtime_dir);
        let library = format!("-l{RUNTIME}");
        vec![
            "-pthread".into(),
            search,
            // Not `-Wl,-rpath,DIR`, for there can be commas in a directory's name.
            "-Xlinker".into(),
            "-rpath".into(),
            "-Xlinker".into(),
            runtime_dir.into(),
            // A linker can leave out a library that it finds no use for; ours has one although a program may call nothing in it.
            "-Wl,--push-state,--no-as-needed".into(),
            library.into(),
            "-Wl,--pop-state".into(),
        ]
    }
}
