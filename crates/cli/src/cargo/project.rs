//! What is built, where and how: the user's package, with flags that bring it under control.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use caissa_native::runtime;
use caissa_native::sysroot::{self, RustToolchain};
use cargo_metadata::cargo_platform::Cfg;
use cargo_metadata::{Metadata, MetadataCommand};

use super::config::{self, CargoConfig, profile_variables, read_file, variable};
use super::words::{Kind, Words};
use crate::Mistake;

/// What programs can be run on. Cargo is told of it by name even where it is the host, so that build scripts and macros are built as ever.
pub const TARGET: &str = "x86_64-unknown-linux-gnu";

/// A package or workspace, and how it is built.
pub struct Project {
    /// Cargo itself.
    pub cargo: OsString,
    /// What is known of its packages.
    pub metadata: Metadata,
    /// Where it is built.
    pub target_dir: PathBuf,
    /// The toolchain that builds it.
    pub toolchain: RustToolchain,
    /// Why the standard library is not under control, if it is not.
    pub plain_std: Option<String>,
    /// The flags of the user, and ours.
    flags: Vec<String>,
    /// What cargo's environment has besides.
    variables: Vec<(String, String)>,
    /// Options of the user's for cargo.
    options: Vec<OsString>,
}

impl Project {
    /// Finds out what a command line is about. `plain_std`: the standard library is to be left as it is.
    pub fn find(words: &mut Words, plain_std: bool) -> Result<Project, Mistake> {
        let cargo = variable("CARGO").unwrap_or_else(|| "cargo".into());
        let directory = std::env::current_dir()
            .map_err(|error| Mistake(format!("error: there is no current directory: {error}\n")))?;
        let toolchain =
            RustToolchain::find(&directory).map_err(|error| Mistake(format!("error: {error}\n")))?;
        if toolchain.host != TARGET {
            return Err(Mistake(format!(
                "error: this toolchain is for {}; Rust programs can be explored on {TARGET} only\n",
                toolchain.host
            )));
        }
        words.refuse(TARGET)?;
        let metadata = metadata(&cargo, words)?;
        let target_dir = match words.value("--target-dir") {
            Some(named) => directory.join(named),
            None => metadata.target_directory.clone().into_std_path_buf(),
        };
        words.take("--target-dir");
        words.take("--target");
        let runtime = runtime::directory()?;
        let (sysroot, plain_std) = if plain_std {
            (None, Some("--plain-std was given".to_owned()))
        } else {
            match sysroot::instrumented(&toolchain, &mut |text| eprintln!("caissa: {text}")) {
                Ok(sysroot) => (Some(sysroot), None),
                Err(error) => (None, Some(error.to_string())),
            }
        };
        let given: Vec<OsString> = words
            .cargo
            .iter()
            .filter(|option| option.name == "--config")
            .filter_map(|option| option.value.clone())
            .collect();
        let config = CargoConfig::read(&directory, &given, &variable)?;
        let cfgs = if config.has_conditions() { conditions(&directory) } else { Vec::new() };
        let mut flags = config.rust_flags(TARGET, &cfgs, &variable);
        if config::aborts(&flags) {
            return Err(Mistake(
                "error: the flags for rustc say panic=abort, and tests need panics that unwind\nhelp: take it out of RUSTFLAGS or .cargo/config.toml\n"
                    .to_owned(),
            ));
        }
        flags.extend(sysroot::flags(sysroot.as_deref(), &runtime));
        let manifest =
            read_file(metadata.workspace_root.join("Cargo.toml").as_std_path())?.unwrap_or_default();
        let variables = profile_variables(words.profile().as_deref(), &manifest, &config, &variable);
        let target_dir = target_dir.join("caissa");
        let options = words.all();
        Ok(Project { cargo, metadata, target_dir, toolchain, plain_std, flags, variables, options })
    }

    /// Cargo, told to do something with it.
    pub fn command(&self, verb: &str) -> Command {
        let mut command = Command::new(&self.cargo);
        command.arg(verb).args(&self.options);
        command.args(["--target", TARGET, "--target-dir"]).arg(&self.target_dir);
        command.env("CARGO_ENCODED_RUSTFLAGS", self.flags.join("\x1f"));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// The variables that `command` sets.
    pub fn set_variables(&self) -> impl Iterator<Item = &str> {
        let profiles = self.variables.iter().map(|(name, _)| name.as_str());
        std::iter::once("CARGO_ENCODED_RUSTFLAGS").chain(profiles)
    }

    /// What to do about a build that has failed, beside what cargo has said.
    pub fn build_failed(&self) -> Mistake {
        let mut text = "error: it could not be built; cargo says why above\n".to_owned();
        let library = self.toolchain.sysroot.join("lib/rustlib").join(TARGET).join("lib");
        let has_std = std::fs::read_dir(library).is_ok_and(|mut files| {
            files.any(|file| file.is_ok_and(|file| file.file_name().to_string_lossy().starts_with("libstd-")))
        });
        if !has_std {
            text.push_str(&format!(
                "help: the toolchain has no standard library for {TARGET}: rustup target add {TARGET}\n"
            ));
        } else if !self.flags.iter().any(|flag| flag.contains("linker=")) && !is_on_path("cc") {
            text.push_str(
                "help: there is no linker `cc`: apt install gcc (Debian, Ubuntu), dnf install gcc (Fedora)\n",
            );
        }
        Mistake(text)
    }
}

fn metadata(cargo: &OsString, words: &Words) -> Result<Metadata, Mistake> {
    let options = words.of(&[Kind::Everywhere]);
    let options: Vec<String> = options.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let mut command = MetadataCommand::new();
    command.cargo_path(cargo).no_deps().other_options(options);
    command.exec().map_err(|error| match error {
        cargo_metadata::Error::CargoMetadata { stderr } => Mistake(stderr),
        error => Mistake(format!("error: cargo does not say what is here: {error}\n")),
    })
}

/// What holds for the target, as rustc knows it.
fn conditions(directory: &Path) -> Vec<Cfg> {
    let rustc = variable("RUSTC").unwrap_or_else(|| "rustc".into());
    let output =
        Command::new(rustc).args(["--print", "cfg", "--target", TARGET]).current_dir(directory).output();
    let Ok(output) = output else { return Vec::new() };
    String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| line.parse().ok()).collect()
}

fn is_on_path(program: &str) -> bool {
    let path = variable("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
}
