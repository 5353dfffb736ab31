//! The Matrix Market reader and writer, through the public API: what they take, what they
//! refuse and where, and that no input makes them panic, linger or take memory.

mod files;
mod fuzz;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use trisolve::matrix_market::{self, Entries, Format, Tridiagonal, columns, read_from, tridiagonal, write_array};
use trisolve::{Error, Real, Result};

/// Notes the largest allocation of each thread.
struct Watched;

thread_local! {
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

fn note(size: usize) {
    // A thread that is ending has no more business here.
    let _ = LARGEST.try_with(|largest| largest.set(largest.get().max(size)));
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size);
        unsafe { System.realloc(at, layout, size) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watched = Watched;

fn parse(text: impl AsRef<[u8]>) -> Result<Entries> {
    read_from(text.as_ref(), "A.mtx")
}

/// All entries, row by row, duplicates added.
fn dense(all: &Entries) -> Vec<Vec<f64>> {
    let mut dense = vec![vec![0.0; all.columns]; all.rows];
    for &(row, column, value, _) in &all.entries {
        dense[row][column] += value;
    }
    dense
}

fn dense_of(text: &str) -> Vec<Vec<f64>> {
    dense(&parse(text).unwrap_or_else(|error| panic!("{error}\n{text}")))
}

/// Line and message of a parse error that names the file.
#[track_caller]
fn refusal(error: Error) -> (u64, String) {
    match error {
        Error::Parse { path, line, message } => {
            assert_eq!(path, "A.mtx");
            (line, message)
        }
        other => panic!("{other:?} is no parse error"),
    }
}

fn written<T: Real>(rows: usize, values: &[T]) -> String {
    let mut bytes = Vec::new();
    write_array(&mut bytes, rows, values).unwrap();
    String::from_utf8(bytes).unwrap()
}
