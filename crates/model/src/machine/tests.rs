//! Each rule by itself. What they come to together is compared with a transcription of the paper's rules in `tests/agree.rs`.

use super::rules::{Buffer, Config, Scope, Tasks};

/// Task t has level `levels[t]`.
struct Fixed {
    levels: Vec<u32>,
    blocked: Vec<u32>,
    serial: Vec<u32>,
}

impl Tasks for Fixed {
    fn level(&self, task: u32) -> u32 {
        self.levels[task as usize]
    }

    fn is_blocked(&self, task: u32) -> bool {
        self.blocked.contains(&task)
    }

    fn is_serial(&self, level: u32) -> bool {
        self.serial.contains(&level)
    }
}

fn tasks(levels: &[u32]) -> Fixed {
    Fixed { levels: levels.to_vec(), blocked: Vec::new(), serial: Vec::new() }
}

/// A configuration: for each buffer its active and its pending tasks.
fn config(buffers: &[(&[u32], &[u32])]) -> Config {
    let buffers = buffers
        .iter()
        .map(|(active, pending)| Buffer { active: active.to_vec(), pending: pending.to_vec() })
        .collect();
    Config { buffers }
}

fn candidates(config: &Config, tasks: &Fixed, scope: Scope) -> Vec<u32> {
    let mut all = Vec::new();
    config.candidates(tasks, scope, &mut |_, task| all.push(task));
    all.sort_unstable();
    all
}

#[test]
fn post_waits_at_the_same_level_and_interrupts_at_a_higher_one() {
    let tasks = tasks(&[1, 1, 0, 2]);
    let mut config = config(&[(&[0], &[])]);
    assert!(!config.post(&tasks, 0, 1), "the same level");
    assert!(!config.post(&tasks, 0, 2), "a lower level");
    assert_eq!(config.buffers[0].pending, [1, 2]);
    assert!(config.post(&tasks, 0, 3), "a higher level");
    config.dispatch(0, 3);
    assert_eq!((&config.buffers[0].active[..], &config.buffers[0].pending[..]), (&[0, 3][..], &[1, 2][..]));
}

#[test]
fn dispatch_takes_a_task_of_the_highest_pending_level() {
    let tasks = tasks(&[0, 1, 1]);
    let mut config = config(&[(&[], &[0, 1, 2])]);
    assert_eq!(candidates(&config, &tasks, Scope::Buffer(0)), [1, 2]);
    config.go_on(&tasks, 0, 2);
    assert_eq!(config.buffers[0].active, [2]);
    assert_eq!(candidates(&config, &tasks, Scope::Buffer(0)), [2], "the others wait for its end");
}

#[test]
fn a_lone_task_of_a_higher_level_is_dispatched() {
    // As printed, Fig. 4 never dispatches it: `top` does not count the task itself.
    let tasks = tasks(&[0, 1]);
    assert_eq!(candidates(&config(&[(&[0], &[1])]), &tasks, Scope::Buffer(0)), [1]);
}

#[test]
fn resume_goes_back_to_what_was_interrupted() {
    let tasks = tasks(&[0, 1, 0]);
    let mut config = config(&[(&[0, 1], &[2])]);
    config.resume(0);
    assert_eq!(config.scope_at_end(&tasks, 0), Scope::Buffer(0));
    assert_eq!(candidates(&config, &tasks, Scope::Buffer(0)), [0], "a pending task of its level waits");
}

#[test]
fn a_buffer_with_nothing_left_passes_control_on() {
    let tasks = tasks(&[0, 0]);
    let mut config = config(&[(&[0], &[]), (&[], &[1])]);
    config.resume(0);
    assert_eq!(config.scope_at_end(&tasks, 0), Scope::All);
    assert_eq!(candidates(&config, &tasks, Scope::All), [1]);
    assert!(!config.is_terminated());
}

#[test]
fn yield_lets_tasks_of_the_level_go_on() {
    let tasks = tasks(&[1, 1, 0]);
    let mut config = config(&[(&[0], &[1, 2])]);
    assert!(config.yield_(&tasks, 0));
    assert_eq!(candidates(&config, &tasks, Scope::Buffer(0)), [0, 1], "a lower level waits");
}

#[test]
fn yield_does_nothing_at_a_serial_level() {
    let tasks = Fixed { serial: vec![1], ..tasks(&[1, 1]) };
    let mut config = config(&[(&[0], &[1])]);
    assert!(!config.yield_(&tasks, 0));
    assert_eq!(candidates(&config, &tasks, Scope::Buffer(0)), [0]);
}

#[test]
fn zield_lets_other_buffers_go_on() {
    let tasks = tasks(&[0, 0, 0, 1]);
    // The first buffer's task has zielded; the second buffer has a task of a higher level to dispatch.
    let config = config(&[(&[0], &[1]), (&[2], &[3])]);
    assert_eq!(candidates(&config, &tasks, Scope::All), [0, 3]);
}

#[test]
fn block_gives_the_place_up() {
    let tasks = Fixed { blocked: vec![0], ..tasks(&[0, 0, 0]) };
    let mut config = config(&[(&[0], &[1]), (&[], &[2])]);
    config.block(&tasks);
    assert_eq!(config.buffers[0].active, []);
    assert_eq!(candidates(&config, &tasks, Scope::All), [1, 2]);
}

#[test]
fn block_keeps_the_place_at_a_serial_level() {
    let tasks = Fixed { blocked: vec![0], serial: vec![0], ..tasks(&[0, 0, 0]) };
    let mut config = config(&[(&[0], &[1]), (&[], &[2])]);
    config.block(&tasks);
    assert_eq!(config.buffers[0].active, [0]);
    assert_eq!(candidates(&config, &tasks, Scope::All), [2], "its buffer waits with it");
}

#[test]
fn a_blocked_task_of_a_high_level_keeps_lower_levels_waiting() {
    let tasks = Fixed { blocked: vec![1], ..tasks(&[0, 1, 0]) };
    let mut config = config(&[(&[0, 1], &[]), (&[], &[2])]);
    config.block(&tasks);
    assert_eq!(config.buffers[0].pending, [1]);
    assert_eq!(candidates(&config, &tasks, Scope::All), [2]);
    let able = Fixed { blocked: Vec::new(), ..tasks };
    assert_eq!(candidates(&config, &able, Scope::All), [1, 2], "and goes on first when it can");
}

#[test]
fn no_candidate_is_below_a_pending_or_active_level() {
    // Every configuration of four tasks on three levels in one buffer: only tasks of the highest level go on.
    for code in 0..3u32.pow(4) * 16 {
        let levels: Vec<u32> = (0..4).map(|task| code / 16 / 3u32.pow(task) % 3).collect();
        let tasks = tasks(&levels);
        let (mut active, mut pending) = (Vec::new(), Vec::new());
        for task in 0..4 {
            let above = active.last().is_none_or(|&top: &u32| tasks.level(task) > tasks.level(top));
            if code >> task & 1 == 1 && above { active.push(task) } else { pending.push(task) }
        }
        let config = config(&[(&active, &pending)]);
        let highest = levels.iter().max().copied();
        for task in candidates(&config, &tasks, Scope::All) {
            assert_eq!(Some(tasks.level(task)), highest, "{levels:?} {active:?} {pending:?}");
        }
    }
}
