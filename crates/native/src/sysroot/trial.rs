//! A new sysroot is tried out: a program is compiled with it, as any other, and must run.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::{RustToolchain, SysrootError, flags};
use crate::runtime;

/// Uses of std that are not generic, and so come from its library.
const PROGRAM: &str = r#"
use std::sync::{Barrier, Mutex, Once};

fn main() {
    static ONCE: Once = Once::new();
    static SUM: Mutex<u32> = Mutex::new(0);
    let barrier = Barrier::new(2);
    std::thread::scope(|scope| {
        for number in 1..3 {
            let barrier = &barrier;
            scope.spawn(move || {
                ONCE.call_once(|| *SUM.lock().unwrap() += 1);
                barrier.wait();
                *SUM.lock().unwrap() += number;
            });
        }
    });
    let caught = std::panic::catch_unwind(|| std::panic::resume_unwind(Box::new(*SUM.lock().unwrap())));
    println!("{:?}", caught.unwrap_err().downcast_ref::<u32>());
}
"#;

/// What it prints.
const ANSWER: &str = "Some(4)\n";

/// Compiles the program with the sysroot in `directory`, and runs it there.
pub(super) fn run(toolchain: &RustToolchain, directory: &Path) -> Result<(), SysrootError> {
    let runtime = runtime::directory().map_err(|error| SysrootError::Runtime(error.to_string()))?;
    let work = directory.join("trial");
    let [source, program] = ["trial.rs", "trial"].map(|name| work.join(name));
    let write = || std::fs::create_dir(&work).and_then(|()| std::fs::write(&source, PROGRAM));
    write().map_err(|error| SysrootError::file(&source, &error))?;
    let mut compile = Command::new(&toolchain.rustc);
    compile.args(["--edition=2021", "-o"]).args([&program, &source]);
    compile.args(flags(Some(directory), &runtime));
    ran(compile.current_dir(&work), "does not compile")?;
    // It must not take itself for one that is under control.
    let output = ran(Command::new(&program).env_remove(caissa_wire::VARIABLE), "fails")?;
    if output.stdout != ANSWER.as_bytes() {
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        return Err(SysrootError::Trial { what: "gives a wrong answer", said });
    }
    std::fs::remove_dir_all(&work).map_err(|error| SysrootError::file(&work, &error))
}

fn ran(command: &mut Command, what: &'static str) -> Result<Output, SysrootError> {
    let failed = |said: String| SysrootError::Trial { what, said };
    let output = command.stdin(Stdio::null()).output().map_err(|error| failed(error.to_string()))?;
    match output.status.success() {
        true => Ok(output),
        false => Err(failed(format!("{}\n{}", output.status, String::from_utf8_lossy(&output.stderr)))),
    }
}
