//! The layers of the library: nothing knows what stands above it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// From the ground up. What stands in one line may not know each other; what stands below knows none above.
const LAYERS: &[&[&str]] = &[
    // The ground.
    &["arithmetic", "outcome", "precision"],
    &["error", "real"],
    &["check", "csr", "status"],
    // References on the CPU, and the judge of answers.
    &["cpu"],
    &["judge"],
    // Texts of kernels, and the device.
    &["shader"],
    &["gpu"],
    // Shapes, programs, binding; tables of policies.
    &["plan", "tuning"],
    // Where host solves run; formulas of the caller's.
    &["formulas", "place"],
    // The families.
    &["recurrence", "triangular"],
    &["filter", "tridiagonal"],
    &["quasi_tridiagonal"],
    &["matrix_market", "warm_up"],
    // What `trisolve-lab` may use.
    &["internals"],
];

fn level(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&name))
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(path),
        }
    }
}

/// The text without comments and without unit tests, which may use all there is.
fn production(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// What follows each `crate::`, alone or in braces.
fn named(text: &str) -> BTreeSet<String> {
    let first =
        |path: &str| -> String { path.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let mut found = BTreeSet::new();
    for behind in text.split("crate::").skip(1) {
        let Some(group) = behind.strip_prefix('{') else {
            found.insert(first(behind));
            continue;
        };
        let (mut depth, mut path) = (1, String::new());
        for c in group.chars() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 || depth == 1 && c == ',' {
                found.insert(first(&path));
                path.clear();
            } else {
                path.push(c);
            }
            if depth == 0 {
                break;
            }
        }
    }
    found
}

#[test]
fn nothing_knows_what_is_above_it() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = vec![];
    files(&root, &mut all);
    let mut wrong = vec![];
    for path in all {
        let inside = path.strip_prefix(&root).unwrap();
        let first = inside.iter().next().unwrap().to_str().unwrap();
        let own = first.strip_suffix(".rs").unwrap_or(first);
        // The crate's root lists all.
        if own == "lib" {
            continue;
        }
        let Some(at) = level(own) else {
            wrong.push(format!("src/{own} has no place in the layers"));
            continue;
        };
        let text = production(&fs::read_to_string(&path).unwrap());
        if text.contains("trisolve_lab") {
            wrong.push(format!("src/{} knows trisolve-lab, which is for tests and the program", inside.display()));
        }
        for name in named(&text) {
            if name.starts_with(char::is_uppercase) {
                wrong.push(format!(
                    "src/{} imports {name} from the crate's root, not from its module",
                    inside.display()
                ));
            }
            if name != own && level(&name).is_some_and(|other| other >= at) {
                wrong.push(format!("src/{} knows {name}, which does not stand below it", inside.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The program is built from what every user has, and from the lab.
#[test]
fn the_program_knows_no_internals() {
    let mut all = vec![];
    files(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("cli/src"), &mut all);
    let knows = |path: &PathBuf| fs::read_to_string(path).unwrap().contains("internals");
    let wrong: Vec<_> = all.iter().filter(|path| knows(path)).collect();
    assert!(!all.is_empty() && wrong.is_empty(), "{wrong:?}");
}

#[test]
fn imports_are_seen() {
    let text = "use crate::{Error, gpu::Gpu, plan::{Shape, Slot}};\nuse crate::real::Real; // crate::internals\n";
    let expected = ["Error", "gpu", "plan", "real"].map(str::to_owned);
    assert_eq!(named(&production(text)), BTreeSet::from(expected));
}
