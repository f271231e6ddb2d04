//! One library: its bitcode goes through LLVM's passes for data races, and becomes machine code again.
//!
//! Both are done by rust-lld, as a link of one piece of bitcode that leaves everything open (`-r`): all symbols stay as they were, and
//! nothing is optimised but what we ask for, for it was all optimised when the toolchain was built. It makes a section for each function and
//! each datum, as rustc does, so that a program is linked with nothing it does not use. The passes are those by which `flags` has programs
//! instrumented. What is in the way is the linker's to say; if it crashes, nobody else does.

use std::ffi::OsStr;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use super::SysrootError;
use super::archive::{self, Member};

const PASSES: &str = "forceattrs,tsan-module,function(tsan)";

/// How many lines of a linker's complaint are shown.
const LINES: usize = 8;

/// Instruments the library `from`, as `to`. Returns the members that had to stay as they are. Files that are needed meanwhile are put into
/// `work`, which no other call uses.
pub(super) fn library(
    linker: &Path,
    from: &Path,
    to: &Path,
    work: &Path,
) -> Result<Vec<String>, SysrootError> {
    let library = from.file_name().unwrap_or(OsStr::new("library")).to_string_lossy().into_owned();
    let bytes = std::fs::read(from).map_err(|error| SysrootError::file(from, &error))?;
    let unreadable = |why| SysrootError::Library { library: library.clone(), why };
    let members = archive::read(&bytes).map_err(unreadable)?;
    std::fs::create_dir_all(work).map_err(|error| SysrootError::file(work, &error))?;
    let (mut made, mut kept) = (Vec::new(), Vec::new());
    let (mut has_bitcode, mut has_hooks) = (false, false);
    for member in members {
        let member = match member.bitcode() {
            Some(bitcode) => {
                has_bitcode = true;
                let name = member.name;
                let bytes = object(linker, &bitcode, work, &format!("{name} of {library}"))?;
                Member { name, bytes }
            }
            None => {
                if member.is_code() {
                    kept.push(member.name.clone());
                }
                member
            }
        };
        has_hooks |= member.has_hooks();
        made.push(member);
    }
    if !has_bitcode {
        return Err(SysrootError::NoBitcode { library });
    }
    if !has_hooks {
        return Err(SysrootError::Llvm {
            library,
            ended: "left out all hooks".to_owned(),
            said: String::new(),
        });
    }
    let bytes = archive::write(&made).map_err(|error| unreadable(error.to_string()))?;
    std::fs::write(to, bytes).map_err(|error| SysrootError::file(to, &error))?;
    Ok(kept)
}

/// The machine code of instrumented bitcode.
fn object(linker: &Path, bitcode: &[u8], work: &Path, what: &str) -> Result<Vec<u8>, SysrootError> {
    let [input, output] = ["bitcode.bc", "object.o"].map(|name| work.join(name));
    std::fs::write(&input, bitcode).map_err(|error| SysrootError::file(&input, &error))?;
    let mut command = Command::new(linker);
    command.args(["-flavor", "gnu", "-r", "--threads=1", "-mllvm", "-force-attribute=sanitize_thread"]);
    command.arg(format!("--lto-newpm-passes={PASSES}")).arg("-o").args([&output, &input]);
    let ran = command.stdin(Stdio::null()).output();
    let failed = |ended: String, said: String| SysrootError::Llvm { library: what.to_owned(), ended, said };
    let ran = ran.map_err(|error| failed("could not be run".to_owned(), error.to_string()))?;
    if !ran.status.success() {
        let said = String::from_utf8_lossy(&ran.stderr);
        return Err(failed(ended(ran.status), said.lines().take(LINES).collect::<Vec<_>>().join("\n")));
    }
    std::fs::read(&output).map_err(|error| SysrootError::file(&output, &error))
}

fn ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with code {code}"),
        (None, Some(signal)) => format!("crashed (signal {signal})"),
        (None, None) => "ended".to_owned(),
    }
}
