//! `trisolve kernels`: lists kernels, prints one, writes all.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use trisolve::tridiagonal::{Algorithm, Formulas, Options, Shape};
use trisolve::{Gpu, GpuOptions, Real};
use trisolve_lab::{KernelSource, Permutation, kernel_names, kernel_sources_where, kernels_of, permutations};

use crate::output::{Table, say};
use crate::size::size;
use crate::{Failure, PrecisionName, plans};

#[derive(clap::Args)]
pub struct Arguments {
    /// Print this kernel's WGSL source, with the file and line of each declaration
    name: Option<String>,
    /// Only kernels in this precision; by default f32 if a kernel has it
    #[arg(long)]
    precision: Option<PrecisionName>,
    /// Print the kernel as a plan of this tridiagonal algorithm compiles it on this adapter, and the bytes per row that the plan moves
    #[arg(long, requires = "name", value_name = "ALGORITHM")]
    algorithm: Option<Algorithm>,
    /// The plan's policy, as rows=8,shuffles=1; it needs --algorithm
    #[arg(long, requires = "algorithm")]
    policy: Option<String>,
    /// Rows of the plan's systems
    #[arg(long, requires = "algorithm", value_parser = size, default_value = "2^20")]
    rows: usize,
    /// Systems of the plan
    #[arg(long, requires = "algorithm", value_parser = size, default_value = "1")]
    batch: usize,
    /// Use the adapter whose name contains this text
    #[arg(long, requires = "algorithm")]
    device: Option<String>,
    /// Also say which checks a checked build adds (the tests run in one)
    #[arg(long, requires = "name")]
    checked: bool,
    /// Write every distinct source, of all kernels or of the named one, to its own file in this folder; makes the folder
    #[arg(long, conflicts_with = "algorithm", value_name = "FOLDER")]
    write: Option<PathBuf>,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let precision = arguments.precision.map(PrecisionName::precision);
    let is_wanted = |own: &Permutation| precision.is_none_or(|precision| own.precision == precision);
    let Some(name) = &arguments.name else {
        return match &arguments.write {
            Some(folder) => write(folder, &kernel_sources_where(is_wanted)),
            None => list(is_wanted),
        };
    };
    let is_named = |own: &Permutation| own.kernel == name && is_wanted(own);
    let (all, origin) = match (arguments.algorithm, arguments.precision) {
        (None, _) if arguments.write.is_some() => (kernel_sources_where(is_named), Origin::OneOf(0)),
        (None, _) => {
            let all: Vec<_> = permutations().into_iter().filter(is_named).collect();
            let simplest = all.iter().min_by_key(|own| simplicity(own));
            (kernel_sources_where(|own| Some(own) == simplest), Origin::OneOf(all.len()))
        }
        (Some(algorithm), Some(PrecisionName::F64)) => planned::<f64>(arguments, algorithm)?,
        (Some(algorithm), _) => planned::<f32>(arguments, algorithm)?,
    };
    match &arguments.write {
        Some(folder) if !all.is_empty() => write(folder, &all),
        _ => print(name, &all, arguments, &origin),
    }
}

/// Where a printed kernel comes from.
enum Origin {
    /// One of this number of permutations.
    OneOf(usize),
    /// A plan that moves this number of bytes per row.
    Plan(f64),
}

/// Orders a kernel's permutations; the least is printed: f32 before f64, without subgroups before with.
fn simplicity(own: &Permutation) -> impl Ord + use<> {
    (own.precision, own.writable_inputs, own.subgroups)
}

/// The kernels of a plan, and the bytes per row that it moves.
fn planned<T: Real>(arguments: &Arguments, algorithm: Algorithm) -> Result<(Vec<KernelSource>, Origin), Failure> {
    let gpu = Gpu::with_options(GpuOptions {
        adapter_name: arguments.device.clone(),
        checked: arguments.checked,
        ..GpuOptions::default()
    })?;
    let shape = Shape::contiguous(arguments.rows, arguments.batch);
    let options = Options::default().algorithm(algorithm);
    let plan = plans::plan::<T>(&gpu, shape, options, arguments.policy.as_deref(), &Formulas::new())?;
    Ok((kernels_of(&plan)?, Origin::Plan(plan.bytes_per_row())))
}

/// Links one permutation of each kernel: to link all takes 15 s.
fn list(is_wanted: impl Fn(&Permutation) -> bool) -> Result<(), Failure> {
    #[derive(Default)]
    struct Row {
        precisions: BTreeSet<&'static str>,
        permutations: usize,
        subgroups: usize,
    }
    let all = permutations();
    let mut kernels = BTreeMap::<&str, Row>::new();
    let mut simplest = BTreeMap::<&str, &Permutation>::new();
    for own in all.iter().filter(|own| is_wanted(own)) {
        let row = kernels.entry(own.kernel).or_default();
        row.precisions.insert(own.precision.name());
        row.permutations += 1;
        row.subgroups += usize::from(own.subgroups);
        let least = simplest.entry(own.kernel).or_insert(own);
        if simplicity(own) < simplicity(least) {
            *least = own;
        }
    }
    let sources = kernel_sources_where(|own| simplest.get(own.kernel).is_some_and(|simplest| *simplest == own));
    let lines: BTreeMap<_, _> = sources.iter().map(|own| (own.kernel, own.source.lines().count())).collect();
    let mut table = Table::new(&["kernel", "precisions", "permutations", "with subgroups", "lines"]);
    for (kernel, row) in &kernels {
        table.row(vec![
            (*kernel).into(),
            row.precisions.iter().copied().collect::<Vec<_>>().join(" "),
            row.permutations.to_string(),
            row.subgroups.to_string(),
            lines.get(kernel).copied().unwrap_or_default().to_string(),
        ]);
    }
    say(&table.to_string())?;
    say("`trisolve kernels NAME` prints a kernel's source.")
}

/// Prints the named kernel.
fn print(name: &str, all: &[KernelSource], arguments: &Arguments, origin: &Origin) -> Result<(), Failure> {
    let named = all.iter().filter(|source| source.kernel == name);
    let Some(source) = named.min_by_key(|source| (source.writable_inputs, source.subgroups)) else {
        if let (None, Some(precision)) = (arguments.algorithm, arguments.precision)
            && kernel_names().contains(name)
        {
            return Err(Failure::Input(format!("the kernel {name} does not exist in {}", precision.precision())));
        }
        let (whose, others) = match arguments.algorithm {
            Some(_) => ("the plan has", all.iter().map(|source| source.kernel).collect()),
            None => ("there are", kernel_names()),
        };
        let others = others.into_iter().collect::<Vec<_>>().join(", ");
        return Err(Failure::Input(format!("no kernel is called {name}; {whose} {others}")));
    };
    let mut text = format!("// {}, {}\n", source.kernel, source.precision);
    let values =
        |of: &[(&str, u32)]| of.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ");
    let mut line = |what: &str, value: String| {
        if !value.is_empty() {
            let _ = writeln!(text, "// {what}: {value}");
        }
    };
    line("constants set by Rust", values(&source.constants));
    line("overrides", values(&source.overrides));
    line("device features", features(source));
    let lines = 1..=source.source.lines().count();
    let files: BTreeSet<_> = lines.filter_map(|line| source.origin(line)).map(|(file, _)| file).collect();
    line("files", files.into_iter().collect::<Vec<_>>().join(", "));
    for (role, file) in &source.roles {
        line(&format!("role {role}"), file.clone());
    }
    for (number, binding) in bindings(&source.source) {
        line(&format!("binding {number}"), binding);
    }
    match origin {
        Origin::Plan(bytes) => line("bytes per row", format!("{bytes:.1}, moved by all dispatches of the plan")),
        Origin::OneOf(count) => {
            line(
                "permutations",
                format!("this is one of {count}; with --algorithm, the one that a plan uses is printed"),
            );
        }
    }
    if arguments.checked {
        line(
            "checked",
            "the device's compiler adds tests of every index and divisor, ends loops after 2^64 rounds, and zeroes workgroup memory".into(),
        );
    }
    let mut before = None;
    for (at, content) in source.source.lines().enumerate() {
        let here = source.origin(at + 1);
        if let Some((file, line)) = &here
            && before.as_ref().is_none_or(|(last_file, last)| last_file != file || *line > last + 1)
        {
            let _ = writeln!(text, "\n// {file}:{line}");
        }
        // The linker's headings and empty lines are left out.
        if here.is_some() || !content.is_empty() && !content.starts_with("// shaders/") {
            text.push_str(content);
            text.push('\n');
        }
        before = here.or(before);
    }
    say(text.trim_end())
}

/// The optional device features that a kernel needs.
fn features(source: &KernelSource) -> String {
    let all = [(source.subgroups, "subgroups"), (source.f64, "f64"), (source.int64, "64-bit integers")];
    all.iter().filter_map(|(has, name)| has.then_some(*name)).collect::<Vec<_>>().join(", ")
}

/// The bindings: number and declaration.
fn bindings(source: &str) -> Vec<(u32, String)> {
    let binding = |line: &str| {
        let (_, behind) = line.split_once("@binding(")?;
        let (number, declaration) = behind.split_once(')')?;
        Some((number.parse().ok()?, declaration.split(';').next()?.trim().to_owned()))
    };
    let mut all: Vec<_> = source.lines().filter_map(binding).collect();
    all.sort();
    all
}

fn write(folder: &Path, all: &[KernelSource]) -> Result<(), Failure> {
    let fault = |error: std::io::Error| Failure::Input(format!("{}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(fault)?;
    let mut distinct = BTreeMap::<&str, &KernelSource>::new();
    for source in all {
        distinct.entry(&source.source).or_insert(source);
    }
    let mut numbers = BTreeMap::<String, usize>::new();
    for (text, source) in &distinct {
        let stem = format!("{}-{}", source.kernel, source.precision);
        let number = numbers.entry(stem.clone()).or_default();
        *number += 1;
        fs::write(
            folder.join(format!("{stem}-{number}.wgsl")),
            format!("// kernel: {}\n// device features: {}\n{text}", source.name, features(source)),
        )
        .map_err(fault)?;
    }
    say(&format!("{} permutations, {} distinct sources in {}", all.len(), distinct.len(), folder.display()))
}
