//! Which loops of a formula take the same number of rounds in every thread, at the same time.

use wgpu::naga::{Block, Expression, Function, Handle, LocalVariable, Statement};

use super::safety::{Counter, stores};

/// The parameters of a formula that are the same in all threads: the number of rows and that of sequences or systems.
const SAME: std::ops::Range<u32> = 2..4;

/// One answer per loop, in the order of the text.
///
/// Such a loop is outside of branches, no thread has left the formula before it, and its counter starts and ends at numbers that are the
/// same in all threads.
pub(super) fn loops(function: &Function) -> Vec<bool> {
    let mut search = Search { function, found: Vec::new() };
    search.walk(&function.body, true);
    search.found
}

struct Search<'a> {
    function: &'a Function,
    found: Vec<bool>,
}

impl Search<'_> {
    /// Takes a block that all threads run together or not; returns whether they are still together after it.
    fn walk(&mut self, block: &Block, mut together: bool) -> bool {
        for (at, statement) in block.iter().enumerate() {
            match statement {
                Statement::Block(inner) => together = self.walk(inner, together),
                Statement::If { accept, reject, .. } => {
                    self.walk(accept, false);
                    self.walk(reject, false);
                    together &= !leaves(accept, true) && !leaves(reject, true);
                }
                Statement::Switch { cases, .. } => {
                    for case in cases {
                        self.walk(&case.body, false);
                        together &= !leaves(&case.body, true);
                    }
                }
                Statement::Loop { body, continuing, break_if } => {
                    let is_lockstep = Counter::of(body, continuing, self.function).is_some_and(|counter| {
                        // The first statement compares the counter, and leaves.
                        let mut others =
                            body.iter().filter(|statement| !matches!(statement, Statement::Emit(_))).skip(1);
                        together
                            && break_if.is_none()
                            && !others.any(|statement| statement_leaves(statement, false))
                            && self.is_same(counter.bound)
                            && self.starts_same(counter.variable, &block[..at], continuing)
                    });
                    self.found.push(is_lockstep);
                    self.walk(body, is_lockstep);
                    self.walk(continuing, is_lockstep);
                    together &= !leaves(body, true);
                }
                Statement::Return { .. } => together = false,
                _ => {}
            }
        }
        together
    }

    /// Whether a value is the same in all threads. Loaded variables are not followed.
    fn is_same(&self, value: Handle<Expression>) -> bool {
        match self.function.expressions[value] {
            Expression::Literal(_) => true,
            Expression::FunctionArgument(at) => SAME.contains(&at),
            Expression::Unary { expr, .. } | Expression::As { expr, .. } => self.is_same(expr),
            Expression::Binary { left, right, .. } => self.is_same(left) && self.is_same(right),
            _ => false,
        }
    }

    /// Whether a loop's counter starts at the same number in all threads: set right before the loop, or with its declaration.
    fn starts_same(&self, counter: Handle<LocalVariable>, before: &[Statement], continuing: &Block) -> bool {
        let set = before.iter().rev().find(|statement| !matches!(statement, Statement::Emit(_)));
        if let Some(&Statement::Store { pointer, value }) = set
            && matches!(self.function.expressions[pointer], Expression::LocalVariable(variable) if variable == counter)
        {
            return self.is_same(value);
        }
        let body = &self.function.body;
        self.function.local_variables[counter].init.is_some()
            && stores(body, counter, self.function) == stores(continuing, counter, self.function)
    }
}

/// Whether a block leaves the formula or, unless only returns count, the loop around it.
fn leaves(block: &Block, only_returns: bool) -> bool {
    block.iter().any(|statement| statement_leaves(statement, only_returns))
}

fn statement_leaves(statement: &Statement, only_returns: bool) -> bool {
    match statement {
        Statement::Return { .. } => true,
        Statement::Break | Statement::Continue => !only_returns,
        Statement::Block(block) => leaves(block, only_returns),
        Statement::If { accept, reject, .. } => leaves(accept, only_returns) || leaves(reject, only_returns),
        Statement::Switch { cases, .. } => cases.iter().any(|case| leaves(&case.body, only_returns)),
        Statement::Loop { body, continuing, .. } => leaves(body, true) || leaves(continuing, true),
        _ => false,
    }
}
