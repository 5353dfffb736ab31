//! BiCG, BiCGSTAB, BiCRSTAB and TFQMR, in their papers' notation. Each starts from x = 0.

use super::{Rooted, Watch, Workers, dot, multiply};
use crate::csr::Csr;
use crate::outcome::Outcome;

pub(super) fn bicg<S: Rooted>(
    matrix: &Csr<S>,
    transposed: &Csr<S>,
    workers: &Workers,
    rhs: &[S],
    watch: &mut Watch,
) -> (Vec<S>, Outcome) {
    let zeros = || vec![S::ZERO; rhs.len()];
    let [mut x, mut v, mut v_] = [zeros(), zeros(), zeros()];
    let [mut r, mut r_, mut p, mut p_] = [(); 4].map(|()| rhs.to_vec());
    let mut rho = dot(workers, &r, &r_);
    let mut square = rho;
    loop {
        if let Some(outcome) = watch.note(square) {
            return (x, outcome);
        }
        let pv = multiply(matrix, workers, &p, &mut v, |row, v| v * p_[row]);
        multiply(transposed, workers, &p_, &mut v_, |_, _| S::ZERO);
        let alpha = rho / pv;
        workers.update(&mut x, |row, x| {
            *x = *x + alpha * p[row];
            S::ZERO
        });
        square = workers.update(&mut r, |row, r| {
            *r = *r - alpha * v[row];
            *r * *r
        });
        let next = workers.update(&mut r_, |row, r_| {
            *r_ = *r_ - alpha * v_[row];
            *r_ * r[row]
        });
        let beta = next / rho;
        rho = next;
        workers.shares(workers.share(rhs.len(), 1), [&mut p, &mut p_], |first, p, p_| {
            for (at, (p, p_)) in p.iter_mut().zip(p_).enumerate() {
                *p = r[first + at] + beta * *p;
                *p_ = r_[first + at] + beta * *p_;
            }
            S::ZERO
        });
    }
}

/// With `shaded`, the transpose of A, the shadow residual is A^T b instead of b.
pub(super) fn bicgstab<S: Rooted>(
    matrix: &Csr<S>,
    shaded: Option<&Csr<S>>,
    workers: &Workers,
    rhs: &[S],
    watch: &mut Watch,
) -> (Vec<S>, Outcome) {
    let zeros = || vec![S::ZERO; rhs.len()];
    let [mut x, mut v, mut t, mut shadow] = [zeros(), zeros(), zeros(), rhs.to_vec()];
    let [mut r, mut p] = [rhs.to_vec(), rhs.to_vec()];
    if let Some(transposed) = shaded {
        multiply(transposed, workers, rhs, &mut shadow, |_, _| S::ZERO);
    }
    let mut rho = dot(workers, &r, &shadow);
    let mut square = dot(workers, &r, &r);
    loop {
        if let Some(outcome) = watch.note(square) {
            return (x, outcome);
        }
        let alpha = rho / multiply(matrix, workers, &p, &mut v, |row, v| v * shadow[row]);
        workers.update(&mut r, |row, r| {
            *r = *r - alpha * v[row];
            S::ZERO
        });
        let ts = multiply(matrix, workers, &r, &mut t, |row, t| t * r[row]);
        let tt = dot(workers, &t, &t);
        // t = 0 where r = 0: the solution is exact.
        let omega = if tt == S::ZERO { S::ZERO } else { ts / tt };
        workers.update(&mut x, |row, x| {
            *x = *x + alpha * p[row] + omega * r[row];
            S::ZERO
        });
        square = workers.update(&mut r, |row, r| {
            *r = *r - omega * t[row];
            *r * *r
        });
        let next = dot(workers, &r, &shadow);
        let beta = next / rho * (alpha / omega);
        rho = next;
        workers.update(&mut p, |row, p| {
            *p = r[row] + beta * (*p - omega * v[row]);
            S::ZERO
        });
    }
}

/// Two products with A per iteration. The residual in the history is the upper bound tau sqrt(m + 1), m the number of half iterations.
pub(super) fn tfqmr<S: Rooted>(matrix: &Csr<S>, workers: &Workers, rhs: &[S], watch: &mut Watch) -> (Vec<S>, Outcome) {
    let n = rhs.len();
    let [mut x, mut v, mut au] = [(); 3].map(|()| vec![S::ZERO; n]);
    let [mut w, mut u, mut d] = [rhs.to_vec(), rhs.to_vec(), rhs.to_vec()];
    let mut tau = dot(workers, rhs, rhs).root();
    let mut rho = dot(workers, rhs, rhs);
    // theta^2 eta / alpha = 0 at first, so that d begins with u.
    let (mut theta_square, mut eta) = (S::ZERO, S::ZERO);
    multiply(matrix, workers, &u, &mut au, |_, _| S::ZERO);
    v.copy_from_slice(&au);
    let mut halves = S::ZERO;
    loop {
        if let Some(outcome) = watch.note_norm(tau.nearest() * (halves + S::ONE).nearest().sqrt()) {
            return (x, outcome);
        }
        let alpha = rho / dot(workers, rhs, &v);
        for half in 0..2 {
            if half == 1 {
                workers.update(&mut u, |row, u| {
                    *u = *u - alpha * v[row];
                    S::ZERO
                });
                multiply(matrix, workers, &u, &mut au, |_, _| S::ZERO);
            }
            let square = workers.update(&mut w, |row, w| {
                *w = *w - alpha * au[row];
                *w * *w
            });
            let factor = theta_square * eta / alpha;
            theta_square = if tau == S::ZERO { S::ZERO } else { square / (tau * tau) };
            let c_square = S::ONE / (S::ONE + theta_square);
            tau = tau * (theta_square * c_square).root();
            eta = c_square * alpha;
            workers.shares(workers.share(n, 1), [&mut d, &mut x], |first, d, x| {
                for (at, (d, x)) in d.iter_mut().zip(x).enumerate() {
                    *d = u[first + at] + factor * *d;
                    *x = *x + eta * *d;
                }
                S::ZERO
            });
            halves = halves + S::ONE;
        }
        let next = dot(workers, rhs, &w);
        let beta = next / rho;
        rho = next;
        workers.shares(workers.share(n, 1), [&mut u, &mut v], |first, u, v| {
            for (at, (u, v)) in u.iter_mut().zip(v).enumerate() {
                *u = w[first + at] + beta * *u;
                *v = beta * (au[first + at] + beta * *v);
            }
            S::ZERO
        });
        multiply(matrix, workers, &u, &mut au, |_, _| S::ZERO);
        workers.update(&mut v, |row, v| {
            *v = *v + au[row];
            S::ZERO
        });
    }
}
