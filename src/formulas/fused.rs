//! Checked formulas for a plan's kernels and dispatches.

use std::fmt::Write;
use std::sync::Arc;

use wgpu::naga::keywords::wgsl::{BUILTIN_IDENTIFIERS, RESERVED};

use super::budget::{Budget, Counted, MOST_ROWS_COUNTED};
use super::compiled::{Compiled, Source, SourceKind, compile, counted, head};
use super::words;
use crate::error::{Error, Result, check_limit};
use crate::gpu::Gpu;
use crate::plan::{Program, Slot, Step};
use crate::precision::Precision;
use crate::shader::{CallerCode, CallerFunction, Checks};

/// Lanes of a subgroup, where the device names fewer or none.
const LEAST_LANES: u32 = 8;

/// The binding of the first source; the others follow.
const FIRST_BINDING: u32 = 16;

/// What a family's formulas compute, and what they may name.
#[derive(Debug)]
pub(crate) struct Dialect {
    /// The inputs that formulas can compute: the first inputs of the family, in the order of their bindings.
    pub computable: &'static [&'static str],
    /// Number of all inputs.
    pub inputs: usize,
    /// The parameters of the formula of an input, by its number. The third and fourth are the same for all threads.
    pub parameters: fn(usize) -> &'static [&'static str],
}

impl Dialect {
    /// Every name that has a meaning in some formula.
    fn knows(&self, name: &str) -> bool {
        (0..self.computable.len()).any(|input| (self.parameters)(input).contains(&name))
    }
}

/// The formulas of a plan.
#[derive(Debug, Clone)]
pub(crate) struct Fused {
    dialect: &'static Dialect,
    /// Per input, if it is computed.
    formulas: Vec<Option<Formula>>,
    /// What rounds of loops cost, where they are counted.
    budget: Option<Budget>,
    /// What formulas may read: vectors and textures.
    sources: Vec<Source>,
    checks: Checks,
}

/// One of them.
#[derive(Debug, Clone)]
struct Formula {
    body: Arc<str>,
    /// The body that counts the rounds of its loops, for software drivers; `None` without loops.
    counted: Option<Counted>,
    /// Indices of the sources that it reads.
    reads: Vec<usize>,
}

impl Fused {
    /// No formulas.
    pub fn none(dialect: &'static Dialect) -> Self {
        let formulas = vec![None; dialect.computable.len()];
        Self { dialect, formulas, budget: None, sources: vec![], checks: Checks::default() }
    }

    /// Reads and checks the text for each input that is computed.
    ///
    /// # Errors
    /// [`Error::Formula`], [`Error::Options`].
    pub fn new(
        dialect: &'static Dialect,
        texts: &[Option<&String>],
        sources: &[Source],
        precision: Precision,
    ) -> Result<Self> {
        check_names(dialect, sources)?;
        if texts.iter().all(Option::is_none) && !sources.is_empty() {
            return Err(Error::Options(format!("no formula that would read {}", names(sources))));
        }
        let mut fused = Self { sources: sources.to_vec(), ..Self::none(dialect) };
        for (at, text) in texts.iter().enumerate() {
            let Some(text) = text else { continue };
            let parameters = (dialect.parameters)(at);
            let compiled = compile(text, (parameters, sources), precision).map_err(|fault| {
                let before = &text[..fault.at];
                let line_start = before.rfind('\n').map_or(0, |end| end + 1);
                Error::Formula {
                    coefficient: dialect.computable[at],
                    line: before.matches('\n').count() + 1,
                    column: before[line_start..].chars().count() + 1,
                    message: fault.message,
                    formula: (*text).clone(),
                }
            })?;
            let Compiled { body, counted, checks: Checks { bounds, loops, divisions }, reads } = compiled;
            fused.checks.bounds |= bounds;
            fused.checks.loops |= loops;
            fused.checks.divisions |= divisions;
            let reads = (0..sources.len()).filter(|&source| reads[source]).collect();
            fused.formulas[at] = Some(Formula { body: body.into(), counted, reads });
        }
        Ok(fused)
    }

    /// For a device: on a software driver, which silently ends long loops, rounds are counted.
    pub fn on(mut self, gpu: &Gpu) -> Self {
        if gpu.capabilities().software {
            let lanes = gpu.info().subgroup_max_size.max(LEAST_LANES);
            self.budget = Budget::of(self.counted(), lanes);
        }
        self
    }

    fn counted(&self) -> impl Iterator<Item = &Counted> {
        self.formulas.iter().flatten().filter_map(|formula| formula.counted.as_ref())
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

    /// Whether an input is computed, by its number.
    pub fn computes(&self, input: usize) -> bool {
        self.formulas.get(input).is_some_and(Option::is_some)
    }

    /// Whether there are formulas.
    pub fn is_some(&self) -> bool {
        self.computed().next().is_some()
    }

    /// The computed inputs, by name.
    pub fn computed(&self) -> impl Iterator<Item = &'static str> {
        let names = self.dialect.computable.iter().zip(&self.formulas);
        names.filter_map(|(name, formula)| formula.as_ref().map(|_| *name))
    }

    /// The names of the sources.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().map(|source| source.name.as_str())
    }

    /// Whether a source is a texture.
    pub fn is_texture(&self, name: &str) -> bool {
        self.sources.iter().any(|source| source.name == name && source.kind == SourceKind::Texture)
    }

    /// Indices of the sources that formulas read, which are bound.
    fn read(&self) -> Vec<usize> {
        let is_read = |source: &usize| self.formulas.iter().flatten().any(|formula| formula.reads.contains(source));
        (0..self.sources.len()).filter(is_read).collect()
    }

    /// The bound sources, in order, of all.
    pub fn bound<V: Copy>(&self, sources: &[V]) -> Vec<V> {
        self.read().into_iter().map(|at| sources[at]).collect()
    }

    /// The bound sources with their bindings, and where each is among those of its kind.
    fn bindings_of_sources(&self) -> impl Iterator<Item = (usize, Slot)> {
        let first = self.index(self.dialect.inputs);
        let mut found = [0, 0];
        self.read().into_iter().enumerate().map(move |(place, source)| {
            let binding = FIRST_BINDING + place as u32;
            let kind = self.sources[source].kind;
            let index = found[kind as usize];
            found[kind as usize] += 1;
            let slot = match kind {
                SourceKind::Vector => Slot::InputAt { binding, index: first + index },
                SourceKind::Texture => Slot::Texture { binding, index },
            };
            (source, slot)
        })
    }

    /// The index of an input among the bound ones, if it is not computed; the vectors of formulas follow.
    fn index(&self, input: usize) -> usize {
        input - (0..input).filter(|&earlier| self.computes(earlier)).count()
    }

    /// The functions of WGSL, for kernels whose inputs are writable or not.
    pub fn code(&self, writable_inputs: bool) -> CallerCode {
        let read = self.read();
        let place = |source: usize| read.iter().position(|own| *own == source).unwrap_or(0);
        let mut functions = Vec::new();
        for (at, formula) in self.formulas.iter().enumerate() {
            let Some(Formula { body, counted: rounds, reads }) = formula else { continue };
            let name = format!("trisolve_{}", self.dialect.computable[at]);
            let parameters = (self.dialect.parameters)(at);
            let text = match (self.budget, rounds) {
                (Some(_), Some(rounds)) => counted(&name, parameters, &rounds.body),
                _ => format!("{}{body}}}\n", head(&name, parameters)),
            };
            functions.push(CallerFunction {
                name,
                text: text.into(),
                reads: reads.iter().map(|&v| place(v)).collect(),
            });
        }
        let access = if writable_inputs { "read_write" } else { "read" };
        let sources = read.iter().enumerate().map(|(place, &at)| {
            self.sources[at].declared(at, FIRST_BINDING as usize + place, access, &Source::reader(at)).into()
        });
        let mut common = String::from("\n// The caller's.\n");
        if let Some(budget) = self.budget {
            // Writing to a String cannot fail.
            let _ = write!(common, "{}", budget.counter());
        }
        let sources = sources.collect();
        CallerCode { common: common.into(), functions, sources, checks: self.checks, reports: self.counts_rounds() }
    }

    /// The dispatches without bindings of computed inputs, and each with the sources that its formulas read.
    pub fn program<K: Clone, P: Clone>(&self, plain: Program<K, P>) -> Program<K, P> {
        if !self.is_some() {
            return plain;
        }
        let steps = |steps: Vec<Step<K, P>>| steps.into_iter().map(|step| self.step(step)).collect::<Vec<_>>();
        let in_place = plain.in_place.map(steps);
        Program { steps: steps(plain.steps), in_place, ..plain }
    }

    fn step<K, P>(&self, mut step: Step<K, P>) -> Step<K, P> {
        let mut called = vec![];
        let mut given = |input: usize| {
            if self.computes(input) {
                called.push(input);
                return None;
            }
            Some(Slot::InputAt { binding: input as u32 + 1, index: self.index(input) })
        };
        let mut slots = Vec::new();
        for slot in std::mem::take(&mut step.slots) {
            match slot {
                Slot::Inputs => slots.extend((0..self.dialect.inputs).filter_map(&mut given)),
                Slot::Input(input) => slots.extend(given(input)),
                other => slots.push(other),
            }
        }
        if !called.is_empty() && self.counts_rounds() && !slots.contains(&Slot::Status) {
            slots.push(Slot::Status);
        }
        let reads = |source: usize| {
            called.iter().filter_map(|input| self.formulas[*input].as_ref()).any(|own| own.reads.contains(&source))
        };
        slots.extend(self.bindings_of_sources().filter(|(source, _)| reads(*source)).map(|(_, slot)| slot));
        Step { slots, ..step }
    }

    /// Where a kernel that reads all inputs finds them, and the sources.
    pub fn slots(&self) -> Vec<Slot> {
        let given = (0..self.dialect.inputs).filter(|&input| !self.computes(input));
        let given = given.map(|input| Slot::InputAt { binding: input as u32 + 1, index: self.index(input) });
        given.chain(self.bindings_of_sources().map(|(_, slot)| slot)).collect()
    }

    /// [`Error::Limit`] if a kernel cannot have this number of vectors.
    pub fn check_vectors<K, P>(&self, gpu: &Gpu, algorithm: &str, program: &Program<K, P>) -> Result<()> {
        let available = u64::from(gpu.capabilities().limits.max_storage_buffers_per_shader_stage);
        let is_buffer = |slot: &&Slot| !matches!(slot, Slot::Texture { .. });
        let buffers = |step: &Step<K, P>| step.slots.iter().filter(is_buffer).count() as u64;
        let needed = program.steps.iter().map(buffers).max().unwrap_or(0);
        let (textures, vectors): (Vec<_>, Vec<_>) =
            self.read().into_iter().partition(|&at| self.sources[at].kind == SourceKind::Texture);
        let (textures, vectors) = (textures.len() as u64, vectors.len() as u64);
        let of_textures = gpu.capabilities().limits.max_sampled_textures_per_shader_stage;
        let what = format_args!("{algorithm} with {textures} textures of formulas");
        check_limit(what, textures, "max_sampled_textures_per_shader_stage", of_textures.into())?;
        if vectors == 0 {
            return Ok(());
        }
        let left = (available + vectors).saturating_sub(needed);
        let what = format_args!("{algorithm} with {vectors} vectors of formulas (at most {left} fit)");
        check_limit(what, needed, "max_storage_buffers_per_shader_stage", available)
    }

    /// What is given for each source, in order; `all` are given by name. `once` says where to give what several formulas read.
    ///
    /// # Errors
    /// [`Error::Options`] for other names, for missing ones, and for a name given twice.
    pub fn matched<V: Copy>(&self, all: &[(&str, V)], once: &str) -> Result<Vec<V>> {
        let noun = |name: &str| if self.is_texture(name) { "texture" } else { "vector" };
        if let Some((unknown, _)) = all.iter().find(|(name, _)| !self.sources().any(|own| own == *name)) {
            let own = if self.sources.is_empty() { "none".into() } else { names(&self.sources) };
            return Err(Error::Options(format!("the formulas have no vector or texture {unknown}; they have: {own}")));
        }
        let one = |own: &str| {
            let mut found = all.iter().filter(|(name, _)| own == *name);
            let refused = match (found.next(), found.next()) {
                (Some((_, source)), None) => return Ok(*source),
                (None, _) => format!("the formulas have a {} {own}: pass it beside the inputs", noun(own)),
                _ => format!("the {} {own} is given twice: {once}", noun(own)),
            };
            Err(Error::Options(refused))
        };
        self.sources().map(one).collect()
    }
}

fn names(sources: &[Source]) -> String {
    sources.iter().map(|source| source.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Checks names that formulas can call like functions and that have no other meaning.
fn check_names(dialect: &Dialect, sources: &[Source]) -> Result<()> {
    for (at, Source { name, kind }) in sources.iter().enumerate() {
        let plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
        let known = dialect.knows(name)
            || [RESERVED, BUILTIN_IDENTIFIERS, &["real"][..]].iter().any(|names| names.contains(&name.as_str()));
        let refused = if !plain {
            "it should be a letter, then letters, digits and _"
        } else if known || name.starts_with(words::RESERVED) {
            "that means something else in a formula"
        } else if sources[..at].iter().any(|other| other.name == *name) {
            "there is one of this name already"
        } else {
            continue;
        };
        let noun = if *kind == SourceKind::Texture { "texture" } else { "vector" };
        return Err(Error::Options(format!("a {noun} cannot be called {name:?}: {refused}")));
    }
    Ok(())
}
