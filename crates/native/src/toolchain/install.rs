//! How missing programs are installed on the systems that most people use.

/// What can be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Package {
    /// GNU's C compiler, with what it needs to compile a program.
    Gcc,
    /// GNU's C++ compiler.
    Gxx,
    /// LLVM's compilers for both.
    Clang,
    /// The debugger.
    Gdb,
    /// `setarch`.
    UtilLinux,
}

/// A family of systems, with how it installs something.
struct System {
    /// What `/etc/os-release` calls its members.
    ids: &'static [&'static str],
    name: &'static str,
    command: &'static str,
}

const SYSTEMS: [System; 3] = [
    System { ids: &["debian", "ubuntu"], name: "Debian, Ubuntu", command: "apt-get install" },
    System { ids: &["fedora", "rhel", "centos"], name: "Fedora", command: "dnf install" },
    System { ids: &["arch", "manjaro"], name: "Arch", command: "pacman -S" },
];

impl Package {
    /// What it is called by each of the systems.
    fn names(self) -> [&'static str; 3] {
        match self {
            Package::Gcc => ["gcc libc6-dev", "gcc", "gcc"],
            Package::Gxx => ["g++", "gcc-c++", "gcc"],
            Package::Clang => ["clang", "clang", "clang"],
            Package::Gdb => ["gdb", "gdb", "gdb"],
            Package::UtilLinux => ["util-linux", "util-linux", "util-linux"],
        }
    }
}

/// The command that installs a package on the system that `os_release` describes; on all systems if it is none of them.
pub(crate) fn how_to_install(package: Package, os_release: &str) -> String {
    let names = package.names();
    let known = SYSTEMS.iter().zip(names).find(|(system, _)| is_of(os_release, system.ids));
    match known {
        Some((system, name)) => format!("`{} {name}`", system.command),
        None => {
            let ways = SYSTEMS.iter().zip(names);
            let ways = ways.map(|(system, name)| format!("`{} {name}` ({})", system.command, system.name));
            ways.collect::<Vec<_>>().join(", ")
        }
    }
}

/// Whether the system is one of those, or says that it is like them.
fn is_of(os_release: &str, ids: &[&str]) -> bool {
    let values =
        os_release.lines().filter_map(|line| line.strip_prefix("ID=").or(line.strip_prefix("ID_LIKE=")));
    values.flat_map(|value| value.trim_matches(['"', '\'']).split(' ')).any(|id| ids.contains(&id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_system_has_its_command() {
        for (os_release, command) in [
            ("NAME=x\nID=debian\n", "`apt-get install g++`"),
            ("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", "`apt-get install g++`"),
            ("ID=fedora\n", "`dnf install gcc-c++`"),
            ("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "`dnf install gcc-c++`"),
            ("ID=arch\n", "`pacman -S gcc`"),
        ] {
            assert_eq!(how_to_install(Package::Gxx, os_release), command);
        }
        let all = how_to_install(Package::Clang, "ID=alpine\n");
        assert_eq!(
            all,
            "`apt-get install clang` (Debian, Ubuntu), `dnf install clang` (Fedora), `pacman -S clang` (Arch)"
        );
    }
}
