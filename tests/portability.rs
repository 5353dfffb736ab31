//! Shader permutations are valid and translate to what other vendors run.

#[path = "common/draw.rs"]
mod draw;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use draw::{all_cases, some};
use naga::back::{hlsl, msl, spv};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use trisolve_lab::{KernelSource, kernel_sources, seed};

static ALL: LazyLock<Vec<KernelSource>> = LazyLock::new(kernel_sources);

/// A source of these permutations, parsed and validated.
fn validated(shader: &KernelSource) -> (naga::Module, ModuleInfo) {
    let module = naga::front::wgsl::parse_str(&shader.compiled)
        .unwrap_or_else(|e| panic!("{}: {}", shader.name, e.emit_to_string(&shader.compiled)));
    let mut capabilities = Capabilities::default();
    capabilities.set(Capabilities::FLOAT64, shader.f64);
    capabilities.set(Capabilities::SHADER_INT64, shader.int64);
    capabilities.set(Capabilities::SUBGROUP, shader.subgroups);
    let info = Validator::new(ValidationFlags::all(), capabilities)
        .validate(&module)
        .unwrap_or_else(|e| panic!("{}: {}", shader.name, e.emit_to_string(&shader.compiled)));
    (module, info)
}

/// What naga translates to.
const BACKENDS: [Backend; 3] = [Backend::SpirV, Backend::Hlsl, Backend::Msl];

#[derive(Clone, Copy)]
enum Backend {
    SpirV,
    Hlsl,
    Msl,
}

fn translate(shader: &KernelSource, module: &naga::Module, info: &ModuleInfo, backends: &[Backend]) {
    let constants = shader.overrides.iter().map(|&(name, value)| (name.to_owned(), f64::from(value))).collect();
    let (module, info) = naga::back::pipeline_constants::process_overrides(module, info, None, &constants)
        .unwrap_or_else(|e| panic!("{}: overrides: {e}", shader.name));
    for backend in backends {
        match backend {
            Backend::SpirV => {
                spv::write_vec(&module, &info, &spv::Options::default(), None)
                    .unwrap_or_else(|e| panic!("{}: SPIR-V: {e}", shader.name));
            }
            Backend::Hlsl => {
                let options = hlsl::Options {
                    shader_model: hlsl::ShaderModel::V6_0,
                    fake_missing_bindings: true,
                    ..hlsl::Options::default()
                };
                hlsl::Writer::new(&mut String::new(), &options, &hlsl::PipelineOptions::default())
                    .write(&module, &info, None)
                    .unwrap_or_else(|e| panic!("{}: HLSL: {e}", shader.name));
            }
            Backend::Msl if shader.f64 => {}
            Backend::Msl => {
                let options =
                    msl::Options { lang_version: (2, 4), fake_missing_bindings: true, ..msl::Options::default() };
                msl::write_string(&module, &info, &options, &msl::PipelineOptions::default())
                    .unwrap_or_else(|e| panic!("{}: MSL: {e}", shader.name));
            }
        }
    }
}

/// Permutations of one source differ by the numbers of `override` declarations alone. Each run draws a sixth of the sources, and one of each
/// kernel in each precision. Of each source the permutation with the least numbers goes to one backend. For one
/// source per kernel and precision, the permutation with the largest numbers goes to all backends that have its features.
#[test]
fn drawn_sources_reach_every_backend_that_has_their_features() {
    let all = &*ALL;
    assert!(all.len() > 100, "only {} permutations", all.len());
    assert!(all.iter().any(|s| s.f64) && all.iter().any(|s| s.subgroups));
    let mut random = SmallRng::seed_from_u64(seed("every_permutation_reaches_every_backend_that_has_its_features"));
    let mut by_source = BTreeMap::<_, Vec<_>>::new();
    for shader in all {
        by_source.entry(&shader.compiled).or_default().push(shader);
    }
    let sources = by_source.len();
    let mut translated = 0;
    let mut with_largest = BTreeSet::new();
    for (at, mut shaders) in
        some(&mut random, &by_source.into_values().collect::<Vec<_>>(), sources).into_iter().enumerate()
    {
        let first = with_largest.insert((shaders[0].kernel, shaders[0].precision));
        if at > sources / 6 && !first && !all_cases() {
            continue;
        }
        shaders.sort_by_key(|shader| &shader.overrides);
        let (module, info) = validated(shaders[0]);
        translate(shaders[0], &module, &info, &some(&mut random, &BACKENDS, 1));
        translated += 1;
        if first {
            translate(shaders[shaders.len() - 1], &module, &info, &BACKENDS);
            translated += 1;
        }
    }
    println!("{} permutations of {sources} sources: {translated} translated", all.len());
}

#[test]
fn every_kernel_has_a_form_for_all_backends() {
    let all = &*ALL;
    // The probe asks what subgroups are like. Two passes do what one together does.
    let special = ["probe", "partition_together"];
    let kernels: BTreeSet<_> = all.iter().map(kernel).filter(|name| !special.contains(name)).collect();
    for name in kernels {
        assert!(
            all.iter().any(|s| kernel(s) == name && !s.f64 && !s.subgroups),
            "{name} needs f64 or subgroups in every permutation"
        );
    }
}

fn kernel(shader: &KernelSource) -> &str {
    shader.name.split(' ').next().unwrap_or_default()
}
