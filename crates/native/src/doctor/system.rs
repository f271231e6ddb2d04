//! What the processor and the kernel can do.

use super::State;
use super::machine::Machine;

/// In the auxiliary vector: the second word of what the processor can do.
const AT_HWCAP2: u64 = 26;

/// Programs may use `wrfsbase` and its like.
const HWCAP2_FSGSBASE: u64 = 1 << 1;

/// The first kernel that lets programs use them.
const FSGSBASE_SINCE: (u32, u32) = (5, 9);

/// The first kernel with `memfd_create`.
const MEMFD_SINCE: (u32, u32) = (3, 17);

pub(super) fn system(machine: &Machine) -> State {
    match machine.target {
        ("linux", "x86_64") => State::Ok("Linux on x86-64".to_owned()),
        (system, processor) => State::missing(format!(
            "This is {system} on {processor}; native programs can be checked on Linux on x86-64 only. Use such a machine, also a virtual one. \
             Models and the Rust library work here"
        )),
    }
}

/// The kernel's version, as it says and as numbers.
fn version(machine: &Machine) -> Option<(String, (u32, u32))> {
    let text = machine.text("proc/sys/kernel/osrelease")?;
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    let numbers = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    Some((text, numbers))
}

pub(super) fn kernel(machine: &Machine) -> State {
    let Some((text, numbers)) = version(machine) else {
        return State::degraded("its version is not known, for /proc cannot be read", "Mount /proc");
    };
    if numbers < FSGSBASE_SINCE {
        let (major, minor) = FSGSBASE_SINCE;
        return State::missing(format!("This is Linux {text}. Use Linux {major}.{minor} or later"));
    }
    State::Ok(text)
}

pub(super) fn fsgsbase(machine: &Machine) -> State {
    let Some(vector) = machine.bytes("proc/self/auxv") else {
        return State::degraded(
            "it is not known whether there is any, for /proc/self/auxv cannot be read",
            "Mount /proc",
        );
    };
    let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().expect("eight bytes"));
    let entries = vector.chunks_exact(16).map(|entry| (word(&entry[..8]), word(&entry[8..])));
    let capabilities = entries.into_iter().find(|&(kind, _)| kind == AT_HWCAP2).map_or(0, |(_, value)| value);
    if capabilities & HWCAP2_FSGSBASE != 0 {
        return State::Ok("programs can switch between threads by themselves".to_owned());
    }
    State::missing(
        "Programs cannot switch between threads by themselves. That takes a processor of 2012 or later and Linux 5.9 or later, not started with \
         `nofsgsbase`; for a virtual machine, pass the processor's features on to it",
    )
}

pub(super) fn seccomp(machine: &Machine) -> State {
    let status = machine.text("proc/self/status").unwrap_or_default();
    let mode = status.lines().find_map(|line| line.strip_prefix("Seccomp:")).map(str::trim);
    let actions = machine.text("proc/sys/kernel/seccomp/actions_avail");
    match (mode, actions) {
        (Some(mode), Some(actions)) if actions.split(' ').any(|action| action == "trap") => {
            State::Ok(match mode {
                "0" => "available".to_owned(),
                _ => "available; a filter is in force already, as in a container".to_owned(),
            })
        }
        _ => State::degraded(
            "the kernel has no filters for system calls, so that those that cannot be controlled go unnoticed",
            "Use a kernel with CONFIG_SECCOMP_FILTER",
        ),
    }
}

pub(super) fn memfd(machine: &Machine) -> State {
    match version(machine) {
        Some((_, numbers)) if numbers < MEMFD_SINCE => {
            State::missing("There are no files in memory. Use Linux 3.17 or later")
        }
        Some(_) => State::Ok("available".to_owned()),
        None => State::degraded(
            "it is not known whether there are files in memory, for /proc cannot be read",
            "Mount /proc",
        ),
    }
}

pub(super) fn ptrace(machine: &Machine) -> State {
    let scope = machine.text("proc/sys/kernel/yama/ptrace_scope");
    let remedy = "To debug a failing schedule: `sysctl kernel.yama.ptrace_scope=1`, as root";
    match scope.as_deref() {
        None | Some("0") => State::Ok("not restricted".to_owned()),
        Some("1") => State::Ok("a debugger can debug what it has started".to_owned()),
        Some("2") => State::degraded("only an administrator can debug programs (ptrace_scope is 2)", remedy),
        Some(scope) => State::degraded(
            format!("nobody can debug programs (ptrace_scope is {scope})"),
            "It stays so until the next start of the machine: set kernel.yama.ptrace_scope to 1 in /etc/sysctl.d",
        ),
    }
}
