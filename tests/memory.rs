//! Memory stays flat, however often one solves or plans, and whatever shapes one plans for. A program of its own: tests beside it would show as well.

use trisolve::Gpu;
use trisolve::tridiagonal::{self, Options, Shape, System, TridiagonalPlan};
use trisolve_lab::OnDevice;

/// Resident memory in bytes, where the system tells.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    text.split(' ').nth(1)?.parse::<u64>().ok().map(|pages| pages * 4096)
}

/// What a solve or a plan leaves behind would show. `TRISOLVE_REPEATS` asks for more of them.
#[test]
fn memory_stays_flat() {
    let repeats = std::env::var("TRISOLVE_REPEATS").ok().and_then(|text| text.parse().ok()).unwrap_or(300);
    let gpu = Gpu::new().unwrap();
    let run = |times: usize, once: &dyn Fn()| {
        (0..times / 4).for_each(|_| once());
        let before = resident();
        (0..times).for_each(|_| once());
        resident().zip(before).map_or(0, |(after, before)| after.saturating_sub(before))
    };
    // Of 64 rows one workgroup is enough.
    for n in [64, 1000] {
        let (off, diag, rhs) = (vec![-1f32; n], vec![2.5f32; n], vec![1f32; n]);
        let system = System::new(&off, &diag, &off);
        let plan = || TridiagonalPlan::<f32>::new(&gpu, Shape::single(n), Options::on_device()).unwrap();
        let kept = plan();
        let ways: [(&str, &dyn Fn()); 4] = [
            ("one-call solves", &|| drop(tridiagonal::solve_with(&gpu, &system, &rhs, Options::on_device()).unwrap())),
            ("solves of one plan", &|| drop(kept.solve(&system, &rhs).unwrap())),
            ("reported solves", &|| drop(kept.solve_reported(&system, &rhs).unwrap())),
            ("plans, each with a solve", &|| drop(plan().solve(&system, &rhs).unwrap())),
        ];
        for (what, once) in ways {
            let grown = run(repeats, once);
            println!("{repeats} {what}, {n} rows: {} kB more", grown >> 10);
            assert!(grown < 15 << 20, "{repeats} {what}, {n} rows: {} kB more", grown >> 10);
        }
    }
    // Plans of many shapes, when their kernels are compiled: few, and kept in a number that is bounded.
    let plan = |n: usize| drop(TridiagonalPlan::<f32>::new(&gpu, Shape::single(n), Options::on_device()).unwrap());
    (1..=12_000).for_each(plan);
    let before = resident();
    (1..=12_000).for_each(plan);
    let grown = resident().zip(before).map_or(0, |(after, before)| after.saturating_sub(before));
    println!("plans of 12 000 shapes: {} kB more", grown >> 10);
    assert!(grown < 15 << 20, "plans of 12 000 shapes: {} kB more", grown >> 10);
}
