//! The statistics of the driver. wgpu opens the device with the extension; the kernels are compiled once more beside it, since wgpu does not ask
//! for statistics.

use std::ffi::CStr;

use ash::khr::pipeline_executable_properties as executable;
use ash::vk;
use naga::back::spv;
use naga::proc::BoundsCheckPolicies;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use trisolve::Gpu;
use trisolve::tridiagonal::{Algorithm, Options, Shape, TridiagonalPlan};
use trisolve_lab::{KernelSource, kernels_of};
use wgpu::hal::api::Vulkan;

use crate::failure::Failure;

type Outcome<T> = Result<T, Failure>;

/// A device with the extension: of the first adapter that is no CPU, else of the first adapter.
async fn device() -> Outcome<(Gpu, wgpu::Device)> {
    let instance = wgpu::Instance::default();
    let mut adapters = instance.enumerate_adapters(wgpu::Backends::VULKAN).await;
    adapters.sort_by_key(|adapter| adapter.get_info().device_type == wgpu::DeviceType::Cpu);
    let adapter = adapters.first().ok_or("no Vulkan adapter: install a driver")?;
    let descriptor = wgpu::DeviceDescriptor {
        required_features: trisolve::wanted_features(adapter),
        required_limits: trisolve::required_limits(adapter),
        ..Default::default()
    };
    let mut feature =
        vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default().pipeline_executable_info(true);
    // SAFETY: the extension and its feature are added only if the device has the extension, which implies the feature.
    let (device, queue) = unsafe {
        let hal = adapter.as_hal::<Vulkan>().ok_or("not a Vulkan adapter")?;
        let extensions =
            hal.shared_instance().raw_instance().enumerate_device_extension_properties(hal.raw_physical_device())?;
        if !extensions.iter().any(|own| own.extension_name_as_c_str() == Ok(executable::NAME)) {
            return Err(format!("{} has no VK_KHR_pipeline_executable_properties", adapter.get_info().name).into());
        }
        let feature = &mut feature;
        let opened = hal.open_with_callback(
            descriptor.required_features,
            &descriptor.required_limits,
            &descriptor.memory_hints,
            Some(Box::new(move |arguments| {
                arguments.extensions.push(executable::NAME);
                *arguments.create_info = arguments.create_info.push_next(feature);
            })),
        )?;
        adapter.create_device_from_hal(opened, &descriptor)?
    };
    let gpu = Gpu::from_wgpu(device.clone(), queue, adapter.get_info());
    Ok((gpu, device))
}

/// The SPIR-V of a kernel as the library compiles it, without checks, and the module's resources.
fn compiled(kernel: &KernelSource) -> Outcome<(Vec<u32>, naga::Module)> {
    let module = naga::front::wgsl::parse_str(&kernel.compiled)?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module)?;
    let declared = |name: &str| module.overrides.iter().any(|(_, own)| own.name.as_deref() == Some(name));
    let values = kernel.overrides.iter().filter(|(name, _)| declared(name));
    let values = values.map(|&(name, value)| (name.to_owned(), f64::from(value))).collect();
    let entry = Some((naga::ShaderStage::Compute, "main"));
    let (module, info) = naga::back::pipeline_constants::process_overrides(&module, &info, entry, &values)?;
    let unchecked = naga::proc::BoundsCheckPolicy::Unchecked;
    let options = spv::Options {
        lang_version: (1, 3),
        bounds_check_policies: BoundsCheckPolicies {
            index: unchecked,
            buffer: unchecked,
            image_load: unchecked,
            binding_array: unchecked,
        },
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: false,
        emit_int_div_checks: false,
        ..Default::default()
    };
    let pipeline = spv::PipelineOptions { shader_stage: naga::ShaderStage::Compute, entry_point: "main".into() };
    let words = spv::write_vec(&module, &info, &options, Some(&pipeline))?;
    Ok((words, module.into_owned()))
}

/// The bindings of group 0.
fn bindings(module: &naga::Module) -> Vec<vk::DescriptorSetLayoutBinding<'static>> {
    let of = |(_, variable): (_, &naga::GlobalVariable)| {
        let kind = match variable.space {
            naga::AddressSpace::Uniform => vk::DescriptorType::UNIFORM_BUFFER,
            naga::AddressSpace::Storage { .. } => vk::DescriptorType::STORAGE_BUFFER,
            _ => return None,
        };
        let binding = vk::DescriptorSetLayoutBinding::default().descriptor_type(kind).descriptor_count(1);
        Some(binding.binding(variable.binding.as_ref()?.binding).stage_flags(vk::ShaderStageFlags::COMPUTE))
    };
    module.global_variables.iter().filter_map(of).collect()
}

fn text(of: &CStr) -> String {
    of.to_string_lossy().replace(',', " ")
}

/// The names and values of a kernel's statistics.
///
/// # Safety
/// `device` has the extension enabled, and belongs to `instance`.
unsafe fn statistics(
    instance: &ash::Instance,
    device: &ash::Device,
    kernel: &KernelSource,
) -> Outcome<Vec<(String, String)>> {
    let (words, module) = compiled(kernel)?;
    let bindings = bindings(&module);
    // SAFETY: all handles are made here from valid arguments, and destroyed after their last use.
    unsafe {
        let code = vk::ShaderModuleCreateInfo::default().code(&words);
        let shader = device.create_shader_module(&code, None)?;
        let set = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let sets = [device.create_descriptor_set_layout(&set, None)?];
        let layout = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
        let layout = device.create_pipeline_layout(&layout, None)?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(shader)
            .name(c"main");
        let info = vk::ComputePipelineCreateInfo::default()
            .flags(vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR)
            .stage(stage)
            .layout(layout);
        let made = device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
        let pipeline = made.map_err(|(_, error)| error)?[0];
        let query = executable::Device::new(instance, device);
        let executables =
            query.get_pipeline_executable_properties(&vk::PipelineInfoKHR::default().pipeline(pipeline))?;
        let mut all = vec![];
        for index in 0..executables.len() as u32 {
            let which = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline).executable_index(index);
            for own in query.get_pipeline_executable_statistics(&which)? {
                let value = match own.format {
                    vk::PipelineExecutableStatisticFormatKHR::BOOL32 => (own.value.b32 != 0).to_string(),
                    vk::PipelineExecutableStatisticFormatKHR::INT64 => own.value.i64.to_string(),
                    vk::PipelineExecutableStatisticFormatKHR::UINT64 => own.value.u64.to_string(),
                    _ => own.value.f64.to_string(),
                };
                all.push((text(own.name_as_c_str()?), value));
            }
        }
        device.destroy_pipeline(pipeline, None);
        device.destroy_pipeline_layout(layout, None);
        device.destroy_descriptor_set_layout(sets[0], None);
        device.destroy_shader_module(shader, None);
        Ok(all)
    }
}

pub fn print_statistics(algorithm: Algorithm, rows: usize, policies: &[String]) -> Outcome<()> {
    let (gpu, device) = pollster::block_on(device())?;
    let adapter = &gpu.info().name;
    println!("policy,kernel,statistic,value,adapter");
    for policy in policies {
        let options = Options::default().algorithm(algorithm);
        let taken = TridiagonalPlan::<f32>::new(&gpu, Shape::single(rows), options)?.policy().with(policy)?;
        let plan = TridiagonalPlan::<f32>::new(&gpu, Shape::single(rows), options.policy(taken))?;
        for kernel in kernels_of(&plan)? {
            // SAFETY: `device` opened both with the extension.
            let found = unsafe {
                let hal = device.as_hal::<Vulkan>().ok_or("not a Vulkan device")?;
                statistics(hal.shared_instance().raw_instance(), hal.raw_device(), &kernel)?
            };
            for (statistic, value) in found {
                println!("\"{taken}\",{},{statistic},{value},\"{adapter}\"", kernel.kernel);
            }
        }
    }
    Ok(())
}
