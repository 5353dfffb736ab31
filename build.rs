//! Lists the shaders, so that the library holds them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// All files below a folder, sorted.
fn files(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => files(&path, found)?,
            false => found.push(path),
        }
    }
    found.sort();
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=shaders");
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("shaders");
    let mut found = Vec::new();
    files(&root, &mut found)?;
    let mut list = String::from("&[\n");
    for file in found.iter().filter(|file| file.extension().is_some_and(|extension| extension == "wgsl")) {
        let inside = file.strip_prefix(&root)?.with_extension("");
        let path: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
        writeln!(list, "    ({:?}, include_str!({file:?})),", path.join("::"))?;
    }
    list.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("shaders.rs"), list)?;
    Ok(())
}
