//! Matrices that are split where they lie.

use crate::common::gpu;
use trisolve::quasi_tridiagonal::{Algorithm, DeviceCsr, DeviceSystem, Options, Pattern, QuasiTridiagonalPlan};
use trisolve::{DeviceSlice, DeviceVector, Error, FeatureSwitches, Gpu, Real};
use trisolve_lab::seed;
use trisolve_lab::{OffBand, quasi_matrix, quasi_methods};

/// Indices in device memory.
fn indices(gpu: &Gpu, values: &[u32]) -> trisolve::wgpu::Buffer {
    use trisolve::wgpu::{BufferDescriptor, BufferUsages};
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
    let size = 4 * values.len().max(1) as u64;
    let buffer = gpu.device().create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    gpu.queue().write_buffer(&buffer, 0, &bytes);
    buffer
}

/// Offsets, columns, values.
type Compressed<T> = (Vec<u32>, Vec<u32>, Vec<T>);

/// Rows in compressed form, in the order they are given.
fn compressed<T: Real>(rows: &[Vec<(u32, T)>]) -> Compressed<T> {
    let (mut offsets, mut columns, mut values) = (vec![0], vec![], vec![]);
    for row in rows {
        columns.extend(row.iter().map(|entry| entry.0));
        values.extend(row.iter().map(|entry| entry.1));
        offsets.push(columns.len() as u32);
    }
    (offsets, columns, values)
}

fn on_the_device<T: Real>(methods: impl IntoIterator<Item = Options>, seed: u64) {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let n = 700;
    let matrix = quasi_matrix::<T>(n, OffBand::Irregular, false, seed).unwrap();
    // Backwards, and every entry in two halves.
    let half = |(column, value): (usize, T)| [(column as u32, value * T::from_f64(0.5)); 2];
    let rows: Vec<Vec<_>> = (0..n)
        .map(|row| {
            let mut own: Vec<_> = matrix.row(row).flat_map(half).collect();
            own.reverse();
            own
        })
        .collect();
    let (offsets, columns, values) = compressed(&rows);
    let width = rows.iter().map(Vec::len).max().unwrap();
    let pattern = Pattern { rows: n, entries: columns.len(), width };
    let [offset_buffer, column_buffer] = [&offsets, &columns].map(|values| indices(&gpu, values));
    let value_buffer = DeviceVector::from_slice(&gpu, "values", &values).unwrap();
    let on_device = DeviceCsr {
        offsets: DeviceSlice::whole(&offset_buffer),
        columns: DeviceSlice::whole(&column_buffer),
        values: value_buffer.as_slice(),
    };
    let rhs: Vec<T> = (0..n).map(|i| T::from_f64((i % 13) as f64 - 6.0)).collect();
    let right = DeviceVector::from_slice(&gpu, "rhs", &rhs).unwrap();
    let x = DeviceVector::<T>::new(&gpu, "x", n).unwrap();
    for options in methods {
        let plan = match QuasiTridiagonalPlan::<T>::for_pattern(&gpu, pattern, options) {
            Err(Error::Unsupported { .. })
                if [Algorithm::Bicg, Algorithm::Bicrstab, Algorithm::GaussSeidel].contains(&options.algorithm) =>
            {
                continue;
            }
            plan => plan.unwrap(),
        };
        let split = plan.bind_matrix(&on_device).unwrap();
        let bound = plan.bind(&DeviceSystem::new(right.as_slice(), x.as_slice())).unwrap();
        // Twice, as an engine would whose entries change.
        for _ in 0..2 {
            split.submit().unwrap();
            assert_eq!(split.check().unwrap(), (0, None));
            let (report, _) = bound.solve(&mut |_, _| {}).unwrap();
            report.check().unwrap();
            // Of rows as they are: a matrix that comes later is not scaled.
            let product = matrix.times(&x.read(&gpu).unwrap()).unwrap();
            let norm = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::hypot);
            let off = norm(&mut rhs.iter().zip(&product).map(|(b, own)| b.to_f64() - own.to_f64()));
            let residual = off / norm(&mut rhs.iter().map(|b| b.to_f64()));
            assert!(residual < 2e-6, "{}: {residual:e}", report.method());
        }
        let host = QuasiTridiagonalPlan::new(&gpu, &matrix, options).unwrap();
        assert!(matches!(host.bind_matrix(&on_device), Err(Error::Options(_))));
    }
}

#[test]
fn a_matrix_in_device_memory() {
    let seed = seed("a_matrix_in_device_memory");
    on_the_device::<f32>(quasi_methods(), seed);
    if gpu(true, FeatureSwitches::ALL).capabilities().features.f64 {
        // Half of the methods, the other half mixed.
        let of = |(at, options)| Options { mixed: (at as u64 + seed).is_multiple_of(2), ..options };
        on_the_device::<f64>(quasi_methods().into_iter().enumerate().map(of), seed);
    }
}

#[test]
fn what_is_wrong_with_a_matrix_in_device_memory() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let sound = (vec![0u32, 2, 4, 6], vec![0u32, 1, 0, 1, 2, 0], vec![2.0f32, 1.0, 1.0, 2.0, 2.0, 1.0]);
    let found = |change: &dyn Fn(&mut Compressed<f32>)| {
        let mut own = sound.clone();
        change(&mut own);
        let [offsets, columns] = [&own.0, &own.1].map(|values| indices(&gpu, values));
        let values = DeviceVector::from_slice(&gpu, "values", &own.2).unwrap();
        let matrix = DeviceCsr {
            offsets: DeviceSlice::whole(&offsets),
            columns: DeviceSlice::whole(&columns),
            values: values.as_slice(),
        };
        let pattern = Pattern { rows: 3, entries: 6, width: 1 };
        let options = Options::default().algorithm(Algorithm::Jacobi);
        let plan = QuasiTridiagonalPlan::<f32>::for_pattern(&gpu, pattern, options)?;
        let bound = plan.bind_matrix(&matrix)?;
        bound.submit()?;
        bound.check()
    };
    assert_eq!(found(&|_| {}), Ok((0, None)));
    assert_eq!(found(&|own| own.2[2] = -9.0), Ok((1, Some(1))));
    assert!(matches!(found(&|own| own.0[1] = 5), Err(Error::Shape(_))));
    assert!(matches!(found(&|own| own.0[3] = 7), Err(Error::Shape(_))));
    let outside = |result| matches!(result, Err(Error::Shape(message)) if message.contains("row 1 has a column"));
    assert!(outside(found(&|own| own.1[3] = 3)));
    assert!(outside(found(&|own| own.1[3] = u32::MAX)));
    assert!(matches!(found(&|own| own.1[0] = 2), Err(Error::ZeroOnDiagonal { row: 0, .. })));
    assert!(matches!(found(&|own| own.2[5] = f32::NAN), Err(Error::NonFiniteInput { row: 2, .. })));
    assert!(matches!(found(&|own| own.2[4..].fill(0.0)), Err(Error::EmptyRow { row: 2 })));
    assert!(matches!(found(&|own| own.1[4..].fill(0)), Err(Error::Length { .. })));
    assert!(matches!(found(&|own| own.0.truncate(3)), Err(Error::Length { vector: "offsets", .. })));
    assert!(matches!(found(&|own| own.2.truncate(5)), Err(Error::Length { vector: "values", .. })));
}
