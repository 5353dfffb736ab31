//! Checked formulas for a plan's kernels and dispatches.

use std::fmt::Write;
use std::sync::Arc;

use wgpu::naga::keywords::wgsl::{BUILTIN_IDENTIFIERS, RESERVED};

use super::Formulas;
use super::budget::{Budget, Counted, MOST_ROWS_COUNTED};
use super::compiled::{self, Compiled, PARAMETERS, compile, vector_text};
use super::words;
use crate::error::{Error, Result, check_limit};
use crate::gpu::Gpu;
use crate::plan::Slot;
use crate::precision::Precision;
use crate::recurrence::kernels;
use crate::recurrence::options::Algorithm;
use crate::recurrence::programs::Program;
use crate::recurrence::system::{Computed, Constants};
use crate::shader::{CallerCode, Checks, Permutation};

/// The coefficients that formulas can compute, in the order of the inputs.
const COEFFICIENTS: [&str; 2] = ["s", "t"];

/// Lanes of a subgroup, where the device names fewer or none.
const LEAST_LANES: u32 = 8;

/// The binding of the first vector; the others follow.
const FIRST_BINDING: usize = 16;

/// The formulas of a plan.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fused {
    bodies: [Option<Arc<str>>; 2],
    /// Bodies that count the rounds of their loops, for software drivers.
    counted: [Option<Counted>; 2],
    /// What rounds of loops cost, where they are counted.
    budget: Option<Budget>,
    vectors: Vec<String>,
    /// Indices of the vectors that formulas read, which are bound.
    read: Vec<usize>,
    checks: Checks,
}

impl Fused {
    pub fn new(formulas: &Formulas, precision: Precision) -> Result<Self> {
        let Formulas { s, t, vectors } = formulas;
        check_names(vectors)?;
        if s.is_none() && t.is_none() && !vectors.is_empty() {
            return Err(Error::Options(format!("no formula that would read {}", vectors.join(", "))));
        }
        let mut fused = Self { vectors: vectors.clone(), ..Self::default() };
        let mut read = vec![false; vectors.len()];
        for (at, formula) in [s, t].into_iter().enumerate() {
            let Some(text) = formula else { continue };
            let Compiled { body, counted, checks, reads } = compile(text, vectors, precision).map_err(|fault| {
                let before = &text[..fault.at];
                let line_start = before.rfind('\n').map_or(0, |end| end + 1);
                Error::Formula {
                    coefficient: COEFFICIENTS[at],
                    line: before.matches('\n').count() + 1,
                    column: before[line_start..].chars().count() + 1,
                    message: fault.message,
                    formula: text.clone(),
                }
            })?;
            fused.bodies[at] = Some(body.into());
            fused.counted[at] = counted;
            let Checks { bounds, loops, divisions } = &mut fused.checks;
            *bounds |= checks.bounds;
            *loops |= checks.loops;
            *divisions |= checks.divisions;
            read.iter_mut().zip(reads).for_each(|(read, reads)| *read |= reads);
        }
        fused.read = (0..vectors.len()).filter(|&at| read[at]).collect();
        Ok(fused)
    }

    /// For a device: on a software driver, which silently ends long loops, rounds are counted.
    pub fn on(mut self, gpu: &Gpu) -> Self {
        if gpu.capabilities().software {
            self.budget = Budget::of(self.counted.iter().flatten(), gpu.info().subgroup_max_size.max(LEAST_LANES));
        }
        self
    }

    /// Whether rounds of loops are counted: then a value that is not finite may come from the limit.
    pub fn counts_rounds(&self) -> bool {
        self.budget.is_some()
    }

    /// [`Error::Unsupported`] for chunks of so many rows per thread that the driver might end the loops over them.
    pub fn check_rows(&self, gpu: &Gpu, rows: u32) -> Result<()> {
        if !self.counts_rounds() || rows <= MOST_ROWS_COUNTED {
            return Ok(());
        }
        Err(Error::Unsupported {
            what: format!("a formula with loops, at {rows} rows per thread,"),
            hint: format!(
                "{} silently ends loops after 65535 rounds; take more groups or threads, so that each thread takes at most \
                 {MOST_ROWS_COUNTED} rows, or another algorithm, or a GPU",
                gpu.info().name
            ),
        })
    }

    /// Whether s (0) or t (1) is computed; other inputs have no formulas.
    pub fn computes(&self, input: usize) -> bool {
        self.bodies.get(input).is_some_and(Option::is_some)
    }

    /// The constants without the computed coefficients, which are no vectors either.
    pub fn without_vectors(&self, given: Constants) -> Constants {
        Constants { s: given.s || self.computes(0), t: given.t || self.computes(1), ..given }
    }

    /// The computed coefficients, for messages.
    pub fn computed(&self) -> &'static str {
        match [self.computes(0), self.computes(1)] {
            [true, true] => "s or t",
            [true, false] => "s",
            _ => "t",
        }
    }

    /// The vectors' names.
    pub fn vectors(&self) -> &[String] {
        &self.vectors
    }

    /// The bound vectors, in order.
    pub fn read<V: Copy>(&self, vectors: &[V]) -> Vec<V> {
        self.read.iter().map(|&at| vectors[at]).collect()
    }

    /// The index of an input among the bound ones, if it is not computed; the vectors follow.
    fn index(&self, input: usize) -> usize {
        input - (0..input).filter(|&earlier| self.computes(earlier)).count()
    }

    /// A kernel with formulas, if it reads vectors.
    pub fn permutation(&self, plain: Permutation) -> Permutation {
        let mut parts = plain.parts.clone();
        let mut text = String::from("\n// The caller's.\n");
        let mut calls = false;
        let replaced = [
            ([kernels::S_SCALAR, kernels::S_VECTOR, kernels::S_UNITS], kernels::S_COMPUTED),
            ([kernels::T_SCALAR, kernels::T_VECTOR, kernels::T_UNITS], kernels::T_COMPUTED),
        ];
        for (at, (given, computed)) in replaced.into_iter().enumerate() {
            let Some(body) = &self.bodies[at] else { continue };
            for part in parts.iter_mut().filter(|part| given.contains(*part)) {
                *part = computed;
                calls = true;
            }
            let name = format!("trisolve_{}", COEFFICIENTS[at]);
            // Writing to a String cannot fail.
            let _ = match (self.budget, &self.counted[at]) {
                (Some(_), Some(counted)) => write!(text, "{}", compiled::counted(&name, &counted.body)),
                _ => writeln!(text, "{}{body}}}", compiled::head(&name)),
            };
        }
        if !calls {
            return plain;
        }
        if let Some(budget) = self.budget {
            text.push_str(&budget.counter());
        }
        for part in parts.iter_mut().filter(|part| [kernels::ROWS_SCALAR, kernels::ROWS_VECTOR].contains(*part)) {
            *part = kernels::ROWS_COMPUTED;
        }
        let access = if plain.writable_inputs { "read_write" } else { "read" };
        for (place, &at) in self.read.iter().enumerate() {
            text.push_str(&vector_text(at, FIRST_BINDING + place, access, &compiled::reader(at)));
        }
        let caller = CallerCode { text: text.into(), checks: self.checks, reports: self.counts_rounds() };
        Permutation { parts, caller: Some(caller), ..plain }
    }

    /// The dispatches without bindings of computed coefficients, and with the vectors that formulas read.
    pub fn program(&self, plain: Program) -> Program {
        let computed = (0..COEFFICIENTS.len()).filter(|&at| self.computes(at)).count();
        if computed == 0 {
            return plain;
        }
        let mut program = plain;
        let vectors = (0..self.read.len())
            .map(|at| Slot::InputAt { binding: (FIRST_BINDING + at) as u32, index: self.index(3) + at });
        let mut reads = 0;
        for step in &mut program.steps {
            let given = |input: usize| {
                let slot = Slot::InputAt { binding: input as u32 + 1, index: self.index(input) };
                (!self.computes(input)).then_some(slot)
            };
            let has_rows = |slot: &Slot| matches!(slot, Slot::Inputs | Slot::Input(0 | 1));
            let rows = step.slots.iter().any(has_rows);
            step.slots = std::mem::take(&mut step.slots)
                .into_iter()
                .flat_map(|slot| match slot {
                    Slot::Inputs => (0..3).filter_map(given).collect(),
                    Slot::Input(input) => given(input).into_iter().collect(),
                    other => vec![other],
                })
                .collect();
            if rows {
                if self.counts_rounds() && !step.slots.iter().any(|slot| matches!(slot, Slot::Status)) {
                    step.slots.push(Slot::Status);
                }
                step.slots.extend(vectors.clone());
                reads += 1;
            }
        }
        program.values_per_row -= (computed * reads) as f64;
        program
    }

    /// [`Error::Limit`] if a kernel cannot have this number of vectors.
    pub fn check_vectors(&self, gpu: &Gpu, algorithm: Algorithm, program: &Program) -> Result<()> {
        let available = u64::from(gpu.capabilities().limits.max_storage_buffers_per_shader_stage);
        let needed = program.steps.iter().map(|step| step.slots.len() as u64).max().unwrap_or(0);
        let vectors = self.read.len() as u64;
        if vectors == 0 {
            return Ok(());
        }
        let left = (available + vectors).saturating_sub(needed);
        let what = format_args!("{algorithm} with {vectors} vectors of formulas, where {left} would do,");
        check_limit(what, needed, "max_storage_buffers_per_shader_stage", available)
    }

    /// The value given for each vector, in order; `given` has the vectors of each input that the caller marks as computed.
    ///
    /// # Errors
    /// [`Error::Options`] if the plan computes other inputs, or with other vectors.
    pub fn matched<V: Copy>(&self, given: Computed<'_, V>) -> Result<Vec<V>> {
        for (at, (input, vectors)) in given.iter().enumerate() {
            let refused = match (vectors.is_some(), self.computes(at)) {
                (true, false) if at >= COEFFICIENTS.len() => {
                    format!("{input} cannot be computed: give a constant, or one for each sequence")
                }
                (true, false) => format!(
                    "{input} is to be computed, but the plan has no formula of it: make it with \
                     RecurrencePlan::with_formulas"
                ),
                (false, true) => format!("the plan computes {input}: give it as Computed"),
                _ => continue,
            };
            return Err(Error::Options(refused));
        }
        let all: Vec<_> = given.iter().filter_map(|given| given.1).flatten().collect();
        if let Some((unknown, _)) = all.iter().find(|(name, _)| !self.vectors.iter().any(|own| own == name)) {
            let own = if self.vectors.is_empty() { "none".into() } else { self.vectors.join(", ") };
            return Err(Error::Options(format!("the formulas have no vector {unknown}; theirs are: {own}")));
        }
        let one = |own: &String| {
            let mut found = all.iter().filter(|(name, _)| own == name);
            let refused = match (found.next(), found.next()) {
                (Some((_, vector)), None) => return Ok(*vector),
                (None, _) => format!("the formulas have a vector {own}: give it with what is computed"),
                _ => format!("the vector {own} is given twice: once, with s or with t, serves both"),
            };
            Err(Error::Options(refused))
        };
        self.vectors.iter().map(one).collect()
    }
}

/// Checks names that formulas can call like functions and that have no other meaning.
fn check_names(names: &[String]) -> Result<()> {
    for (at, name) in names.iter().enumerate() {
        let plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
        let known = [RESERVED, BUILTIN_IDENTIFIERS, &PARAMETERS[..], &["real"][..]]
            .iter()
            .any(|names| names.contains(&name.as_str()));
        let refused = if !plain {
            "it should be a letter, then letters, digits and _"
        } else if known || name.starts_with(words::RESERVED) {
            "that means something else in a formula"
        } else if names[..at].contains(name) {
            "there is one of this name already"
        } else {
            continue;
        };
        return Err(Error::Options(format!("a vector cannot be called {name:?}: {refused}")));
    }
    Ok(())
}
