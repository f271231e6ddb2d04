//! Boogie as the head of the text says it is called.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use caissa_model::emit::{self, Bounds};
use caissa_model::ir::Program;

/// Boogie has no complaint about how the program is written.
pub fn can_read(name: &str, program: &Program) {
    let (folder, file, _) = written(name, program, Bounds::default());
    let mut boogie = Command::new("boogie");
    boogie.current_dir(folder).args(["/nologo", "/noVerify"]).arg(&file);
    let output = boogie.output().expect("boogie is installed: apt-get install boogie z3");
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(
        output.trim(),
        "Boogie program verifier finished with 0 verified, 0 errors",
        "{}",
        file.display()
    );
}

fn written(name: &str, program: &Program, bounds: Bounds) -> (&'static Path, PathBuf, String) {
    let text = emit::boogie(program, bounds);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(format!("emit_{name}.bpl"));
    fs::write(&file, &text).expect("the target folder can be written");
    (folder, file, text)
}

/// Whether Boogie finds an error within the bounds. There must be no complaint of any other kind.
pub fn finds_bug(name: &str, program: &Program, bounds: Bounds) -> bool {
    let (folder, file, text) = written(name, program, bounds);
    let line = text.lines().find_map(|line| line.strip_prefix("//   boogie ")).expect("the head says how");
    let options = line.strip_suffix(" FILE.bpl").expect("the file is the last word").split(' ');
    let mut boogie = Command::new("boogie");
    boogie.current_dir(folder).args(options).args(["/nologo", "/errorTrace:0"]).arg(&file);
    let output = boogie.output().expect("boogie is installed: apt-get install boogie z3");
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    // What Z3 says of an option that it no longer has: one line, and a list of those that it has.
    let told = |line: &&str| {
        !line.contains("unknown parameter 'model_compress'")
            && *line != "Legal parameters are:"
            && !(line.starts_with("  ") && (line.contains("(default: ") || line.ends_with("(bool)")))
            && !line.is_empty()
    };
    let lines: Vec<&str> = output.lines().filter(told).collect();
    match &lines[..] {
        ["Boogie program verifier finished with 1 verified, 0 errors"] => false,
        [error, "Boogie program verifier finished with 0 verified, 1 error"]
            if error.contains("Error BP5001") =>
        {
            true
        }
        _ => panic!("{name}: {output}\n{text}"),
    }
}
