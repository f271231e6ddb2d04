//! Building tests: cargo does it, and tells what came of it.

use std::ffi::OsString;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cargo_metadata::{Artifact, BuildScript, Message, Package, PackageId, Target, TargetKind};
use serde::{Deserialize, Serialize};
use toml::Table;

use super::config::{find, read_file, variable};
use super::project::{Project, TARGET};
use crate::Mistake;

/// How often it is looked whether cargo has ended.
const TICK: Duration = Duration::from_millis(5);

/// Cargo has so long to end when this process was interrupted.
const GRACE: Duration = Duration::from_secs(3);

/// Set by whoever interrupts this process.
pub type Interrupted = Option<&'static AtomicBool>;

/// A test executable.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Binary {
    /// The executable.
    pub program: PathBuf,
    /// The package that it belongs to.
    pub package: String,
    /// The same, as cargo knows it.
    pub package_id: PackageId,
    /// The target in it.
    pub target: String,
    /// As cargo calls it: `unittests src/lib.rs`.
    pub title: String,
    /// What chooses it on a command line: `--lib`, `--test NAME`.
    pub selection: Vec<String>,
    /// Whether it was built for the compiler to use, as macros are, and so without our flags.
    pub is_of_host: bool,
    /// Whether its tests are run by Rust's own harness.
    pub has_harness: bool,
    /// The directory that it is run in: that of its package.
    pub directory: PathBuf,
    /// What its environment has besides.
    pub environment: Vec<(OsString, OsString)>,
}

/// Kinds of targets, in the order in which their tests are run, with what chooses them.
const KINDS: [(&str, &str); 5] =
    [("lib", "--lib"), ("bin", "--bin"), ("example", "--example"), ("test", "--test"), ("bench", "--bench")];

fn kind_of(target: &Target) -> usize {
    let is = |kind: &TargetKind| match kind {
        TargetKind::Bin => 1,
        TargetKind::Example => 2,
        TargetKind::Test => 3,
        TargetKind::Bench => 4,
        _ => 0,
    };
    target.kind.first().map_or(0, is)
}

/// What cargo has built.
#[derive(Default)]
struct Made {
    tests: Vec<Artifact>,
    programs: Vec<Artifact>,
    scripts: Vec<BuildScript>,
}

impl Made {
    /// Reads what cargo tells.
    fn read(output: ChildStdout) -> std::io::Result<Made> {
        let mut made = Made::default();
        for message in Message::parse_stream(BufReader::new(output)) {
            match message? {
                Message::CompilerArtifact(artifact) if artifact.executable.is_some() => {
                    let list = if artifact.profile.test { &mut made.tests } else { &mut made.programs };
                    list.push(artifact);
                }
                Message::BuildScriptExecuted(script) => made.scripts.push(script),
                Message::TextLine(line) => super::print(&format!("{line}\n")),
                _ => {}
            }
        }
        Ok(made)
    }
}

/// Waits for cargo. If somebody interrupts this it is ended in the end, and there is no status: usually it has heard of it too.
pub fn wait(child: &mut Child, interrupted: Interrupted) -> std::io::Result<Option<ExitStatus>> {
    let mut since: Option<Instant> = None;
    loop {
        let ended = child.try_wait()?;
        if interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            let since = *since.get_or_insert_with(Instant::now);
            if ended.is_some() {
                return Ok(None);
            }
            if since.elapsed() > GRACE {
                child.kill()?;
            }
        } else if ended.is_some() {
            return Ok(ended);
        }
        std::thread::sleep(TICK);
    }
}

/// Builds the tests of a project. They come in an order of their own, whatever was built first. There are none if this was interrupted.
pub fn tests(project: &Project, interrupted: Interrupted) -> Result<Option<Vec<Binary>>, Mistake> {
    let mut command = project.command("test");
    command.args(["--no-run", "--message-format=json-render-diagnostics"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let cannot = |error: std::io::Error| Mistake(format!("error: cargo cannot be run: {error}\n"));
    let mut child = command.spawn().map_err(cannot)?;
    let output = child.stdout.take().expect("it is piped");
    let reader = std::thread::spawn(|| Made::read(output));
    let status = wait(&mut child, interrupted).map_err(cannot)?;
    let made = reader.join().expect("it only reads").map_err(cannot)?;
    let Some(status) = status else { return Ok(None) };
    if !status.success() {
        return Err(project.build_failed());
    }
    let mut binaries: Vec<((String, usize, String), Binary)> = Vec::new();
    for artifact in &made.tests {
        let binary = binary(project, artifact, &made)?;
        binaries.push(((binary.package.clone(), kind_of(&artifact.target), binary.target.clone()), binary));
    }
    binaries.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(Some(binaries.into_iter().map(|(_, binary)| binary).collect()))
}

fn binary(project: &Project, artifact: &Artifact, made: &Made) -> Result<Binary, Mistake> {
    let executable = artifact.executable.clone().expect("only those are kept").into_std_path_buf();
    let manifest_path = artifact.manifest_path.as_std_path();
    let directory = manifest_path.parent().unwrap_or(Path::new("/")).to_path_buf();
    let manifest = read_file(manifest_path)?.unwrap_or_default();
    let package = project.metadata.packages.iter().find(|package| package.id == artifact.package_id);
    let name = package.map(|package| package.name.to_string());
    let name = name.or_else(|| Some(find(&manifest, &["package", "name"])?.as_str()?.to_owned()));
    let kind = kind_of(&artifact.target);
    let target = artifact.target.name.clone();
    let source = artifact.target.src_path.as_std_path();
    let source = source.strip_prefix(&directory).unwrap_or(source).display();
    Ok(Binary {
        package: name.unwrap_or_default(),
        package_id: artifact.package_id.clone(),
        title: if kind < 2 { format!("unittests {source}") } else { source.to_string() },
        selection: match KINDS[kind] {
            ("lib", option) => vec![option.to_owned()],
            (_, option) => vec![option.to_owned(), target.clone()],
        },
        is_of_host: !executable.iter().any(|part| part == TARGET),
        has_harness: has_harness(&manifest, KINDS[kind].0, &target),
        environment: environment(project, artifact, package, &executable, made),
        program: executable,
        target,
        directory,
    })
}

/// Whether a target has Rust's own harness, by its manifest: cargo does not tell.
fn has_harness(manifest: &Table, kind: &str, target: &str) -> bool {
    let says = |table: &Table| table.get("harness").and_then(toml::Value::as_bool).unwrap_or(true);
    match manifest.get(kind) {
        Some(toml::Value::Table(library)) => says(library),
        Some(toml::Value::Array(targets)) => {
            let tables = targets.iter().filter_map(toml::Value::as_table);
            let mut named =
                tables.filter(|table| table.get("name").and_then(toml::Value::as_str) == Some(target));
            named.next().is_none_or(says)
        }
        _ => true,
    }
}

/// What cargo sets for tests that it runs.
fn environment(
    project: &Project,
    artifact: &Artifact,
    package: Option<&Package>,
    executable: &Path,
    made: &Made,
) -> Vec<(OsString, OsString)> {
    let mut all: Vec<(OsString, OsString)> = vec![
        ("CARGO".into(), project.cargo.clone()),
        ("RUST_BACKTRACE".into(), "0".into()),
        ("LD_LIBRARY_PATH".into(), library_path(project, executable, made)),
        ("CARGO_MANIFEST_PATH".into(), artifact.manifest_path.clone().into_os_string()),
        (
            "CARGO_MANIFEST_DIR".into(),
            artifact.manifest_path.parent().map(|path| path.as_os_str().to_owned()).unwrap_or_default(),
        ),
    ];
    let mut set = |name: &str, value: &str| all.push((name.into(), value.into()));
    if let Some(package) = package {
        package_variables(package, &mut set);
    }
    for program in &made.programs {
        if program.package_id == artifact.package_id
            && let (Some(path), 1) = (&program.executable, kind_of(&program.target))
        {
            set(&format!("CARGO_BIN_EXE_{}", program.target.name), path.as_str());
        }
    }
    for script in made.scripts.iter().filter(|script| script.package_id == artifact.package_id) {
        set("OUT_DIR", script.out_dir.as_str());
        script.env.iter().for_each(|(name, value)| set(name, value));
    }
    all
}

fn package_variables(package: &Package, set: &mut dyn FnMut(&str, &str)) {
    let version = &package.version;
    let path = |path: &Option<cargo_metadata::camino::Utf8PathBuf>| {
        path.as_ref().map_or(String::new(), ToString::to_string)
    };
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let variables = [
        ("NAME", package.name.to_string()),
        ("VERSION", version.to_string()),
        ("VERSION_MAJOR", version.major.to_string()),
        ("VERSION_MINOR", version.minor.to_string()),
        ("VERSION_PATCH", version.patch.to_string()),
        ("VERSION_PRE", version.pre.to_string()),
        ("AUTHORS", package.authors.join(":")),
        ("DESCRIPTION", text(&package.description)),
        ("HOMEPAGE", text(&package.homepage)),
        ("REPOSITORY", text(&package.repository)),
        ("LICENSE", text(&package.license)),
        ("LICENSE_FILE", path(&package.license_file)),
        ("README", path(&package.readme)),
        ("RUST_VERSION", package.rust_version.as_ref().map_or(String::new(), ToString::to_string)),
    ];
    for (name, value) in variables {
        set(&format!("CARGO_PKG_{name}"), &value);
    }
}

/// Where libraries are found: those of build scripts, those that were built, those of the toolchain, and the user's.
fn library_path(project: &Project, executable: &Path, made: &Made) -> OsString {
    let mut paths: Vec<PathBuf> = Vec::new();
    for script in &made.scripts {
        // They may begin with a kind, as in native=/a/b.
        let linked = script.linked_paths.iter().map(|path| path.as_str());
        let linked = linked.map(|path| Path::new(path.split_once('=').map_or(path, |(_, path)| path)));
        // The system's own are found anyway.
        let is_built = |path: &&Path| {
            path.starts_with(&project.target_dir) || path.starts_with(script.out_dir.as_std_path())
        };
        paths.extend(linked.filter(is_built).map(Path::to_path_buf));
    }
    let directory = executable.parent().unwrap_or(Path::new("/"));
    paths.push(directory.to_path_buf());
    paths.extend(directory.parent().map(Path::to_path_buf));
    paths.push(project.toolchain.sysroot.join("lib/rustlib").join(TARGET).join("lib"));
    let own = variable("LD_LIBRARY_PATH").unwrap_or_default();
    paths.extend(std::env::split_paths(&own).filter(|path| !path.as_os_str().is_empty()));
    let mut seen: Vec<PathBuf> = Vec::new();
    for path in paths {
        if !seen.contains(&path) {
            seen.push(path);
        }
    }
    std::env::join_paths(seen).unwrap_or_default()
}
