//! Barriers.

use std::ffi::{c_int, c_uint, c_void};

use caissa_core::class::Access;
use caissa_core::{ObjectKind, OpKind};

use super::stubs;
use crate::memory::How;
use crate::real::real;
use crate::rt::Rt;

type Barrier = *mut libc::pthread_barrier_t;

stubs! {
    pthread_barrier_init/3 => init,
    pthread_barrier_destroy/1 => destroy,
    pthread_barrier_wait/1 => wait,
}

extern "C-unwind" fn init(barrier: Barrier, attributes: *const c_void, count: c_uint, pc: usize) -> c_int {
    let result = real!(pthread_barrier_init(barrier => Barrier, attributes => *const c_void, count => c_uint) -> c_int);
    if let Some(rt) = Rt::enter()
        && result == 0
    {
        rt.access(barrier as usize, size_of::<libc::pthread_barrier_t>(), How::Write, pc);
        let object = rt.object(ObjectKind::Barrier, barrier as usize);
        let state = &mut rt.state().objects[object];
        state.renew();
        state.queue.clear();
        state.count = count;
    }
    result
}

extern "C-unwind" fn destroy(barrier: Barrier, pc: usize) -> c_int {
    let Some(rt) = Rt::enter() else { return real!(pthread_barrier_destroy(barrier => Barrier) -> c_int) };
    rt.access(barrier as usize, size_of::<libc::pthread_barrier_t>(), How::Write, pc);
    let object = rt.object(ObjectKind::Barrier, barrier as usize);
    let state = &mut rt.state().objects[object];
    if let Some(waiter) = state.queue.first() {
        rt.fail("destroyed", format!("destroys a barrier at which {waiter} waits"), pc);
    }
    state.count = 0;
    0
}

extern "C-unwind" fn wait(barrier: Barrier, pc: usize) -> c_int {
    let Some(rt) = Rt::enter() else { return real!(pthread_barrier_wait(barrier => Barrier) -> c_int) };
    let object = rt.object(ObjectKind::Barrier, barrier as usize);
    rt.point(rt.op(OpKind::Arrive, object), pc);
    rt.use_object(object, pc);
    if rt.state().objects[object].count == 0 {
        rt.fail("destroyed", "waits at a barrier that was destroyed, or never initialised".to_owned(), pc);
    }
    let me = rt.me();
    let state = &mut rt.state().objects[object];
    state.queue.push(me);
    let last = state.queue.len() as u32 >= state.count;
    if last {
        state.queue.clear();
    }
    rt.touch(object, Access::Write);
    rt.refresh(object);
    if last {
        return libc::PTHREAD_BARRIER_SERIAL_THREAD;
    }
    rt.point_on(rt.op(OpKind::Leave, object), pc);
    rt.touch(object, Access::Write);
    0
}
