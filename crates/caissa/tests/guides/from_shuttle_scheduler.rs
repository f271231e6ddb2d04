use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::{Builder, Delaying, TaskId, TaskSet, thread};

/// The task that was given last runs first; delayed ones come last.
#[derive(Clone, Default)]
struct Stack {
    tasks: Vec<TaskId>,
}

impl Delaying for Stack {
    fn reset(&mut self) {
        self.tasks.clear();
    }

    fn give(&mut self, task: TaskId, _fresh: bool) {
        self.tasks.push(task);
    }

    fn take(&mut self, enabled: &TaskSet) -> Option<TaskId> {
        let place = self.tasks.iter().rposition(|task| enabled.contains(*task))?;
        Some(self.tasks.remove(place))
    }

    fn delay(&mut self, task: TaskId) {
        self.tasks.insert(0, task);
    }
}

#[test]
fn a_scheduler_of_ones_own() {
    let builder = Builder::new().register_scheduler("stack", Stack::default).scheduler("stack").delays(2);
    builder.check(|| {
        let counter = AtomicUsize::new(0);
        thread::scope(|scope| {
            scope.spawn(|| counter.fetch_add(1, SeqCst));
            scope.spawn(|| counter.fetch_add(1, SeqCst));
        });
        assert_eq!(counter.load(SeqCst), 2);
    });
}
