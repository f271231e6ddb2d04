//! Who wants the session asks the weak pointer whether it is still there, and then takes it: it may have
//! ended in between.

use std::sync::{Arc, Weak};

pub struct Session {
    pub user: &'static str,
}

pub struct Handle {
    session: Weak<Session>,
}

impl Handle {
    pub fn of(session: &Arc<Session>) -> Self {
        Handle { session: Arc::downgrade(session) }
    }

    pub fn user(&self) -> Option<&'static str> {
        if self.session.strong_count() == 0 {
            return None;
        }
        let session = self.session.upgrade().expect("it has not ended");
        Some(session.user)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn session_while_it_ends() {
        let session = Arc::new(Session { user: "Ann" });
        let handle = Handle::of(&session);
        thread::scope(|s| {
            s.spawn(move || drop(session));
            assert!(matches!(handle.user(), None | Some("Ann")));
        });
    }
}
