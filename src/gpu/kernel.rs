//! Compiled kernels, and their dispatches.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::context::Gpu;
use crate::error::{Error, Result, check_limit};
use crate::shader::Permutation;
use crate::shader::linker::Linked;

/// A compute pipeline with the layout of its one bind group.
#[derive(Debug)]
pub(crate) struct CompiledKernel {
    pub pipeline: wgpu::ComputePipeline,
    pub layout: wgpu::BindGroupLayout,
    /// The permutation's name.
    #[cfg(feature = "internals")]
    pub name: String,
}

/// The WGSL of a kernel, as a device compiles it.
pub(super) struct KernelText<'a> {
    pub permutation: &'a Permutation,
    label: String,
    linked: Linked,
    text: String,
}

impl<'a> KernelText<'a> {
    /// # Errors
    /// [`Error::Kernel`], [`Error::Limit`].
    pub fn new(gpu: &Gpu, permutation: &'a Permutation) -> Result<Self> {
        let linked = permutation.linked()?;
        let mut text = linked.without_comments();
        let needed = text.matches("var<storage").count() as u64;
        let available = u64::from(gpu.capabilities().limits.max_storage_buffers_per_shader_stage);
        let what = format_args!("kernel {} (storage buffers)", permutation.kernel);
        check_limit(what, needed, "max_storage_buffers_per_shader_stage", available)?;
        if gpu.capabilities().software && needed < available {
            // Mesa's software driver compiles kernels again, at every dispatch, whose branches depend on a uniform buffer alone, and frees
            // none of them.
            text = text.replace("var<uniform>", "var<storage, read>");
        }
        let overrides = permutation.overrides.iter().filter(|(name, _)| linked.names.contains(*name));
        // For `override` declarations wgpu would copy the module and validate it again, and naga would refuse some formulas of callers, as
        // `let a = vec2(1.0, 2.0); return a.x * real(i);`.
        text = without_overrides(&text, &overrides.copied().collect::<Vec<_>>());
        Ok(Self { permutation, label: permutation.to_string(), linked, text })
    }

    /// Bytes.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// # Errors
    /// [`Error::Kernel`] and those of the device.
    pub fn compile(self, gpu: &Gpu) -> Result<CompiledKernel> {
        let Self { permutation, label, linked, text } = self;
        let device = gpu.device();
        let descriptor =
            wgpu::ShaderModuleDescriptor { label: Some(&label), source: wgpu::ShaderSource::Wgsl(text.into()) };
        let compile = || {
            let module = if gpu.checked() {
                device.create_shader_module(descriptor)
            } else {
                let needed = permutation.caller.as_ref().map(|caller| caller.checks).unwrap_or_default();
                // SAFETY: without checks a kernel must not index out of bounds, divide integers by 0 or loop without end. Every index is
                // below the lengths that the plan and the bind verify (each kernel argues its own), every loop has a bound from the
                // parameters, and every word of workgroup memory is written before it is read. For the caller's code this is known, or the
                // code asks for the check; safe code could not promise it.
                unsafe {
                    let checks = wgpu::ShaderRuntimeChecks {
                        bounds_checks: needed.bounds,
                        force_loop_bounding: needed.loops,
                        int_div_checks: needed.divisions,
                        ..wgpu::ShaderRuntimeChecks::unchecked()
                    };
                    device.create_shader_module_trusted(descriptor, checks)
                }
            };
            let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(&label),
                layout: None,
                module: &module,
                entry_point: Some("main"),
                compilation_options: wgpu::PipelineCompilationOptions {
                    zero_initialize_workgroup_memory: gpu.checked(),
                    ..Default::default()
                },
                cache: gpu.pipeline_cache(),
            });
            let layout = pipeline.get_bind_group_layout(0);
            CompiledKernel {
                pipeline,
                layout,
                #[cfg(feature = "internals")]
                name: label.clone(),
            }
        };
        // A compiler's defect in untested code must not stop the caller.
        let compiled = gpu.guarded(&label, 0, || match permutation.caller {
            None => Ok(compile()),
            Some(_) => catch_unwind(AssertUnwindSafe(compile)),
        });
        let stopped = |_| {
            let message = "the compiler stopped at a formula, a defect of its own: write it otherwise".into();
            Error::Kernel { kernel: label.clone(), message }
        };
        compiled.and_then(|compiled| compiled.map_err(stopped)).map_err(|error| match error {
            Error::Device { message, .. } => {
                Error::Kernel { kernel: label.clone(), message: linked.explained(&message) }
            }
            other => other,
        })
    }
}

/// The text with `const` declarations of the same values in place of `override` declarations, each of which has a line of its own.
fn without_overrides(text: &str, values: &[(&str, u32)]) -> String {
    let constant = |line: &str| {
        let declared = line.strip_prefix("override ")?;
        let given = declared.split_once(':').and_then(|(name, rest)| {
            let value = values.iter().find(|(of, _)| *of == name)?.1;
            let kind = rest.split(['=', ';']).next()?.trim();
            let value = if kind == "bool" { (value != 0).to_string() } else { format!("{kind}({value})") };
            Some(format!("const {name}: {kind} = {value};"))
        });
        Some(given.unwrap_or_else(|| format!("const {declared}")))
    };
    let mut written = String::with_capacity(text.len());
    for line in text.lines() {
        match constant(line) {
            Some(constant) => written.push_str(&constant),
            None => written.push_str(line),
        }
        written.push('\n');
    }
    written
}

/// Threads that compile kernels.
#[cfg(feature = "internals")]
pub fn compilers() -> usize {
    rayon::current_num_threads()
}

/// One dispatch, ready to be recorded.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    pub kernel: Arc<CompiledKernel>,
    pub group: wgpu::BindGroup,
    pub grid: [u32; 2],
    /// The buffer and offset of the grid, if the device writes it.
    indirect: Option<(wgpu::Buffer, u64)>,
}

impl Stage {
    pub fn new(
        gpu: &Gpu,
        label: &str,
        kernel: Arc<CompiledKernel>,
        bindings: &[(u32, wgpu::BufferBinding<'_>)],
        workgroups: u64,
    ) -> Result<Self> {
        Self::with_textures(gpu, label, kernel, bindings, &[], workgroups)
    }

    /// With textures beside the buffers.
    pub fn with_textures(
        gpu: &Gpu,
        label: &str,
        kernel: Arc<CompiledKernel>,
        buffers: &[(u32, wgpu::BufferBinding<'_>)],
        textures: &[(u32, &wgpu::TextureView)],
        workgroups: u64,
    ) -> Result<Self> {
        let buffers = buffers.iter().map(|(at, buffer)| (*at, wgpu::BindingResource::Buffer(buffer.clone())));
        let textures = textures.iter().map(|(at, view)| (*at, wgpu::BindingResource::TextureView(view)));
        let entry = |(binding, resource)| wgpu::BindGroupEntry { binding, resource };
        let entries: Vec<_> = buffers.chain(textures).map(entry).collect();
        let what = format!("the bindings of {label}");
        let group = gpu.guarded(&what, 0, || {
            // For a buffer of another instance wgpu panics instead of reporting an error.
            catch_unwind(AssertUnwindSafe(|| {
                gpu.device().create_bind_group(&wgpu::BindGroupDescriptor {
                    label: Some(label),
                    layout: &kernel.layout,
                    entries: &entries,
                })
            }))
        })?;
        let group = group.map_err(|_| Error::Device {
            what,
            message: "a buffer or texture belongs to another wgpu instance".into(),
        })?;
        let most = gpu.capabilities().limits.max_compute_workgroups_per_dimension;
        Ok(Self { kernel, group, grid: grid_for(most, workgroups)?, indirect: None })
    }

    /// The same with the grid in a buffer.
    pub fn indirect(self, buffer: &wgpu::Buffer, offset: u64) -> Self {
        Self { indirect: Some((buffer.clone(), offset)), ..self }
    }

    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_pipeline(&self.kernel.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        match &self.indirect {
            Some((buffer, offset)) => pass.dispatch_workgroups_indirect(buffer, *offset),
            None => pass.dispatch_workgroups(self.grid[0], self.grid[1], 1),
        }
    }
}

/// Spreads workgroups over two grid dimensions of at most `most` each, with the fewest surplus workgroups.
pub(crate) fn grid_for(most: u32, workgroups: u64) -> Result<[u32; 2]> {
    let most = u64::from(most).max(1);
    let rows = workgroups.div_ceil(most).max(1);
    let what = format_args!("a dispatch of {workgroups} workgroups");
    check_limit(what, rows, "max_compute_workgroups_per_dimension", most)?;
    Ok([workgroups.div_ceil(rows) as u32, rows as u32])
}
