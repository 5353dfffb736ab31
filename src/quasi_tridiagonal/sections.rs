//! A solve around an iteration: its start, its cycles and its end.

use super::kernels::{Phase, QuasiKernel};
use super::methods::Steps;
use super::recipe::{Item, Matrix, Memory, Recipe, Step, Vector};

use Memory::{Faults, History, OuterNumbers};
use Phase::{Begin, Done, Verify};

/// The vectors of a solve.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    /// The solve is for A y = f: f = b / m, with m the largest entry of b.
    pub f: Vector,
    pub y: Vector,
    /// For cycles: r = f - A y, and the iteration solves A d = g = r / ||r||. Without cycles it works on f and y directly.
    pub r: Option<Vector>,
    pub g: Vector,
    pub d: Vector,
    /// The second place of iterates that have two.
    pub d_next: Vector,
    /// Whether rows are scaled by powers of two.
    pub scaled: bool,
}

/// The recorded sections of a solve.
#[derive(Debug)]
pub(crate) struct Sections {
    /// Recorded once; with a guess of the caller.
    pub start: Vec<Item>,
    pub start_from: Vec<Item>,
    /// Recorded repeatedly.
    pub batch: Vec<Item>,
    /// Iterations per batch.
    pub ahead: u32,
    /// Ends a solve that the host does not watch, with the current iterate.
    pub close: Vec<Item>,
    /// Computes x at the end.
    pub finish: Vec<Item>,
}

impl Frame {
    pub fn sections(self, recipe: &mut Recipe, steps: Steps) -> Sections {
        let cycled = self.r.is_some();
        let at = Memory::Vector;
        let Self { y, d, d_next, .. } = self;
        let [start, start_from] = [false, true].map(|guessed| self.start(recipe, guessed));

        if cycled {
            self.begin_cycle(recipe);
        }
        let mut batch = recipe.take();
        batch.extend(steps.begin);
        batch.extend(steps.iterations);
        self.end_cycle(recipe);
        batch.extend(recipe.take());

        recipe.push_outer(Done, QuasiKernel::Close { cycled }, &[]);
        self.end_cycle(recipe);
        if cycled {
            // A verification that is not the end requests a cycle that does not come.
            recipe.push_outer(Done, QuasiKernel::Close { cycled }, &[]);
        }
        let close = recipe.take();

        let places = if cycled { (y, y) } else { (d, d_next) };
        let bindings = [(3, OuterNumbers), (4, at(places.0)), (5, at(places.1)), (6, Memory::X), (7, Faults)];
        recipe.push_outer(Done, QuasiKernel::Finish, &bindings);
        Sections { start, start_from, batch, ahead: steps.count, close, finish: recipe.take() }
    }

    fn start(self, recipe: &mut Recipe, guessed: bool) -> Vec<Item> {
        let at = Memory::Vector;
        let scaled = self.scaled;
        let scales = scaled.then_some((9, Memory::RowScales));
        let mut largest = vec![(4, Memory::Rhs), (5, Faults)];
        largest.extend(scales);
        recipe.push_outer(Begin, QuasiKernel::Largest { scaled }, &largest);
        recipe.push_outer(Begin, QuasiKernel::Start, &[(3, OuterNumbers), (4, Faults)]);
        let mut bindings = vec![(3, OuterNumbers), (4, Memory::Rhs), (5, at(self.f)), (6, at(self.y))];
        if guessed {
            bindings.extend([(7, Memory::Guess), (8, Faults)]);
        }
        bindings.extend(scales);
        recipe.push_outer(Begin, QuasiKernel::Scale { guessed, scaled }, &bindings);
        recipe.push_outer(Begin, QuasiKernel::Norm { cycled: self.r.is_some() }, &[(3, OuterNumbers), (4, History)]);
        self.verify(recipe);
        recipe.take()
    }

    fn begin_cycle(self, recipe: &mut Recipe) {
        let Some(r) = self.r else { return };
        let at = Memory::Vector;
        let bindings = [(3, OuterNumbers), (4, at(r)), (5, at(self.g)), (6, at(self.d))];
        recipe.push(Begin, QuasiKernel::BeginCycle { outer: recipe.outer }, &bindings);
    }

    fn end_cycle(self, recipe: &mut Recipe) {
        if self.r.is_none() {
            return;
        }
        let at = Memory::Vector;
        let bindings = [(3, OuterNumbers), (4, at(self.y)), (5, at(self.d)), (6, at(self.d_next))];
        recipe.push(Verify, QuasiKernel::Collect { outer: recipe.outer }, &bindings);
        self.verify(recipe);
    }

    /// r = f - A y, and the decision that depends on it.
    fn verify(self, recipe: &mut Recipe) {
        let Some(r) = self.r else { return };
        let at = Memory::Vector;
        recipe.multiply(Verify, QuasiKernel::Residual, Matrix::Outer, self.y, &[(7, at(self.f)), (8, at(r))]);
        recipe.push_outer(Verify, QuasiKernel::Verified, &[(3, OuterNumbers), (4, History)]);
    }
}

impl Sections {
    /// Most numbers of all sums.
    pub fn most_sums(&self) -> u64 {
        let all = [&self.start, &self.batch, &self.close, &self.finish].into_iter().flatten();
        let sums = |step: &Step| step.workgroups * u64::from(step.kernel.sums());
        all.filter_map(|item| if let Item::Step(step) = item { Some(sums(step)) } else { None })
            .max()
            .unwrap_or(1)
            .max(1)
    }

    /// The tridiagonal solves, each once.
    pub fn tridiagonal_solves(&self) -> Vec<(Matrix, Vector, Vector)> {
        let mut found = vec![];
        for item in &self.batch {
            if let &Item::Tridiagonal { matrix, r, z } = item
                && !found.contains(&(matrix, r, z))
            {
                found.push((matrix, r, z));
            }
        }
        found
    }
}
