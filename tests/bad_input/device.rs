//! Buffers, status words and devices.

use super::*;
use trisolve_lab::OnDevice;

struct Buffers {
    lower: DeviceVector<f32>,
    diag: DeviceVector<f32>,
    upper: DeviceVector<f32>,
    rhs: DeviceVector<f32>,
    x: DeviceVector<f32>,
}

impl Buffers {
    fn new(gpu: &Gpu, n: usize) -> Self {
        let vector = |value: f32| DeviceVector::from_slice(gpu, "v", &vec![value; n]).unwrap();
        Self { lower: vector(-1.0), diag: vector(3.0), upper: vector(-1.0), rhs: vector(1.0), x: vector(0.0) }
    }

    fn system(&self) -> DeviceSystem<'_, f32> {
        DeviceSystem {
            lower: self.lower.as_slice(),
            diag: self.diag.as_slice(),
            upper: self.upper.as_slice(),
            rhs: self.rhs.as_slice(),
            x: Some(self.x.as_slice()),
        }
    }
}

#[test]
fn device_ranges() {
    let gpu = shared();
    let n = 100;
    let plan = plan(&gpu, Shape::single(n)).unwrap();
    let buffers = Buffers::new(&gpu, 1000);
    let good = buffers.system();
    assert!(plan.bind(&good).is_ok());
    let range = |buffer, offset, len| DeviceSlice::<f32>::new(buffer, offset, len);

    let short = DeviceSystem { upper: buffers.upper.slice(0, n - 1), ..good };
    assert!(matches!(plan.bind(&short), Err(Error::Length { vector: "upper", .. })));
    let past = DeviceSystem { diag: range(buffers.diag.buffer(), 3968, n), ..good };
    assert!(matches!(plan.bind(&past), Err(Error::BufferTooSmall { vector: "diag", .. })));
    let absurd = DeviceSystem { diag: range(buffers.diag.buffer(), 0, usize::MAX), ..good };
    assert!(matches!(plan.bind(&absurd), Err(Error::BufferTooSmall { vector: "diag", .. })));
    assert!(plan.bind(&DeviceSystem { lower: range(buffers.lower.buffer(), 4, n), ..good }).is_ok());
    let askew = DeviceSystem { lower: range(buffers.lower.buffer(), 6, n), ..good };
    assert!(matches!(plan.bind(&askew), Err(Error::Misaligned { vector: "lower", offset: 6, alignment: 4 })));

    let over_rhs = DeviceSystem { x: Some(buffers.rhs.slice(0, n)), ..good };
    assert!(matches!(plan.bind(&over_rhs), Err(Error::Overlap { first: "rhs", second: "x" })));
    let over_diag = DeviceSystem { x: Some(buffers.diag.slice(64, n)), ..good };
    assert!(matches!(plan.bind(&over_diag), Err(Error::Overlap { first: "diag", .. })));
    let in_place_over_upper = DeviceSystem { rhs: buffers.upper.as_slice(), x: None, ..good };
    assert!(matches!(plan.bind(&in_place_over_upper), Err(Error::Overlap { first: "upper", .. })));
    // Inputs may share bytes with each other: a symmetric matrix's off-diagonals, say.
    assert!(plan.bind(&DeviceSystem { upper: buffers.lower.as_slice(), ..good }).is_ok());
    assert!(plan.bind(&DeviceSystem { x: None, ..good }).is_ok());

    let usage = wgpu::BufferUsages::COPY_DST;
    let plain = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 400,
        usage,
        mapped_at_creation: false,
    });
    let unusable = DeviceSystem { rhs: DeviceSlice::whole(&plain), ..good };
    assert!(matches!(plan.bind(&unusable), Err(Error::BufferUsage { vector: "rhs", .. })));
    assert!(matches!(DeviceSlice::<f32>::whole(&plain).read(&gpu), Err(Error::BufferUsage { .. })));

    assert!(matches!(plan.residuals(&DeviceSystem { x: None, ..good }), Err(Error::Options(_))));
    assert!(matches!(buffers.x.write(&gpu, 999, &[0.0; 2]), Err(Error::Length { .. })));
}

#[test]
fn buffers_of_another_device() {
    let gpu = shared();
    let other = Gpu::new().unwrap();
    let plan = plan(&gpu, Shape::single(10)).unwrap();
    let foreign = Buffers::new(&other, 10);
    let error = plan.bind(&foreign.system()).unwrap_err();
    assert!(matches!(error, Error::Device { .. }), "{error}");
}

#[test]
fn a_lost_device() {
    let gpu = Gpu::new().unwrap();
    let plan = plan(&gpu, Shape::single(10)).unwrap();
    let buffers = Buffers::new(&gpu, 10);
    let bound = plan.bind(&buffers.system()).unwrap();
    gpu.device().destroy();
    let (ten, two) = ([1f32; 10], [3f32; 10]);
    let lost = |result: Result<(), Error>, what| {
        assert!(matches!(result, Err(Error::DeviceLost { .. })), "{what}: {result:?}");
    };
    lost(plan.solve(&System::new(&ten, &two, &ten), &ten).map(|_| ()), "solve");
    lost(plan.bind(&buffers.system()).map(|_| ()), "bind");
    lost(bound.submit(), "submit");
    lost(bound.read_status().map(|_| ()), "status");
    lost(DeviceVector::<f32>::new(&gpu, "v", 10).map(|_| ()), "allocate");
    lost(TridiagonalPlan::<f32>::new(&gpu, Shape::single(11), Options::on_device()).map(|_| ()), "plan");
}

#[test]
fn status_words_say_what_record_saw() {
    let gpu = shared();
    // The last two: whole systems from both ends, and slices.
    for shape in [Shape::contiguous(100, 5), Shape::interleaved(33, 5), Shape::interleaved(100, 5)] {
        let plan = plan(&gpu, shape).unwrap();
        let buffers = Buffers::new(&gpu, 500);
        let bound = plan.bind(&buffers.system()).unwrap();
        bound.submit().unwrap();
        assert_eq!(bound.read_status().unwrap().check(), Ok(()));
        let write = |row, value| {
            let at = 3 * shape.layout.system_stride + row * shape.layout.element_stride;
            buffers.rhs.write(&gpu, at, &[value]).unwrap();
        };
        for rows in [[2, 17], [20, 32], [11, 31]] {
            rows.iter().for_each(|&row| write(row, f32::NAN));
            bound.submit().unwrap();
            let status = bound.read_status().unwrap();
            assert_eq!(status.non_finite_input, Some((3, rows[0])), "{shape:?}");
            assert!(status.check().is_err());
            // It stays until it is reset.
            rows.iter().for_each(|&row| write(row, 1.0));
            bound.submit().unwrap();
            assert!(bound.read_status().unwrap().check().is_err());
            bound.reset_status();
            bound.submit().unwrap();
            assert_eq!(bound.read_status().unwrap().check(), Ok(()));
        }
    }
}

#[test]
fn unknown_adapters() {
    let options = trisolve::GpuOptions { adapter_name: Some("no such card".into()), ..Default::default() };
    assert!(matches!(Gpu::with_options(options), Err(Error::UnknownAdapter { .. })));
    assert!("fastest".parse::<Algorithm>().is_err());
}
