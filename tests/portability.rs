//! Every shader permutation is valid and translates to what other vendors run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use naga::back::{hlsl, msl, spv};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use trisolve_lab::{KernelSource, kernel_sources};

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

fn translate(shader: &KernelSource, module: &naga::Module, info: &ModuleInfo) {
    let constants = shader.overrides.iter().map(|&(name, value)| (name.to_owned(), f64::from(value))).collect();
    let (module, info) = naga::back::pipeline_constants::process_overrides(module, info, None, &constants)
        .unwrap_or_else(|e| panic!("{}: overrides: {e}", shader.name));
    spv::write_vec(&module, &info, &spv::Options::default(), None)
        .unwrap_or_else(|e| panic!("{}: SPIR-V: {e}", shader.name));
    let options = hlsl::Options {
        shader_model: hlsl::ShaderModel::V6_0,
        fake_missing_bindings: true,
        ..hlsl::Options::default()
    };
    let pipeline = hlsl::PipelineOptions::default();
    hlsl::Writer::new(&mut String::new(), &options, &pipeline)
        .write(&module, &info, None)
        .unwrap_or_else(|e| panic!("{}: HLSL: {e}", shader.name));
    if !shader.f64 {
        let options = msl::Options { lang_version: (2, 4), fake_missing_bindings: true, ..msl::Options::default() };
        msl::write_string(&module, &info, &options, &msl::PipelineOptions::default())
            .unwrap_or_else(|e| panic!("{}: MSL: {e}", shader.name));
    }
}

/// Of the permutations of one source, which differ by the numbers of `override` declarations alone, the one with the least numbers is
/// translated; for one source of each kernel also that with the largest.
#[test]
fn every_permutation_reaches_every_backend_that_has_its_features() {
    let all = &*ALL;
    assert!(all.len() > 100, "only {} permutations", all.len());
    assert!(all.iter().any(|s| s.f64) && all.iter().any(|s| s.subgroups));
    let mut by_source = BTreeMap::<_, Vec<_>>::new();
    for shader in all {
        by_source.entry(&shader.compiled).or_default().push(shader);
    }
    let mut translated = 0;
    let mut with_largest = BTreeSet::new();
    for shaders in by_source.values_mut() {
        shaders.sort_by_key(|shader| &shader.overrides);
        let (module, info) = validated(shaders[0]);
        let largest = shaders[1..].last().filter(|shader| with_largest.insert((shader.kernel, shader.precision)));
        for shader in [&shaders[0]].into_iter().chain(largest) {
            translate(shader, &module, &info);
            translated += 1;
        }
    }
    println!("{} permutations of {} sources: {translated} translated", all.len(), by_source.len());
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
