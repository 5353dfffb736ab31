//! Which rows each step of cyclic reduction and of its parallel form reads: figures 1 and 2 of the course project.

use super::methods::Method;

/// What a step does to its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Eliminates the unknowns of the rows read from the row.
    Reduce,
    /// Divides a row that has one unknown left.
    Solve,
    /// Substitutes the unknowns of the rows read, and divides.
    Substitute,
}

/// A step: updates that depend on the steps before, but not on each other.
#[derive(Debug, Clone)]
pub struct CommunicationStep {
    /// What the updates do.
    pub phase: Phase,
    /// The updated rows, each with the other rows that it reads: none to two.
    pub updates: Vec<(usize, Vec<usize>)>,
}

/// The steps of CR, PCR or CR-PCR for n rows, counted from 0; `None` for other methods.
pub fn communication(method: Method, n: usize) -> Option<Vec<CommunicationStep>> {
    let parallel = match method {
        Method::Cr => 1,
        Method::Pcr => n,
        Method::CrPcr { parallel } => parallel as usize,
        _ => return None,
    };
    // The rows `distance` before and behind, as far as there are any.
    let beside = |row: usize, distance: usize| {
        let before = row.checked_sub(distance);
        (row, before.into_iter().chain(Some(row + distance).filter(|&behind| behind < n)).collect::<Vec<_>>())
    };
    let mut steps = Vec::new();
    let mut add = |phase, updates: Vec<_>| steps.push(CommunicationStep { phase, updates });
    let mut stride = 1;
    while n / stride > parallel {
        add(Phase::Reduce, (2 * stride - 1..n).step_by(2 * stride).map(|row| beside(row, stride)).collect());
        stride *= 2;
    }
    let left = || (stride - 1..n).step_by(stride);
    let mut distance = 1;
    while distance < n / stride {
        add(Phase::Reduce, left().map(|row| beside(row, distance * stride)).collect());
        distance *= 2;
    }
    add(Phase::Solve, left().map(|row| (row, vec![])).collect());
    while stride > 1 {
        stride /= 2;
        add(Phase::Substitute, (stride - 1..n).step_by(2 * stride).map(|row| beside(row, stride)).collect());
    }
    Some(steps)
}
