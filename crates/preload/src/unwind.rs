//! Stacks: looking at them, for reports and seals, and unwinding them when a thread exits.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};

use crate::code::KnownCode;
use crate::modules::Ranges;
use crate::rt::Rt;

/// No more frames than this are kept.
const DEEPEST: usize = 64;
/// After so many stacks no more are told apart.
const MOST_STACKS: usize = 100_000;

/// Stacks that were met in an execution, numbered from 1.
#[derive(Debug, Default)]
pub(crate) struct Stacks {
    numbers: BTreeMap<Vec<u64>, u32>,
    pub(crate) list: Vec<Vec<u64>>,
}

impl Stacks {
    pub(crate) fn clear(&mut self) {
        self.numbers.clear();
        self.list.clear();
    }

    fn number(&mut self, stack: Vec<u64>) -> u32 {
        if let Some(&number) = self.numbers.get(&stack) {
            return number;
        }
        if self.list.len() >= MOST_STACKS {
            return 0;
        }
        self.list.push(stack.clone());
        let number = self.list.len() as u32;
        self.numbers.insert(stack, number);
        number
    }
}

/// The unwinder's own, for a frame.
#[repr(C)]
pub(crate) struct UnwindContext(c_void);

type Context = UnwindContext;

type Trace = extern "C-unwind" fn(*mut Context, *mut c_void) -> c_int;
type Stop = extern "C-unwind" fn(c_int, c_int, u64, *mut Exception, *mut Context, *mut c_void) -> c_int;

/// What unwinds a stack that is given up.
#[derive(Debug, Default)]
#[repr(C, align(16))]
pub(crate) struct Exception {
    class: u64,
    cleanup: Option<extern "C-unwind" fn(c_int, *mut Exception)>,
    private: [u64; 2],
}

impl Exception {
    /// Who has made it.
    pub(crate) fn class(&self) -> u64 {
        self.class
    }
}

unsafe extern "C-unwind" {
    fn _Unwind_Backtrace(trace: Trace, argument: *mut c_void) -> c_int;
    fn _Unwind_GetIP(context: *mut Context) -> usize;
    fn _Unwind_GetCFA(context: *mut Context) -> usize;
    fn _Unwind_ForcedUnwind(exception: *mut Exception, stop: Stop, argument: *mut c_void) -> c_int;
}

const GOES_ON: c_int = 0;
const ENDS: c_int = 5;
/// The stack is at its end.
const AT_END: c_int = 16;

extern "C-unwind" fn collect(context: *mut Context, frames: *mut c_void) -> c_int {
    // SAFETY: the list that the caller has given.
    let frames = unsafe { &mut *frames.cast::<Vec<u64>>() };
    // SAFETY: the unwinder's own.
    let address = unsafe { _Unwind_GetIP(context) };
    if address == 0 || frames.len() >= 2 * DEEPEST {
        return ENDS;
    }
    frames.push(address as u64);
    GOES_ON
}

/// The return addresses on the running stack, those of the runtime included.
pub(crate) fn all_frames() -> Vec<u64> {
    let mut frames: Vec<u64> = Vec::with_capacity(2 * DEEPEST);
    // SAFETY: the list outlives the call.
    unsafe { _Unwind_Backtrace(collect, (&raw mut frames).cast()) };
    frames
}

/// The return addresses on the running stack, from one of them on.
fn frames(pc: usize) -> Vec<u64> {
    let mut frames = all_frames();
    // Where a signal came the address is that of the instruction itself.
    let start = frames.iter().position(|&frame| frame == pc as u64 || frame + 1 == pc as u64);
    match start {
        Some(start) => {
            frames.drain(..start);
            frames.truncate(DEEPEST);
            frames
        }
        None => vec![pc as u64],
    }
}

/// Where a frame lies on its stack.
pub(crate) fn frame_of(context: *mut UnwindContext) -> usize {
    // SAFETY: the unwinder's own.
    unsafe { _Unwind_GetCFA(context) }
}

/// Where the innermost frame lies that is in this code; at the end of everything if there is none.
pub(crate) fn innermost_in(code: &Ranges) -> usize {
    struct Looking<'a> {
        code: &'a Ranges,
        innermost: usize,
    }
    extern "C-unwind" fn look(context: *mut Context, looking: *mut c_void) -> c_int {
        // SAFETY: what the caller has given.
        let looking = unsafe { &mut *looking.cast::<Looking<'_>>() };
        // SAFETY: the unwinder's own.
        let address = unsafe { _Unwind_GetIP(context) };
        if address == 0 {
            return ENDS;
        }
        if looking.code.contain_call(address) {
            looking.innermost = frame_of(context);
            return ENDS;
        }
        GOES_ON
    }
    let mut looking = Looking { code, innermost: usize::MAX };
    // SAFETY: what is looked for outlives the call.
    unsafe { _Unwind_Backtrace(look, (&raw mut looking).cast()) };
    looking.innermost
}

impl Rt {
    /// The number of the stack on which the running task has come here.
    pub(crate) fn stack(&self, pc: usize) -> u32 {
        let stack = frames(pc);
        self.state().stacks.number(stack)
    }

    /// The running task exits here: whatever its frames have to do is done, and then it ends.
    pub(crate) fn exit_task(&self, result: usize) -> ! {
        let task = self.task();
        task.exiting = true;
        task.result = result;
        crate::rt::set_control(true);
        unwind()
    }
}

/// Unwinds the running task's stack, and ends the task.
pub(crate) fn unwind() -> ! {
    let rt = Rt::of_server();
    let exception = rt.task().exception.get_or_insert_with(Box::default);
    **exception = Exception::default();
    let exception: *mut Exception = &mut **exception;
    // SAFETY: the exception lives as long as the task.
    unsafe { _Unwind_ForcedUnwind(exception, at_frame, std::ptr::null_mut()) };
    // There was nothing to unwind.
    end()
}

fn end() -> ! {
    let Some(rt) = Rt::enter() else { crate::sys::exit(70) };
    let result = rt.task().result;
    rt.finish_task(result)
}

/// Called for each frame, before what it has to do is done.
extern "C-unwind" fn at_frame(
    _version: c_int,
    actions: c_int,
    _class: u64,
    _exception: *mut Exception,
    context: *mut Context,
    _argument: *mut c_void,
) -> c_int {
    // SAFETY: the unwinder's own.
    let frame = unsafe { _Unwind_GetCFA(context) };
    let Some(rt) = Rt::enter() else { crate::sys::exit(70) };
    // What C code has pushed comes when its frame does.
    if let Some(&cleanup) = rt.task().cleanups.last()
        && cleanup < frame
    {
        rt.task().cleanups.pop();
        drop(rt);
        crate::hooks::cancel::go_to_cleanup(cleanup);
    }
    let at_end = actions & AT_END != 0 || !rt.task().stack.contains(&frame);
    drop(rt);
    if at_end { end() } else { GOES_ON }
}

/// Whether the running task has come to a call through this code.
pub(crate) fn is_below(code: &Ranges, pc: usize) -> bool {
    frames(pc).iter().any(|&frame| code.contain_call(frame as usize))
}

/// Whether the running task, which has come to a point, must not be preempted there.
pub(crate) fn is_sealed(code: &KnownCode, pc: usize) -> bool {
    let frames = frames(pc);
    let inside = |ranges: &Ranges| frames.iter().any(|&frame| ranges.contain_call(frame as usize));
    inside(&code.sealed) || code.open.as_ref().is_some_and(|open| !inside(open))
}
