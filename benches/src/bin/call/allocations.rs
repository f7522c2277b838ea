//! Counts allocations where the feature `allocations` is on. It is off by default, since counting costs time.

#[cfg(feature = "allocations")]
mod counting {
    use std::{
        alloc::{GlobalAlloc, Layout, System},
        cell::Cell,
    };

    thread_local! {
        static COUNT: Cell<u64> = const { Cell::new(0) };
        static BYTES: Cell<u64> = const { Cell::new(0) };
    }

    struct Counting;

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;

    fn count(bytes: usize) {
        COUNT.set(COUNT.get() + 1);
        BYTES.set(BYTES.get() + bytes as u64);
    }

    // SAFETY: every call goes to the system's allocator unchanged; the counters are plain cells of the thread and
    // allocate nothing themselves.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            count(layout.size());
            // SAFETY: the caller's promise is passed on.
            unsafe { System.alloc(layout) }
        }

        unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
            // SAFETY: the caller's promise is passed on.
            unsafe { System.dealloc(pointer, layout) }
        }

        unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
            count(size);
            // SAFETY: the caller's promise is passed on.
            unsafe { System.realloc(pointer, layout, size) }
        }
    }

    pub(crate) fn so_far() -> Option<(u64, u64)> {
        Some((COUNT.get(), BYTES.get()))
    }
}

/// How often and how much this thread has allocated.
#[cfg(feature = "allocations")]
pub(crate) use counting::so_far;

/// Nothing is counted.
#[cfg(not(feature = "allocations"))]
pub(crate) fn so_far() -> Option<(u64, u64)> {
    None
}
