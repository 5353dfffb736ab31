use trisolve::tridiagonal::*;
use trisolve::*;
#[test]
fn smoke() {
    for checked in [false] {
    let gpu = Gpu::with_options(GpuOptions{checked, ..Default::default()}).unwrap();
    println!("{:?} lanes {}", gpu.info().name, gpu.capabilities().subgroup_lanes);
    for n in [1usize,2,3,4,5,17,1000,1023,1024,1025,2048,2049,4097,10000,100000] {
        for alg in Algorithm::ALL {
            for batch in [1usize, 3] { for inter in [false,true] {
            let shape = if inter {Shape::interleaved(n,batch)} else {Shape::contiguous(n,batch)};
            let m = n*batch;
            let lower: Vec<f32> = (0..m).map(|i| -((i*7919%13) as f32)/13.0-0.1).collect();
            let upper: Vec<f32> = (0..m).map(|i| ((i*104729%17) as f32)/17.0-0.4).collect();
            let diag: Vec<f32> = (0..m).map(|i| lower[i].abs()+upper[i].abs()+0.01 ).collect();
            let rhs: Vec<f32> = (0..m).map(|i| ((i*31%101) as f32)/50.0-1.0).collect();
            let t = std::time::Instant::now();
            let plan = TridiagonalPlan::<f32>::new(&gpu, shape, Options::default().algorithm(alg)).unwrap();
            let sol = plan.solve_reported(&System::new(&lower,&diag,&upper), &rhs).unwrap();
            let mut worst = 0f64;
            for s in 0..batch {
                let pick = |v:&[f32]| (0..n).map(|i| v[shape.matrix_index(s,i)] as f64).collect::<Vec<_>>();
                let want = cpu::gtsv(&pick(&lower),&pick(&diag),&pick(&upper),&pick(&rhs)).unwrap();
                let got = pick(&sol.x);
                let e = want.iter().zip(&got).map(|(a,b)| (a-b)*(a-b)).sum::<f64>().sqrt() / want.iter().map(|a| a*a).sum::<f64>().sqrt();
                if !(e <= worst) { worst = e; }
            }
            if !(worst < 1e-5) || n==100000 { println!("{checked} n {n} b {batch} {inter} {alg}: err {worst:e} res {:e} {:.3?}", sol.relative_residual, t.elapsed()); }
            }}
        }
    }}
}
