//! The iterations, as steps. Vectors have the papers' names.

use super::colours::Colours;
use super::kernels::{Bicg, Bicgstab, Gmres, Phase, QuasiKernel, QuasiParams, Scalar, Tfqmr, WORKGROUP};
use super::options::Preconditioner;
use super::recipe::{Item, Matrix, Memory, Recipe, Vector};

use Memory::{ColourIndex, ColourOff, History, Numbers, Tri};
use Phase::{Begin, Run, Verify};

pub(super) fn at(vector: Vector) -> Memory {
    Memory::Vector(vector)
}

/// The input of a method.
pub(crate) struct Task {
    pub preconditioner: Preconditioner,
    /// The method solves A d = g, with d = 0 at first.
    pub g: Vector,
    pub d: Vector,
    /// The second place of iterates that alternate between two.
    pub d_next: Vector,
    pub by_step: bool,
    /// Whether the end of the iteration needs no confirmation.
    pub exact: bool,
    pub restart: u32,
}

/// A method's steps: before its first iteration in a cycle, and for a number of iterations.
pub(crate) struct Steps {
    pub begin: Vec<Item>,
    pub iterations: Vec<Item>,
    /// The number of iterations.
    pub count: u32,
}

/// Iterations of the splittings per recorded batch: even, so that iterates end in their first place.
pub(super) const FIXED_AHEAD: u32 = 16;
/// r -= alpha v.
const MINUS_ALPHA: QuasiKernel = QuasiKernel::ScaledAdd { scalar: Scalar::Alpha, minus: true };

/// The same for the Krylov methods.
const KRYLOV_AHEAD: u32 = 8;

impl Task {
    /// z = M^-1 r, or r itself if there is no M.
    fn precondition(&self, recipe: &mut Recipe, phase: Phase, matrix: Matrix, r: Vector, z: Vector) -> Vector {
        match self.preconditioner {
            Preconditioner::None => return r,
            Preconditioner::Jacobi => {
                recipe.push(phase, QuasiKernel::Divide, &[(3, Tri(matrix)), (4, at(r)), (5, at(z))]);
            }
            Preconditioner::Tridiagonal => recipe.items.push(Item::Tridiagonal { matrix, r, z }),
        }
        z
    }

    /// The vector for the preconditioned result, if it differs from the input.
    fn place(&self, recipe: &mut Recipe, own: Vector) -> Vector {
        if self.preconditioner == Preconditioner::None { own } else { recipe.vector() }
    }

    pub(super) fn fixed(&self, recipe: &mut Recipe, begin: Vec<Item>) -> Steps {
        Steps { begin, iterations: recipe.take(), count: FIXED_AHEAD }
    }

    /// Begins a cycle of a splitting, which needs no further step.
    pub(super) fn ready(&self, recipe: &mut Recipe) -> Vec<Item> {
        if self.exact {
            return vec![];
        }
        // It reads the sums that the verification left; a splitting needs none.
        recipe.push(Begin, QuasiKernel::Ready, &[(3, Numbers)]);
        recipe.take()
    }

    /// T z = g - A d, d += z.
    pub fn hisa(&self, recipe: &mut Recipe) -> Steps {
        let &Self { g, d, by_step, exact, .. } = self;
        let (r, z) = (recipe.vector(), recipe.vector());
        let begin = self.ready(recipe);
        for _ in 0..FIXED_AHEAD {
            recipe.multiply(Run, QuasiKernel::Residual, Matrix::Own, d, &[(7, at(g)), (8, at(r))]);
            recipe.push(Run, QuasiKernel::FixedResidual { exact, noted: by_step }, &[(4, History)]);
            recipe.items.push(Item::Tridiagonal { matrix: Matrix::Own, r, z });
            recipe.push(Run, QuasiKernel::Correct, &[(4, at(d)), (5, at(z))]);
            if by_step {
                recipe.push(Run, QuasiKernel::StepTaken { exact }, &[(4, History)]);
            }
        }
        self.fixed(recipe, begin)
    }

    /// The place of the iterate in a step, and of the next one.
    pub(super) fn in_places(&self, step: u32) -> (Vector, Vector) {
        if step.is_multiple_of(2) { (self.d, self.d_next) } else { (self.d_next, self.d) }
    }

    /// The decision after a step that left the sums of the residual, the step and x.
    pub(super) fn decide(&self, recipe: &mut Recipe) {
        let &Self { by_step, exact, .. } = self;
        recipe.push(Run, QuasiKernel::Fixed { by_step, exact }, &[(4, History)]);
    }

    /// One launch per iteration with this kernel; iterates alternate between two places.
    pub fn in_turn(&self, recipe: &mut Recipe, kernel: QuasiKernel, special: impl Fn(&mut QuasiParams)) -> Steps {
        let g = self.g;
        let begin = self.ready(recipe);
        for step in 0..FIXED_AHEAD {
            let (from, to) = self.in_places(step);
            recipe.multiply_at(Run, kernel, Matrix::Own, from, &[(7, at(g)), (8, at(to))], &special);
            self.decide(recipe);
        }
        self.fixed(recipe, begin)
    }

    /// Colour by colour, each with the newest values of the others.
    pub fn gauss_seidel(&self, recipe: &mut Recipe, colours: &Colours) -> Steps {
        let &Self { g, d, exact, .. } = self;
        let r = recipe.vector();
        let begin = self.ready(recipe);
        for _ in 0..FIXED_AHEAD {
            recipe.multiply(Run, QuasiKernel::Residual, Matrix::Own, d, &[(7, at(g)), (8, at(r))]);
            recipe.push(Run, QuasiKernel::FixedResidual { exact, noted: false }, &[(4, History)]);
            for &(first, count) in &colours.places {
                let bindings = [(4, ColourIndex), (5, ColourOff), (6, at(d)), (7, at(g))];
                recipe.push_at(Run, QuasiKernel::Sweep, &bindings, |params| {
                    params.first = first;
                    params.count = count;
                    params.slices = colours.rows_at;
                    params.columns_at = colours.columns_at / 4;
                    params.workgroups = count.div_ceil(WORKGROUP);
                });
            }
        }
        self.fixed(recipe, begin)
    }

    /// BiCGSTAB on A M^-1; with `conjugate`, BiCRSTAB: the shadow residual is (A M^-1)^T g instead of g.
    pub fn bicgstab(&self, recipe: &mut Recipe, conjugate: bool) -> Steps {
        use Bicgstab::{Alpha, Beta, Omega, P, R, X};
        let &Self { g, d, .. } = self;
        let [r, p, v, t] = [(); 4].map(|()| recipe.vector());
        let (p_, s_) = (self.place(recipe, p), self.place(recipe, r));
        let mut shadow = recipe.vector();
        recipe.push(Begin, QuasiKernel::Shade, &[(4, at(g)), (5, at(shadow))]);
        recipe.push(Begin, QuasiKernel::Copy, &[(4, at(g)), (5, at(r))]);
        recipe.push(Begin, QuasiKernel::Copy, &[(4, at(g)), (5, at(p))]);
        if conjugate {
            // A vector of its own: the preconditioner T always writes its result.
            let turned = recipe.vector();
            recipe.multiply(Begin, QuasiKernel::Product, Matrix::Transposed, shadow, &[(7, at(turned))]);
            let place = self.place(recipe, turned);
            shadow = self.precondition(recipe, Begin, Matrix::Transposed, turned, place);
        }
        recipe.push(Begin, QuasiKernel::Dot, &[(4, at(r)), (5, at(shadow))]);
        recipe.push(Begin, QuasiKernel::Ready, &[(3, Numbers)]);
        let begin = recipe.take();
        let step = QuasiKernel::Bicgstab;
        for _ in 0..KRYLOV_AHEAD {
            let p_ = self.precondition(recipe, Run, Matrix::Own, p, p_);
            recipe.multiply(Run, QuasiKernel::ProductDots, Matrix::Own, p_, &[(7, at(v)), (8, at(shadow))]);
            recipe.push(Run, step(Alpha), &[(3, Numbers)]);
            recipe.push(Run, MINUS_ALPHA, &[(3, Numbers), (4, at(r)), (5, at(v))]);
            let s_ = self.precondition(recipe, Run, Matrix::Own, r, s_);
            recipe.multiply(Run, QuasiKernel::ProductDots, Matrix::Own, s_, &[(7, at(t)), (8, at(r))]);
            recipe.push(Run, step(Omega), &[(3, Numbers)]);
            recipe.push(Run, step(X), &[(3, Numbers), (4, at(d)), (5, at(p_)), (6, at(s_))]);
            recipe.push(Run, step(R), &[(3, Numbers), (4, at(r)), (5, at(t)), (6, at(shadow))]);
            recipe.push(Run, step(Beta), &[(3, Numbers), (4, History)]);
            recipe.push(Run, step(P), &[(3, Numbers), (4, at(p)), (5, at(r)), (6, at(v))]);
        }
        Steps { begin, iterations: recipe.take(), count: KRYLOV_AHEAD }
    }

    pub fn bicg(&self, recipe: &mut Recipe) -> Steps {
        use Bicg::{Alpha, Beta, Direction, Iterated, R};
        let &Self { g, d, .. } = self;
        let [r, r_, p, p_, v, v_] = [(); 6].map(|()| recipe.vector());
        let (z, z_) = (self.place(recipe, r), self.place(recipe, r_));
        // With beta = 0 at first, p and p~ need only be finite.
        for vector in [r, p, p_] {
            recipe.push(Begin, QuasiKernel::Copy, &[(4, at(g)), (5, at(vector))]);
        }
        recipe.push(Begin, QuasiKernel::Shade, &[(4, at(g)), (5, at(r_))]);
        recipe.push(Begin, QuasiKernel::Dot, &[(4, at(g)), (5, at(g))]);
        recipe.push(Begin, QuasiKernel::Ready, &[(3, Numbers)]);
        let begin = recipe.take();
        let step = QuasiKernel::Bicg;
        for _ in 0..KRYLOV_AHEAD {
            let z = self.precondition(recipe, Run, Matrix::Own, r, z);
            let z_ = self.precondition(recipe, Run, Matrix::Transposed, r_, z_);
            recipe.push(Run, QuasiKernel::Dot, &[(4, at(z)), (5, at(r_))]);
            recipe.push(Run, step(Beta), &[(3, Numbers)]);
            recipe.push(Run, step(Direction), &[(3, Numbers), (4, at(p)), (5, at(z))]);
            recipe.push(Run, step(Direction), &[(3, Numbers), (4, at(p_)), (5, at(z_))]);
            recipe.multiply(Run, QuasiKernel::Product, Matrix::Transposed, p_, &[(7, at(v_))]);
            recipe.multiply(Run, QuasiKernel::ProductDots, Matrix::Own, p, &[(7, at(v)), (8, at(p_))]);
            recipe.push(Run, step(Alpha), &[(3, Numbers)]);
            recipe.push(
                Run,
                QuasiKernel::ScaledAdd { scalar: Scalar::Alpha, minus: false },
                &[(3, Numbers), (4, at(d)), (5, at(p))],
            );
            recipe.push(Run, step(R), &[(3, Numbers), (4, at(r)), (5, at(v)), (6, at(r_)), (7, at(v_))]);
            recipe.push(Run, step(Iterated), &[(4, History)]);
        }
        Steps { begin, iterations: recipe.take(), count: KRYLOV_AHEAD }
    }

    pub fn tfqmr(&self, recipe: &mut Recipe) -> Steps {
        use Tfqmr::{Alpha, Half, Turn, V, W};
        let &Self { g, d, .. } = self;
        let [w, u, v, au, update] = [(); 5].map(|()| recipe.vector());
        let u_ = self.place(recipe, u);
        let shadow = recipe.vector();
        recipe.push(Begin, QuasiKernel::Shade, &[(4, at(g)), (5, at(shadow))]);
        let step = QuasiKernel::Tfqmr;
        for vector in [w, u, update] {
            recipe.push(Begin, QuasiKernel::Copy, &[(4, at(g)), (5, at(vector))]);
        }
        let u_ = self.precondition(recipe, Begin, Matrix::Own, u, u_);
        recipe.multiply(Begin, QuasiKernel::Product, Matrix::Own, u_, &[(7, at(au))]);
        recipe.push(Begin, QuasiKernel::Copy, &[(4, at(au)), (5, at(v))]);
        recipe.push(Begin, QuasiKernel::Dot, &[(4, at(g)), (5, at(shadow))]);
        recipe.push(Begin, step(Tfqmr::Begin), &[(3, Numbers)]);
        // The sums for the first decision of the iterations, as every iteration leaves them.
        recipe.push(Run, QuasiKernel::Dot, &[(4, at(shadow)), (5, at(v))]);
        let begin = recipe.take();
        let half = |recipe: &mut Recipe| {
            let bindings = [(3, Numbers), (4, at(w)), (5, at(au)), (6, at(update)), (7, at(u_)), (8, at(shadow))];
            recipe.push(Run, step(W), &bindings);
            recipe.push(Run, step(Half), &[(3, Numbers)]);
            let plus_eta = QuasiKernel::ScaledAdd { scalar: Scalar::Eta, minus: false };
            recipe.push(Run, plus_eta, &[(3, Numbers), (4, at(d)), (5, at(update))]);
        };
        for _ in 0..KRYLOV_AHEAD {
            recipe.push(Run, step(Alpha), &[(3, Numbers), (4, History)]);
            half(recipe);
            recipe.push(Run, MINUS_ALPHA, &[(3, Numbers), (4, at(u)), (5, at(v))]);
            self.precondition(recipe, Run, Matrix::Own, u, u_);
            recipe.multiply(Run, QuasiKernel::Product, Matrix::Own, u_, &[(7, at(au))]);
            half(recipe);
            recipe.push(Run, step(Turn), &[(3, Numbers), (4, at(u)), (5, at(w)), (6, at(v)), (7, at(au))]);
            self.precondition(recipe, Run, Matrix::Own, u, u_);
            recipe.multiply(Run, QuasiKernel::Product, Matrix::Own, u_, &[(7, at(au))]);
            recipe.push(Run, step(V), &[(4, at(v)), (5, at(au)), (6, at(shadow))]);
        }
        Steps { begin, iterations: recipe.take(), count: KRYLOV_AHEAD }
    }

    /// GMRES(m): m columns, then a restart, repeatedly; the last ends when the residual is small enough.
    pub fn gmres(&self, recipe: &mut Recipe) -> Steps {
        use Gmres::{Column, Combine, Dots, Entries, Rescale, Solve, Subtract};
        let &Self { g, d, restart, .. } = self;
        let m = restart as usize;
        let basis: Vec<_> = (0..=m).map(|_| recipe.vector()).collect();
        let z = recipe.vector();
        let z_ = recipe.vector();
        let begin = self.ready(recipe);
        recipe.numbers = 16 + (4 + m) * (m + 1);
        let step = QuasiKernel::Gmres;
        // Up to four basis vectors; the last one is repeated if there are fewer.
        let four = |first: usize, end: usize| {
            [4u32, 5, 6, 7].map(|binding| {
                let vector = basis[(first + binding as usize - 4).min(end - 1)];
                (binding + 1, at(vector))
            })
        };
        let groups = |end: usize| (0..end).step_by(4).map(move |first| (first, (end - first).min(4) as u32));
        let restarts = KRYLOV_AHEAD.div_ceil(restart);
        let table = |first: usize| {
            move |params: &mut QuasiParams| {
                params.first = first as u32;
                params.count = restart;
            }
        };
        for _ in 0..restarts {
            recipe.multiply(Run, QuasiKernel::Residual, Matrix::Own, d, &[(7, at(g)), (8, at(basis[0]))]);
            recipe.push_at(Run, step(Gmres::Begin), &[(3, Numbers), (4, History)], table(0));
            recipe.push(Run, step(Rescale), &[(3, Numbers), (4, at(basis[0]))]);
            for column in 0..m {
                let end = column + 1;
                let w = basis[end];
                let v_ = self.precondition(recipe, Run, Matrix::Own, basis[column], z_);
                recipe.multiply(Run, QuasiKernel::Product, Matrix::Own, v_, &[(7, at(w))]);
                for (first, count) in groups(end) {
                    let vectors = four(first, end);
                    recipe.push(Run, step(Dots), &[&[(4, at(w))], &vectors[..]].concat());
                    recipe.push_at(Run, step(Entries(count)), &[(3, Numbers)], table(first));
                    let bindings = [&[(3, Numbers), (4, at(w))], &vectors[..]].concat();
                    recipe.push_at(Run, step(Subtract(count)), &bindings, table(first));
                }
                recipe.push_at(Run, step(Column), &[(3, Numbers), (4, History)], table(0));
                recipe.push(Run, step(Rescale), &[(3, Numbers), (4, at(w))]);
            }
            // For every end of the cycle: without columns the solution is 0.
            let phases = [Run, Verify];
            recipe.push_any(phases, false, step(Solve), &[(3, Numbers)], table(0));
            for (first, count) in groups(m) {
                let vectors = four(first, m);
                let bindings = [&[(3, Numbers), (4, at(z))], &vectors[..]].concat();
                recipe.push_any(phases, false, step(Combine(count)), &bindings, table(first));
            }
            let correction = match self.preconditioner {
                Preconditioner::None => z,
                Preconditioner::Jacobi => {
                    let bindings = [(3, Tri(Matrix::Own)), (4, at(z)), (5, at(z_))];
                    recipe.push_any(phases, false, QuasiKernel::Divide, &bindings, |_| {});
                    z_
                }
                Preconditioner::Tridiagonal => {
                    recipe.items.push(Item::Tridiagonal { matrix: Matrix::Own, r: z, z: z_ });
                    z_
                }
            };
            recipe.push_any(phases, false, QuasiKernel::Add, &[(4, at(d)), (5, at(correction))], |_| {});
        }
        Steps { begin, iterations: recipe.take(), count: restarts * restart }
    }
}
