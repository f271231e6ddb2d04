//! What the figures were taken on: the machine, the compiler and the versions that this program was built with.

use std::fs;

use crate::json::Json;

pub struct Machine {
    /// Name and value, in the order in which they are shown.
    facts: Vec<(&'static str, String)>,
}

/// The version of a package in a Cargo.lock; the file of the build is compiled in.
fn version(lock: &str, name: &str) -> String {
    let mut lines = lock.lines();
    let wanted = format!("name = \"{name}\"");
    let found = lines.any(|line| line == wanted).then(|| lines.next()).flatten();
    let version = found.and_then(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    version.unwrap_or("unknown").to_owned()
}

/// The first value that /proc/cpuinfo has under a name.
fn cpu_field(cpuinfo: &str, name: &str) -> Option<String> {
    let line =
        cpuinfo.lines().find(|line| line.split(':').next().is_some_and(|field| field.trim() == name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

impl Machine {
    pub fn this() -> Machine {
        let lock = include_str!("../../Cargo.lock");
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let cores = std::thread::available_parallelism().map_or("unknown".to_owned(), |n| n.to_string());
        let cpu = cpu_field(&read("/proc/cpuinfo"), "model name").unwrap_or_else(|| "unknown".to_owned());
        let load = read("/proc/loadavg").split(' ').next().unwrap_or("unknown").to_owned();
        Machine {
            facts: vec![
                ("cpu", cpu),
                ("cores", cores),
                ("kernel", read("/proc/sys/kernel/osrelease").trim().to_owned()),
                ("load at the start", load),
                ("compiler", env!("BENCH_RUSTC").to_owned()),
                ("target", env!("BENCH_TARGET").to_owned()),
                ("opt-level", env!("BENCH_OPT_LEVEL").to_owned()),
                ("caissa", version(lock, "caissa")),
                ("shuttle", version(lock, "shuttle")),
                ("loom", version(lock, "loom")),
                ("stateright", version(lock, "stateright")),
            ],
        }
    }

    pub fn json(&self) -> Json {
        Json::Object(self.facts.iter().map(|(name, value)| (*name, value.as_str().into())).collect())
    }
}

impl std::fmt::Display for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (name, value) in &self.facts {
            writeln!(f, "{name}: {value}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_come_from_the_lock_file() {
        let lock = "[[package]]\nname = \"loom-x\"\nversion = \"9.9.9\"\n\n[[package]]\nname = \"loom\"\nversion = \"0.7.2\"\n";
        assert_eq!(version(lock, "loom"), "0.7.2");
        assert_eq!(version(lock, "shuttle"), "unknown");
        let built = include_str!("../../Cargo.lock");
        assert!(version(built, "loom").starts_with("0.7."));
        assert!(version(built, "shuttle").starts_with("0.9."));
    }

    #[test]
    fn the_cpu_is_read_from_its_own_line() {
        let text = "processor\t: 0\nmodel\t\t: 85\nmodel name\t: Some CPU @ 2 GHz\n";
        assert_eq!(cpu_field(text, "model name").as_deref(), Some("Some CPU @ 2 GHz"));
        assert_eq!(cpu_field(text, "cache size"), None);
    }
}
