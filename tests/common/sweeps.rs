//! The tests that draw some of a family's cases, each with bounds checks in the kernels and without.

/// `sweeps!(cases, f32: m, f64: n)`: three tests that run one in m cases in f32, one in n in f64. `cases` lists a family's cases for a seed.
/// Each run draws others; `trisolve check` runs all.
macro_rules! sweeps {
    ($cases:expr, f32: $of_f32:literal, f64: $of_f64:literal) => {
        fn sweep<T: trisolve::Real>(name: &str, gpu: &trisolve::Gpu, one_of: usize) {
            let seed = trisolve_lab::seed(name);
            let one_of = if crate::width::is_other_width() { 3 * one_of } else { one_of };
            let cases = $cases(seed).into_iter().skip(seed as usize % one_of).step_by(one_of);
            crate::run_all::run_all::<T>(gpu, cases);
        }

        #[test]
        fn f32_checked() {
            sweep::<f32>("f32_checked", &crate::common::gpu(true, trisolve::FeatureSwitches::ALL), $of_f32);
        }

        #[test]
        fn f32_unchecked() {
            sweep::<f32>("f32_unchecked", &crate::common::gpu(false, trisolve::FeatureSwitches::NONE), $of_f32);
        }

        #[test]
        fn f64_both() {
            for checked in [true, false] {
                let gpu = crate::common::gpu(checked, trisolve::FeatureSwitches::ALL);
                if gpu.capabilities().features.f64 {
                    sweep::<f64>("f64_both", &gpu, $of_f64);
                }
            }
        }
    };
}
pub(crate) use sweeps;
