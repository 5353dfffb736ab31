//! Choice of algorithm and policy for a shape.

use std::sync::Arc;

use super::algorithms::partition::PartitionPolicy;
use super::algorithms::{Algorithm, PlanRequest, Policy, auto, default_policy, program, tpr};
use super::kernels::{Program, row_reads};
use super::options::{Diagonal, Form, Forms, Options, Stability};
use super::{periodic, refine};
use crate::error::{Error, Result};
use crate::gpu::{Capabilities, Gpu};
use crate::plan::{Params, check_scratch};
use crate::precision::Precision;
use crate::tuning::{self, Suggestion, Tables};

/// More steps would only take time.
const MOST_REFINEMENTS: u32 = 16;

/// An algorithm with its policy and dispatches.
pub(crate) struct Chosen {
    pub algorithm: Algorithm,
    pub policy: Policy,
    pub program: Program,
}

/// The caller's policy; else the tuned one, if the device can run it; else the default.
pub(crate) fn choose(
    gpu: &Gpu,
    capabilities: &Capabilities,
    precision: Precision,
    options: &Options,
    params: Params,
    known: Option<Known>,
    computed_rhs: bool,
) -> Result<Chosen> {
    let Options { algorithm, stability, policy, untuned, .. } = *options;
    if algorithm == Algorithm::Pivoting && options.diagonal == Diagonal::Excess {
        return Err(Error::Options(
            "pivoting takes the diagonal's values: exchanged rows have no use for an excess. The other algorithms carry it, \
             for dominant matrices"
                .into(),
        ));
    }
    if options.refinements > MOST_REFINEMENTS {
        let message = format!(
            "{} refinements: {MOST_REFINEMENTS} at the most; one or two gain what there is",
            options.refinements
        );
        return Err(Error::Options(message));
    }
    if options.dominant && algorithm != Algorithm::Auto {
        let message =
            format!("a promise of dominance is for auto, which judges: {algorithm} does what it does in any case");
        return Err(Error::Options(message));
    }
    let tables = if untuned { Arc::default() } else { Tables::of(gpu.info()) };
    let choice = Choice { gpu, capabilities, precision, options, params, known, computed_rhs, tables };
    if let (Some(policy), Stability::Stable) = (policy, stability) {
        check_stable(policy)?;
    }
    let mut chosen = choice.chosen()?;
    if options.periodic && !choice.closes() {
        let correction = Choice { params: params.of_matrix(), computed_rhs: false, ..choice }.chosen()?;
        chosen.program = periodic::plan(precision, params, chosen.program, correction.program);
    }
    chosen.program = refine::plan(capabilities, precision, params, chosen.program, options.refinements);
    check_all_scratch(gpu, algorithm, precision, &chosen.program)?;
    Ok(chosen)
}

/// TPR's name in tuning tables tells its preference too.
pub fn tuned_name(algorithm: Algorithm, stability: Stability) -> &'static str {
    match (algorithm, stability) {
        (Algorithm::Tpr, Stability::Stable) => "tpr stable",
        _ => algorithm.name(),
    }
}

/// [`Error::Options`] for a policy that is less stable than [`Stability::Stable`] promises.
fn check_stable(policy: Policy) -> Result<()> {
    match policy {
        Policy::Tpr(policy) if policy.slice < tpr::STABLE_SLICE => Err(Error::Options(format!(
            "slices of {} rows: Stability::Stable of TPR takes {} rows or more",
            policy.slice,
            tpr::STABLE_SLICE
        ))),
        _ => Ok(()),
    }
}

fn check_all_scratch(gpu: &Gpu, algorithm: Algorithm, precision: Precision, program: &Program) -> Result<()> {
    program.scratch.iter().try_for_each(|scratch| check_scratch(gpu, algorithm.name(), scratch.bytes, precision))
}

/// Auto's decision for all matrices of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    /// Slices may be solved alone.
    Alone,
    /// All matrices are dominant.
    Dominant,
    /// No matrix is dominant.
    NotDominant,
    /// To be determined on the device.
    Asked,
}

/// The input of a choice.
struct Choice<'a> {
    gpu: &'a Gpu,
    capabilities: &'a Capabilities,
    precision: Precision,
    options: &'a Options,
    params: Params,
    known: Option<Known>,
    /// Whether a formula computes the right-hand side.
    computed_rhs: bool,
    tables: Arc<Tables>,
}

impl Choice<'_> {
    fn chosen(&self) -> Result<Chosen> {
        let mut chosen = self.chosen_of_any_structure()?;
        self.spare_structure(&mut chosen.program);
        Ok(chosen)
    }

    /// Whether periodic systems are solved directly: by pivoting, and by auto, which then needs no verdict.
    fn closes(&self) -> bool {
        let Options { algorithm, diagonal, dominant, periodic, .. } = *self.options;
        let undecided = matches!(self.known, None | Some(Known::NotDominant));
        let by_auto = algorithm == Algorithm::Auto && diagonal == Diagonal::Value && !dominant && undecided;
        periodic && (algorithm == Algorithm::Pivoting || by_auto)
    }

    fn chosen_of_any_structure(&self) -> Result<Chosen> {
        let Options { algorithm, policy, .. } = *self.options;
        let chosen = match policy {
            Some(policy) => self.with(algorithm, policy)?,
            None => self.tuned_or_default(algorithm)?,
        };
        let known = if self.closes() { Some(Known::NotDominant) } else { self.known };
        let (Policy::Auto(policy), Some(known)) = (chosen.policy, known) else {
            return Ok(chosen);
        };
        let program = match known {
            Known::Alone => auto::alone(&self.request(Algorithm::Auto, &|| self.rivals()), policy)?,
            Known::Dominant => {
                let partition = self.tuned_or_default(Algorithm::Partition)?.program;
                policy.or_whole(&self.request(Algorithm::Auto, &|| self.rivals()), partition)?
            }
            Known::NotDominant => self.tuned_or_default(Algorithm::Pivoting)?.program,
            Known::Asked => chosen.program,
        };
        Ok(Chosen { program, ..chosen })
    }

    /// Subtracts the bytes that structure, forms and formulas save per solve.
    fn spare_structure(&self, program: &mut Program) {
        let Options { structure, forms, .. } = *self.options;
        let read = forms.read(structure).into_iter().filter(|form| *form == Form::Each).count();
        let spared = 3 - read + usize::from(self.computed_rhs);
        program.values_per_row -= (spared * row_reads(program)) as f64;
    }

    fn with(&self, algorithm: Algorithm, policy: Policy) -> Result<Chosen> {
        let program = program(&self.request(algorithm, &|| self.rivals()), policy)?;
        check_all_scratch(self.gpu, algorithm, self.precision, &program)?;
        Ok(Chosen { algorithm, policy, program })
    }

    fn request<'a>(&'a self, algorithm: Algorithm, rivals: &'a dyn Fn() -> Result<Rivals>) -> PlanRequest<'a> {
        let Self { capabilities, precision, options, params, .. } = *self;
        let Options { stability, periodic, .. } = *options;
        let (forms, closed, computed_rhs) = (options.matrix().bound(), self.closes(), self.computed_rhs);
        let request = PlanRequest {
            stability,
            forms,
            computed_rhs,
            periodic,
            closed,
            ..PlanRequest::plain(capabilities, precision, params)
        };
        PlanRequest { algorithm, rivals, ..request }
    }

    fn tuned_or_default(&self, algorithm: Algorithm) -> Result<Chosen> {
        let Self { precision, options, params, .. } = *self;
        let default = default_policy(&self.request(algorithm, &|| self.rivals()));
        // Auto was tuned with matrices that are read.
        if algorithm != Algorithm::Auto || !matches!(options.matrix().bound(), Forms::ENDS | Forms::CONSTANT) {
            let name = tuned_name(algorithm, options.stability);
            let key = tuning::key(name, precision, params.systems_first(), params.n, params.problems);
            for found in self.tables.find(&key) {
                let text = found.policy;
                let stable = |policy| match options.stability {
                    Stability::Stable => check_stable(policy).map(|()| policy),
                    Stability::Fastest => Ok(policy),
                };
                match default.with(text).and_then(stable).and_then(|policy| self.with(algorithm, policy)) {
                    Ok(chosen) if as_tuned(&chosen, found) => return Ok(chosen),
                    Ok(_) => {}
                    // Entries of other devices, or for other sizes, may exceed the limits here.
                    Err(Error::Limit { .. }) if !(found.own && found.distance == 0.0) => {}
                    Err(error) => log::warn!("the tuned policy {text:?} of {algorithm} is ignored: {error}"),
                }
            }
        }
        self.with(algorithm, default)
    }

    fn rivals(&self) -> Result<Rivals> {
        let chosen = self.tuned_or_default(Algorithm::Partition)?;
        let partition = match chosen.policy {
            Policy::Partition(policy) if policy.together > 0 => {
                self.with(Algorithm::Partition, PartitionPolicy { together: 0, ..policy }.into())?.program
            }
            _ => chosen.program,
        };
        let promised = self.options.dominant;
        let pivoting = match self.options.diagonal {
            Diagonal::Value if !promised => Some(self.tuned_or_default(Algorithm::Pivoting)?.program),
            _ => None,
        };
        Ok(Rivals { partition, pivoting, promised })
    }
}

/// The programs that auto decides between.
pub struct Rivals {
    /// In passes, unless it is one dispatch.
    pub partition: Program,
    /// None for a diagonal given as its excess, or a promise of dominance.
    pub pivoting: Option<Program>,
    /// A matrix that is not dominant is an error.
    pub promised: bool,
}

impl Rivals {
    /// The rivals without a tuning table.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn by_default(capabilities: &Capabilities, precision: Precision, params: Params) -> Result<Self> {
        let of = |algorithm| {
            let request = PlanRequest { algorithm, ..PlanRequest::plain(capabilities, precision, params) };
            program(&request, default_policy(&request))
        };
        Ok(Self { partition: of(Algorithm::Partition)?, pivoting: Some(of(Algorithm::Pivoting)?), promised: false })
    }
}

/// Whether the tuned policy is fast here. If it may rely on slices that run at once, it is fast only on its own adapter, in one dispatch or for
/// the very shape that was measured.
fn as_tuned(chosen: &Chosen, found: Suggestion<'_>) -> bool {
    let as_measured = chosen.program.steps.len() == 1 || found.distance == 0.0;
    !chosen.policy.is_of_one_device() || (found.at_home() && as_measured)
}
