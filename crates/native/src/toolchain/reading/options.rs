//! Options of gcc and clang that matter to us: which take the next word, which we refuse, and which are ours to give.

use super::super::ToolchainError;

/// Options whose value is the next word. Those of one letter have it joined as often.
const WITH_VALUE: &str = "-o -x -I -L -l -D -U -T -u -z -e -A -B -F -G \
    -include -imacros -isystem -iquote -idirafter -iprefix -iwithprefix -iwithprefixbefore -isysroot -imultilib -include-pch \
    -MF -MT -MQ -MJ -Xlinker -Xassembler -Xpreprocessor -Xclang -Xanalyzer -mllvm -aux-info --param --sysroot \
    -dumpbase -dumpbase-ext -dumpdir -wrapper -target -gcc-toolchain -arch -framework -rpath -working-directory \
    -serialize-diagnostics --serialize-diagnostics -ivfsoverlay";

/// Options that would undo what we ask for. What they are for is not lost on a program that is only checked.
const DROPPED: [&str; 12] = [
    // Instrumentation happens when a program is compiled; with them gcc would put it off until it is linked, where nobody asks for it.
    "-flto",
    "-fwhole-program-vtables",
    "-fvirtual-function-elimination",
    // Reports need symbols that they can read.
    "-s",
    "-gz",
    "-Wl,-s",
    "-Wl,-S",
    "-Wl,--strip-all",
    "-Wl,--strip-debug",
    // Our runtime stands in its place.
    "-static-libtsan",
    "-static-libsan",
    "-shared-libsan",
];

/// Whether an option is passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    Yes,
    No,
}

/// Whether an option takes the next word as its value.
pub(super) fn takes_value(option: &str) -> bool {
    WITH_VALUE.split(' ').any(|other| other == option)
}

/// Whether to pass on an option.
pub(super) fn judge(option: &str) -> Result<Kept, ToolchainError> {
    if let Some(names) = option.strip_prefix("-fsanitize=") {
        return match names.split(',').find(|name| *name != "thread") {
            Some(_) => Err(ToolchainError::Refused {
                argument: option.to_owned(),
                why: "two sanitizers cannot watch a program at a time, and caissa works by way of the thread sanitizer. Leave this one \
                      out",
            }),
            None => Ok(Kept::No),
        };
    }
    if let Some(names) = option.strip_prefix("-fno-sanitize=") {
        let ours = names.split(',').any(|name| name == "thread" || name == "all");
        return Ok(if ours { Kept::No } else { Kept::Yes });
    }
    let dropped = DROPPED.contains(&option)
        || option.starts_with("-flto-")
        || option.starts_with("-flto=")
        || option.starts_with("-gz=");
    Ok(if dropped { Kept::No } else { Kept::Yes })
}
