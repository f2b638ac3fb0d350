//! The system's allocator, which counts what each thread holds and the most it has held.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static HELD: Cell<i64> = const { Cell::new(0) };
    static MOST: Cell<i64> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count(bytes: i64) {
    // A thread that ends has no counters any more; nobody asks for them then.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + bytes);
        let _ = MOST.try_with(|most| most.set(most.get().max(held.get())));
    });
}

// SAFETY: every call is passed on to the system's allocator as it came; counting allocates nothing, as the
// counters need neither to be made nor to be dropped.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller keeps what `GlobalAlloc` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as i64 - layout.size() as i64);
        // SAFETY: as above.
        unsafe { System.realloc(block, layout, size) }
    }
}

/// What a piece of work took of memory, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    /// The most that it held at once.
    pub most: i64,
    /// What it left behind, in what it returned.
    pub kept: i64,
}

/// Does a piece of work, in this thread.
pub fn taken_by<T>(work: impl FnOnce() -> T) -> (T, Taken) {
    let before = HELD.get();
    MOST.set(before);
    let done = work();
    (done, Taken { most: MOST.get() - before, kept: HELD.get() - before })
}

#[test]
fn what_is_held_is_counted() {
    let (kept, taken) = taken_by(|| {
        drop(vec![0_u8; 3 << 20]);
        vec![0_u8; 1 << 20]
    });
    assert_eq!((taken.most, taken.kept), (3 << 20, 1 << 20));
    drop(kept);
}
