//! Who wants the session takes it, if the weak pointer still has it.

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
        let session = self.session.upgrade()?;
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
