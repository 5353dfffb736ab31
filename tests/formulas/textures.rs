//! Textures that formulas read, and textures as unknowns.

use trisolve::tridiagonal::{Along, DeviceSystem, Diagonal, Formulas, Options, Resource, Shape, TridiagonalPlan};
use trisolve::{DeviceVector, Error, FeatureSwitches, Gpu, wgpu};
use trisolve_lab::OnDevice;

use crate::common::gpu;

const WIDTH: usize = 45;
const HEIGHT: usize = 31;
/// RGBA in f32.
const BYTES_PER_TEXEL: u32 = 16;

fn texture(gpu: &Gpu, format: wgpu::TextureFormat, usage: wgpu::TextureUsages) -> wgpu::Texture {
    let size = wgpu::Extent3d { width: WIDTH as u32, height: HEIGHT as u32, depth_or_array_layers: 1 };
    texture_of(gpu, format, usage, (size, 1))
}

fn texture_of(
    gpu: &Gpu,
    format: wgpu::TextureFormat,
    usage: wgpu::TextureUsages,
    (size, mip_level_count): (wgpu::Extent3d, u32),
) -> wgpu::Texture {
    gpu.device().create_texture(&wgpu::TextureDescriptor {
        label: None,
        size,
        mip_level_count,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}

fn view(texture: &wgpu::Texture) -> wgpu::TextureView {
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

/// Four numbers per texel.
fn image() -> Vec<f32> {
    (0..WIDTH * HEIGHT * 4).map(|at| ((at * 7919) % 256) as f32 / 16.0).collect()
}

fn upload(gpu: &Gpu, texture: &wgpu::Texture, values: &[f32]) {
    let layout = wgpu::TexelCopyBufferLayout {
        offset: 0,
        bytes_per_row: Some(BYTES_PER_TEXEL * WIDTH as u32),
        rows_per_image: None,
    };
    gpu.queue().write_texture(texture.as_image_copy(), bytemuck::cast_slice(values), layout, texture.size());
}

/// The texels, in order.
fn read(gpu: &Gpu, texture: &wgpu::Texture) -> Vec<f32> {
    let bytes_per_row = (BYTES_PER_TEXEL * WIDTH as u32).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let len = (bytes_per_row as usize / 4) * HEIGHT;
    let copy = DeviceVector::<f32>::new(gpu, "texels", len).unwrap();
    let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(bytes_per_row), rows_per_image: None };
    let target = wgpu::TexelCopyBufferInfo { buffer: copy.buffer(), layout };
    encoder.copy_texture_to_buffer(texture.as_image_copy(), target, texture.size());
    gpu.queue().submit([encoder.finish()]);
    let values = copy.read(gpu).unwrap();
    values.chunks(bytes_per_row as usize / 4).flat_map(|row| row[..4 * WIDTH].to_vec()).collect()
}

/// From a texture to a texture, along rows and along columns: as from a vector of the same numbers to a vector.
#[test]
fn images_along_rows_and_columns() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let format = wgpu::TextureFormat::Rgba32Float;
    let source = texture(&gpu, format, wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST);
    let target = texture(&gpu, format, wgpu::TextureUsages::STORAGE_BINDING | wgpu::TextureUsages::COPY_SRC);
    let values = image();
    upload(&gpu, &source, &values);
    let conductances: Vec<f32> = (0..=WIDTH).map(|at| 0.5 + (at % 3) as f32).collect();
    let conductance = DeviceVector::from_slice(&gpu, "conductance", &conductances).unwrap();
    let options = Options::on_device().diagonal(Diagonal::Excess);
    for (along, channels, texel) in
        [(Along::Rows, 4, "image(i, system, column)"), (Along::Columns, 3, "image(system, i, column)")]
    {
        let shape = Shape::pixels(WIDTH, HEIGHT, channels, along);
        let matrix = Formulas::new()
            .lower("-conductance(i)")
            .upper("-conductance(i + 1u)")
            .diag("real(1.0)")
            .vector("conductance");
        let by_texture = matrix.clone().rhs(texel).texture("image");
        let plan = TridiagonalPlan::<f32>::with_formulas(&gpu, shape, options, &by_texture).unwrap();
        let image = view(&source);
        let named = [("image", Resource::from(&image)), ("conductance", conductance.as_slice().into())];
        let solve = |resources: &[(&str, Resource<'_, f32>)], plan: &TridiagonalPlan<f32>, x: Resource<'_, f32>| {
            let bound = plan.bind_named(resources, Some(x)).unwrap();
            bound.submit().unwrap();
            bound.read_status().unwrap().check().unwrap();
        };
        solve(&named, &plan, (&view(&target)).into());
        let right: Vec<f32> = values.chunks(4).flat_map(|texel| texel[..channels].to_vec()).collect();
        let rhs = DeviceVector::from_slice(&gpu, "rhs", &right).unwrap();
        let x = DeviceVector::<f32>::new(&gpu, "x", right.len()).unwrap();
        let by_vector = TridiagonalPlan::<f32>::with_formulas(&gpu, shape, options, &matrix).unwrap();
        let of_vector = [named[1], ("rhs", rhs.as_slice().into())];
        solve(&of_vector, &by_vector, x.as_slice().into());
        let expected = x.read(&gpu).unwrap();
        let found = read(&gpu, &target);
        let (found, alphas): (Vec<&[f32]>, Vec<_>) = found.chunks(4).map(|texel| texel.split_at(channels)).unzip();
        assert_eq!(found.concat(), expected, "{along:?}");
        assert!(alphas.iter().all(|alpha| alpha.iter().all(|value| *value == 1.0)), "{along:?}");
        assert_eq!(
            plan.residuals_named(&named, x.as_slice()).unwrap(),
            by_vector.residuals_named(&of_vector, x.as_slice()).unwrap(),
            "{along:?}"
        );
    }
}

#[test]
fn textures_that_do_not_fit_are_refused() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let formulas = Formulas::new().lower("-1.0").upper("-1.0").diag("4.0").rhs("image(i, system, 0u)").texture("image");
    let shape = Shape::pixels(WIDTH, HEIGHT, 1, Along::Rows);
    let plan = TridiagonalPlan::<f32>::with_formulas(&gpu, shape, Options::on_device(), &formulas).unwrap();
    let x = DeviceVector::<f32>::new(&gpu, "x", WIDTH * HEIGHT).unwrap();
    let source = wgpu::TextureUsages::TEXTURE_BINDING;
    let storage = wgpu::TextureUsages::STORAGE_BINDING;
    let refused = |error: Option<Error>, said: &str| match error {
        Some(Error::Options(text)) => assert!(text.contains(said), "{text}, not {said}"),
        other => panic!("{other:?}, not {said}"),
    };
    let x_slice = Some(Resource::from(x.as_slice()));
    for (format, usage, said) in [
        (wgpu::TextureFormat::R32Float, wgpu::TextureUsages::COPY_DST, "image needs TextureUsages::TEXTURE_BINDING"),
        (wgpu::TextureFormat::R32Uint, source, "image needs floating-point"),
    ] {
        let image = view(&texture(&gpu, format, usage));
        refused(plan.bind_named(&[("image", (&image).into())], x_slice).err(), said);
    }
    let image = view(&texture(&gpu, wgpu::TextureFormat::R32Float, source));
    let named = [("image", Resource::from(&image))];
    assert!(plan.bind_named(&named, x_slice).is_ok());
    for (format, usage, said) in [
        (wgpu::TextureFormat::R32Float, source, "x needs TextureUsages::STORAGE_BINDING"),
        (wgpu::TextureFormat::Rg32Float, storage, "rgba8unorm, not Rg32Float"),
    ] {
        let target = view(&texture(&gpu, format, usage));
        refused(plan.bind_named(&named, Some((&target).into())).err(), said);
    }
    // Five channels, of which a texel holds four.
    let five = Shape::pixels(WIDTH, HEIGHT, 5, Along::Rows);
    let plan_of_five = TridiagonalPlan::<f32>::with_formulas(&gpu, five, Options::on_device(), &formulas).unwrap();
    let target = view(&texture(&gpu, wgpu::TextureFormat::Rgba32Float, storage));
    refused(plan_of_five.bind_named(&named, Some((&target).into())).err(), "Shape::pixels(45, 31, 1 to 4, ..)");
    // The image on its side, and a second level.
    let beside = wgpu::Extent3d { width: HEIGHT as u32, height: WIDTH as u32, depth_or_array_layers: 1 };
    let turned = view(&texture_of(&gpu, wgpu::TextureFormat::R32Float, storage, (beside, 1)));
    refused(plan.bind_named(&named, Some((&turned).into())).err(), "Shape::pixels(31, 45, 1 to 1, ..)");
    let size = wgpu::Extent3d { width: WIDTH as u32, height: HEIGHT as u32, depth_or_array_layers: 1 };
    let levels = view(&texture_of(&gpu, wgpu::TextureFormat::R32Float, storage, (size, 2)));
    refused(plan.bind_named(&named, Some((&levels).into())).err(), "one mip level");
    // A depth texture is a source.
    let depth = view(&texture(&gpu, wgpu::TextureFormat::Depth32Float, source));
    assert!(plan.bind_named(&[("image", (&depth).into())], x_slice).is_ok());
    // Names of the other kind.
    refused(plan.bind_named(&[("image", x.as_slice().into())], x_slice).err(), "a vector is given");
    let plain = TridiagonalPlan::<f32>::new(&gpu, shape, Options::on_device()).unwrap();
    let slice = Resource::from(x.as_slice());
    let named = [("lower", slice), ("diag", slice), ("upper", slice), ("rhs", (&image).into())];
    refused(plain.bind_named(&named, x_slice).err(), "read the texture in a formula of rhs");
    let taken = Formulas::new().diag("sin(1u, 2u, 3u)").texture("sin").check::<f32>();
    refused(taken.err(), "a texture cannot be called \"sin\"");
    let unread = Formulas::new().diag("1.0 + image").texture("image").check::<f32>();
    assert!(unread.is_err_and(|error| error.to_string().contains("`image(x, y, c)`")));
    // A system in device memory has no textures.
    let [lower, diag, upper, rhs] = [x.as_slice(); 4];
    let system = DeviceSystem { lower, diag, upper, rhs, x: Some(x.as_slice()) };
    refused(plan.bind(&system).err(), "bind_named");
}
