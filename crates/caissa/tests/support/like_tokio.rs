//! Compares `future::sync` with tokio's `sync`.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// A test that runs the same code with tokio's `sync`, with ours outside a check, and with ours under every schedule of a
/// check. All must give the same.
macro_rules! like_tokio {
    ($name:ident -> $result:ty $body:block) => {
        #[test]
        fn $name() {
            #[allow(unused_imports)]
            fn tokio_does() -> $result {
                use caissa::future::{block_on, spawn};
                use tokio::sync;
                $body
            }
            #[allow(unused_imports)]
            fn caissa_does() -> $result {
                use caissa::future::{block_on, spawn, sync};
                $body
            }
            let expected = tokio_does();
            assert_eq!(caissa_does(), expected, "outside a check");
            assert_eq!(
                $crate::support::types_outcomes::outcomes(caissa_does),
                [expected].into(),
                "inside a check"
            );
        }
    };
}

/// A pinned future that can be polled once at a time.
pub struct Polled<F>(Pin<Box<F>>);

pub fn polled<F: Future>(future: F) -> Polled<F> {
    Polled(Box::pin(future))
}

impl<F: Future> Polled<F> {
    pub fn poll(&mut self) -> Option<F::Output> {
        match self.0.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        }
    }

    pub fn is_pending(&mut self) -> bool {
        self.poll().is_none()
    }
}
