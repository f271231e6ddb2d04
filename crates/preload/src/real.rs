//! The functions that the program would have called without us.

use std::ffi::CStr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A function of another library, looked up when it is first called.
pub(crate) struct Real {
    name: &'static CStr,
    version: Option<&'static CStr>,
    address: AtomicUsize,
}

impl Real {
    pub(crate) const fn new(name: &'static CStr) -> Real {
        Real { name, version: None, address: AtomicUsize::new(0) }
    }

    /// One that has had other meanings before.
    pub(crate) const fn of_version(name: &'static CStr, version: &'static CStr) -> Real {
        Real { name, version: Some(version), address: AtomicUsize::new(0) }
    }

    /// Its address; 0 if there is none.
    #[inline]
    pub(crate) fn address(&self) -> usize {
        match self.address.load(Ordering::Relaxed) {
            0 => self.look_up(),
            address => address,
        }
    }

    #[cold]
    fn look_up(&self) -> usize {
        // SAFETY: the names end with a zero.
        let address = unsafe {
            match self.version {
                None => libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()),
                Some(version) => libc::dlvsym(libc::RTLD_NEXT, self.name.as_ptr(), version.as_ptr()),
            }
        };
        self.address.store(address as usize, Ordering::Relaxed);
        address as usize
    }
}

/// Calls the function of this name that the program would have called without us.
macro_rules! real {
    ($name:ident ( $($arg:expr => $ty:ty),* $(,)? ) $(-> $ret:ty)?) => {{
        static REAL: $crate::real::Real = $crate::real::Real::new(
            match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("a name with a zero"),
            },
        );
        // SAFETY: the function has this type, by its documentation.
        #[allow(unused_unsafe)]
        let function: unsafe extern "C-unwind" fn($($ty),*) $(-> $ret)? = unsafe { std::mem::transmute(REAL.address()) };
        // SAFETY: the program called it with these arguments.
        #[allow(unused_unsafe)]
        let result = unsafe { function($($arg),*) };
        #[allow(clippy::let_unit_value)]
        result
    }};
    ($name:ident @ $version:literal ( $($arg:expr => $ty:ty),* $(,)? ) $(-> $ret:ty)?) => {{
        static REAL: $crate::real::Real = $crate::real::Real::of_version(
            match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("a name with a zero"),
            },
            match std::ffi::CStr::from_bytes_with_nul(concat!($version, "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("a version with a zero"),
            },
        );
        // SAFETY: the function has this type, by its documentation.
        #[allow(unused_unsafe)]
        let function: unsafe extern "C-unwind" fn($($ty),*) $(-> $ret)? = unsafe { std::mem::transmute(REAL.address()) };
        // SAFETY: the program called it with these arguments.
        #[allow(unused_unsafe)]
        let result = unsafe { function($($arg),*) };
        #[allow(clippy::let_unit_value)]
        result
    }};
}
pub(crate) use real;
