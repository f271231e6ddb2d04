//! Who waits until the service is ready subscribes and waits for a change, but the change may have been
//! before it subscribed (tokio).

use tokio::sync::watch;

pub struct Service {
    ready: watch::Sender<bool>,
}

impl Service {
    pub fn new() -> Self {
        Service { ready: watch::Sender::new(false) }
    }

    pub fn start(&self) {
        self.ready.send_replace(true);
    }

    pub async fn until_ready(&self) -> bool {
        let mut ready = self.ready.subscribe();
        ready.changed().await.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pollster::block_on;
    use std::thread;

    #[test]
    fn it_gets_ready() {
        let service = Service::new();
        thread::scope(|s| {
            s.spawn(|| service.start());
            assert!(block_on(service.until_ready()));
        });
    }
}
