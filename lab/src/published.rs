//! The errors that Diéguez, Amor and Doallo (TOMS 2019) published, to compare with ours.

const NAN: f64 = f64::NAN;

/// Table 6, f32, for N from 128 in powers of two: TPR-stable, TPR-fastest, Thomas sequential.
pub(super) const TABLE_6: [[f64; 3]; 13] = [
    [5.7e-7, 1.4e-6, 2.1e-6],
    [0.0, 2.2e-6, 5.7e-6],
    [8.4e-7, 2.4e-5, 4.4e-5],
    [0.0, 3.9e-7, 2.3e-4],
    [2.0e-7, 1.7e-7, 9.3e-4],
    [9.9e-7, 6.7e-6, 1.1e-2],
    [4.0e-7, 2.5e-5, 3.1e-1],
    [2.0e-6, 8.8e-5, 1.2],
    [7.4e-6, 2.5e-4, 2.3],
    [3.0e-5, 5.9e-4, 3.7],
    [1.2e-4, 3.2e-2, 5.4],
    [4.8e-4, 3.2e-3, 7.9],
    [1.9e-3, 5.5e-1, 1.1e1],
];

/// Table 7, f32, per matrix: TPR, WM, cuSPARSE.
pub(super) const TABLE_7: [[f64; 3]; 16] = [
    [4.2e-6, 8.8e-6, 3.8e-6],
    [2.6e-9, 2.9e-9, 8.6e-10],
    [8.7e-8, 8.2e-8, 4.4e-8],
    [2.8e-6, 5.3e-6, 2.9e-6],
    [NAN, NAN, 1.1e-6],
    [1.6e-7, 1.6e-7, 4.0e-8],
    [1.0e-7, 9.2e-8, 1.8e-7],
    [7.9e-7, 1.5e-6, 1.8e-7],
    [4.7e5, 4.7e5, 4.7e5],
    [4.4e13, 4.4e13, 4.4e13],
    [6.1, 2.0e-5, 3.9e-6],
    [4.9e-7, 4.7e-7, 3.8e-7],
    [9.1e-1, 1.1e1, 1.1e1],
    [NAN, NAN, NAN],
    [NAN, NAN, NAN],
    [NAN, NAN, NAN],
];

/// Table 8, f64, per matrix: TPR, WM, cuSPARSE.
pub(super) const TABLE_8: [[f64; 3]; 16] = [
    [1.3e-14, 7.7e-15, 5.2e-15],
    [1.2e-16, 1.2e-16, 3.9e-17],
    [1.6e-16, 2.4e-16, 8.2e-17],
    [1.0e-14, 2.0e-14, 6.0e-15],
    [NAN, NAN, 1.2e-15],
    [1.3e-16, 1.3e-16, 9.5e-17],
    [3.6e-16, 2.1e-16, 3.4e-16],
    [4.4e-15, 5.5e-15, 4.3e-15],
    [4.7e5, 4.7e5, 4.7e5],
    [4.4e13, 4.4e13, 4.4e13],
    [6.0, 1.6e-15, 7.3e-15],
    [7.6e-10, 3.9e-16, 7.8e-16],
    [8.5e-1, 1.2e-9, 7.4e-1],
    [1.0, 5.4e-14, 8.5e-15],
    [NAN, NAN, NAN],
    [NAN, NAN, NAN],
];

/// Table 9: the condition numbers of the matrices.
pub(super) const TABLE_9: [f64; 16] = [
    4.41e4, 1.0, 3.52e2, 2.75e3, 1.24e4, 1.03, 9.0, 9.87e14, 9.97e14, 1.29e15, 1.01e15, 2.2e14, 3.21e16, 1.14e67,
    6.02e24, 7.1e191,
];
