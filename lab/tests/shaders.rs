//! The linker: every message of a compiler leads to a file, and structs in uniform memory are those of Rust.

use std::collections::BTreeSet;

use naga::{AddressSpace, ScalarKind, TypeInner};

use trisolve::internals::plan::Params;
use trisolve::internals::quasi_tridiagonal::QuasiParams;
use trisolve::internals::triangular::TriangularParams;
use trisolve::internals::{Linked, modules};
use trisolve_lab::permutations;

/// A line that no compiler takes, put into any file, is reported with the file and the line.
#[test]
fn an_error_in_any_file_is_reported_there() {
    let all: Vec<_> = permutations().iter().map(|permutation| permutation.linked().unwrap()).collect();
    for path in modules() {
        let found = all.iter().find_map(|linked| Some((linked, linked.modules.iter().position(|own| own == path)?)));
        let Some((linked, module)) = found else { panic!("no kernel reaches {path}") };
        let lines: Vec<_> = linked.text.lines().collect();
        let is_code = |line: &usize| {
            linked.origins[*line].is_some_and(|origin| origin.module == module) && !lines[*line].starts_with("//")
        };
        let at = (0..lines.len()).find(is_code).unwrap();
        let mut broken = lines.clone();
        broken[at] = "?";
        let broken = broken.join("\n");
        let error = naga::front::wgsl::parse_str(&broken).unwrap_err().emit_to_string(&broken);
        let origin = linked.origins[at].unwrap();
        let place = format!("(shaders/{}.wgsl:{})", path.replace("::", "/"), origin.line);
        let explained = linked.explained(&error);
        assert!(explained.contains(&place), "{place} is not in {explained}");
    }
}

#[test]
fn messages_without_places_stay() {
    let linked = Linked::default();
    for message in ["", "no place", "wgsl:", "wgsl:12:1 past the end", "see wgsl: nothing"] {
        assert_eq!(linked.explained(message), message);
    }
}

/// Every struct in uniform memory has the fields of the Rust struct of its name, in the same places.
#[test]
fn structs_are_those_of_rust() {
    let expected = [
        ("Params", Params::FIELDS, size_of::<Params>()),
        ("QuasiParams", QuasiParams::FIELDS, size_of::<QuasiParams>()),
        ("TriangularParams", TriangularParams::FIELDS, size_of::<TriangularParams>()),
    ];
    let (mut kernels, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for permutation in permutations().into_iter().filter(|own| own.caller.is_none()) {
        if !kernels.insert((permutation.kernel, permutation.precision)) {
            continue;
        }
        let module = naga::front::wgsl::parse_str(&permutation.linked().unwrap().text).unwrap();
        let uniform = module.global_variables.iter().filter(|(_, own)| own.space == AddressSpace::Uniform);
        for (_, variable) in uniform {
            let of = &module.types[variable.ty];
            let TypeInner::Struct { members, span } = &of.inner else { panic!("{permutation}: no struct") };
            let name = of.name.clone().unwrap_or_default();
            let found: Vec<_> = members
                .iter()
                .map(|member| {
                    let TypeInner::Scalar(scalar) = module.types[member.ty].inner else { panic!("{name}: no scalar") };
                    let kind = match (scalar.kind, scalar.width) {
                        (ScalarKind::Uint, 4) => "u32",
                        (ScalarKind::Sint, 4) => "i32",
                        (ScalarKind::Float, 4) => "f32",
                        other => panic!("{name}: {other:?}"),
                    };
                    (member.name.clone().unwrap_or_default(), member.offset as usize, kind)
                })
                .collect();
            let found: Vec<_> = found.iter().map(|(name, offset, kind)| (name.as_str(), *offset, *kind)).collect();
            let (_, fields, size) = expected.iter().find(|own| own.0 == name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!((&found[..], *span as usize), (*fields, *size), "{name} of {permutation}");
            seen.insert(name);
        }
    }
    assert_eq!(seen.len(), expected.len(), "{seen:?}");
}
