//! `trisolve tune`: finds the fastest policies of an adapter, and stores them in a tuning file.

use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use clap::ValueEnum;
use trisolve::tridiagonal::Shape;
use trisolve::tuning::{Crossover, Entry, Table as TuningTable, VARIABLE, path};
use trisolve::{Gpu, Precision, quasi_tridiagonal, triangular, tridiagonal};
use trisolve_lab::{
    PlaceTimes, TuneOptions, TuneProgress, Tuned, crossover, fit_p_scheme, measure_places,
    tune_p_scheme as measure_p_scheme, tune_quasi_tridiagonal, tune_triangular, tune_tridiagonal,
};

use crate::output::{Table, progress, say, tell};
use crate::output_file::{OutputFile, OutputPath};
use crate::precision::supported;
use crate::{Failure, PrecisionName, open_gpu};

#[derive(clap::Args)]
pub struct Arguments {
    /// Family to tune
    #[arg(value_enum, default_value = "tridiagonal")]
    family: Family,
    /// Tune only a few sizes, in a minute; of p-scheme, only fit the model
    #[arg(long)]
    quick: bool,
    /// Tune only these precisions (default: all that the adapter supports)
    #[arg(long, value_enum, value_delimiter = ',')]
    precision: Vec<PrecisionName>,
    /// Tune only these algorithms. For triangular systems, the entries of auto need all of them
    #[arg(long, value_delimiter = ',')]
    algorithm: Vec<String>,
    /// Start no new measurement after this many seconds (default: 600, with --quick 60)
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    seconds: Option<u64>,
    /// Write the tuning file here (default: where plans look for it)
    #[arg(short, long)]
    output: Option<OutputPath>,
    /// Use the adapter whose name contains this text (see `trisolve devices`)
    #[arg(long)]
    device: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Family {
    /// Tridiagonal systems
    Tridiagonal,
    /// Dense triangular systems
    Triangular,
    /// Quasi-tridiagonal systems, by hisa and bhisa
    Quasi,
    /// The recurrences' P-scheme: its model, and its fastest policies for one sequence; takes a minute
    PScheme,
    /// Host solves: the rows from which the device is faster than the CPU. Also a part of tridiagonal, unless --algorithm is given
    Place,
}

/// The algorithms to tune, of one family.
enum Wanted {
    Tridiagonal(Vec<tridiagonal::Algorithm>),
    Triangular(Vec<triangular::Algorithm>),
    Quasi(Vec<quasi_tridiagonal::Algorithm>),
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let gpu = open_gpu(arguments.device.as_deref())?;
    let precisions: Vec<_> = supported(&gpu, &arguments.precision)?.into_iter().map(PrecisionName::precision).collect();
    let wanted = match arguments.family {
        Family::PScheme => return tune_p_scheme(&gpu, &precisions, arguments),
        Family::Place => return tune_place(&gpu, &precisions, arguments),
        Family::Tridiagonal => Wanted::Tridiagonal(tridiagonal_algorithms(&arguments.algorithm)?),
        Family::Triangular => Wanted::Triangular(triangular_algorithms(&arguments.algorithm)?),
        Family::Quasi => Wanted::Quasi(quasi_algorithms(&arguments.algorithm)?),
    };
    let (place, file, mut known) = destination(&gpu, arguments)?;
    let at_most = Duration::from_secs(arguments.seconds.unwrap_or(if arguments.quick { 60 } else { 600 }));
    let (quick, of_places) = (arguments.quick, precisions.clone());
    let entries = known.entries.clone();
    let bar = progress(0);
    let show = |TuneProgress { done, of, next }| {
        bar.set_length(of as u64);
        bar.set_position(done as u64);
        bar.set_message(next);
    };
    let tuned: Tuned = match wanted {
        Wanted::Tridiagonal(algorithms) => {
            tune_tridiagonal(&gpu, &TuneOptions { quick, precisions, algorithms, at_most, known: entries }, show)?
        }
        Wanted::Triangular(algorithms) => {
            tune_triangular(&gpu, &TuneOptions { quick, precisions, algorithms, at_most, known: entries }, show)?
        }
        Wanted::Quasi(algorithms) => {
            let options = TuneOptions { quick, precisions, algorithms, at_most, known: entries };
            tune_quasi_tridiagonal(&gpu, &options, show)?
        }
    };
    bar.finish_and_clear();
    for wrong in &tuned.wrong {
        tell(&format!("wrong answer: {wrong}"));
    }
    if tuned.entries.is_empty() {
        return Err(Failure::Solver("nothing could be measured".into()));
    }
    let printed = table(&tuned.entries).to_string();
    let count = tuned.entries.len();
    known.extend(tuned.entries);
    // A software adapter is the CPU.
    let has_places = arguments.family == Family::Tridiagonal && arguments.algorithm.is_empty();
    let places = match has_places && !gpu.capabilities().software {
        true => Some(measured_places(&gpu, &of_places, quick, &mut known)?),
        false => None,
    };
    let text = known.to_json()?;
    file.write_text(&text)?;
    // Printed after the file is written: a failing stdout does not lose the table.
    say(&printed)?;
    if let Some(places) = places {
        say(&format!("\n{places}"))?;
    }
    tell(&format!(
        "{}: {count} entries from {} measured policies, written to {}",
        gpu.info().name,
        tuned.tried,
        place.display(),
    ));
    tell_where(&gpu, &place);
    const NAMED: usize = 8;
    if !tuned.skipped.is_empty() {
        let more = tuned.skipped.len().saturating_sub(NAMED);
        tell(&format!(
            "skipped for lack of time or memory (the next run starts with these): {}{}",
            tuned.skipped[..tuned.skipped.len() - more].join(", "),
            if more > 0 { format!(", and {more} more") } else { String::new() }
        ));
    }
    if tuned.wrong.is_empty() { Ok(()) } else { Err(Failure::Silent) }
}

fn tridiagonal_algorithms(named: &[String]) -> Result<Vec<tridiagonal::Algorithm>, Failure> {
    use tridiagonal::Algorithm;
    // The auto of tridiagonal systems has its own policy.
    let algorithms = algorithms(named, Algorithm::ALL.to_vec(), &Algorithm::ALL)?;
    let scan = |algorithm: &Algorithm| *algorithm == Algorithm::Scan;
    if !named.is_empty() && algorithms.iter().any(scan) {
        return Err(Failure::Input("scan is only for comparison and is not tuned; pass its policy instead".into()));
    }
    Ok(algorithms)
}

fn triangular_algorithms(named: &[String]) -> Result<Vec<triangular::Algorithm>, Failure> {
    algorithms(named, triangular::Algorithm::ALL.to_vec(), &[])
}

/// Those that have a policy.
fn quasi_algorithms(named: &[String]) -> Result<Vec<quasi_tridiagonal::Algorithm>, Failure> {
    use quasi_tridiagonal::Algorithm::{Bhisa, Hisa};
    let all = [Hisa, Bhisa];
    if let Some(name) = named.iter().find(|name| all.iter().all(|algorithm| algorithm.name() != name.as_str())) {
        return Err(Failure::Input(format!("--algorithm {name}: only hisa and bhisa have a policy to tune")));
    }
    let is_wanted = |name: &str| named.is_empty() || named.iter().any(|one| one == name);
    Ok(all.into_iter().filter(|algorithm| is_wanted(algorithm.name())).collect())
}

/// The named algorithms, in the docs' order and each once; all if none is named. auto needs all others but the `unneeded`.
fn algorithms<A>(named: &[String], all: Vec<A>, unneeded: &[A]) -> Result<Vec<A>, Failure>
where
    A: std::str::FromStr + std::fmt::Display + PartialEq + Default,
    A::Err: std::fmt::Display,
{
    let wanted = named
        .iter()
        .map(|name| name.parse::<A>().map_err(|error| Failure::Input(format!("--algorithm {name}: {error}"))))
        .collect::<Result<Vec<_>, _>>()?;
    let auto = A::default();
    let missing = |one: &&A| !wanted.contains(one) && !unneeded.contains(one);
    if wanted.contains(&auto)
        && let Some(missing) = all.iter().find(missing)
    {
        return Err(Failure::Input(format!(
            "the tuning of auto compares all other algorithms, but {missing} is not among the named ones; leave --algorithm \
             out"
        )));
    }
    Ok(all.into_iter().filter(|algorithm| wanted.is_empty() || wanted.contains(algorithm)).collect())
}

/// The path of the tuning file, the open file, and its entries so far.
fn destination(gpu: &Gpu, arguments: &Arguments) -> Result<(OutputPath, OutputFile, TuningTable), Failure> {
    let Some(place) = arguments.output.clone().or_else(|| path(gpu.info()).map(OutputPath::from)) else {
        return Err(Failure::Input(format!(
            "{VARIABLE} is empty, so plans look for no tuning file; unset it, or pass --output"
        )));
    };
    // The cache folder is created if necessary; a folder that the caller names has to exist.
    let named = arguments.output.is_some() || std::env::var_os(VARIABLE).is_some();
    if !named && let Some(folder) = place.file().and_then(Path::parent) {
        std::fs::create_dir_all(folder).map_err(|error| Failure::Input(format!("{}: {error}", folder.display())))?;
    }
    let file = OutputFile::open(&place)?;
    let known = match place.file() {
        Some(path) => TuningTable::read_or_new(path, gpu.info(), named)?,
        None => TuningTable::new(gpu.info()),
    };
    Ok((place, file, known))
}

/// Tells how to use a table that is not where plans look for it.
fn tell_where(gpu: &Gpu, place: &OutputPath) {
    if place.file().is_some_and(|place| path(gpu.info()).as_deref() != Some(place)) {
        tell(&format!("plans do not look there; set {VARIABLE} to that path to use it"));
    }
}

/// Measures from how many rows on host solves are faster on the device, and stores it.
fn tune_place(gpu: &Gpu, precisions: &[Precision], arguments: &Arguments) -> Result<(), Failure> {
    if !arguments.algorithm.is_empty() || arguments.seconds.is_some() {
        return Err(Failure::Input(
            "--algorithm and --seconds do not apply to place, whose tuning takes some seconds; leave them out".into(),
        ));
    }
    if gpu.capabilities().software {
        return Err(Failure::Input(format!(
            "{} runs kernels on the CPU, so host solves are faster without it at any size; use --device for another adapter",
            gpu.info().name
        )));
    }
    let (place, file, mut known) = destination(gpu, arguments)?;
    let printed = measured_places(gpu, precisions, arguments.quick, &mut known)?.to_string();
    let text = known.to_json()?;
    file.write_text(&text)?;
    say(&printed)?;
    tell(&format!("{}: the crossovers went to {}", gpu.info().name, place.display()));
    tell_where(gpu, &place);
    Ok(())
}

/// Rows per system of the measured batches.
const ROWS_PER_SYSTEM: usize = 256;

/// Measures the crossovers, and adds them to the table.
fn measured_places(
    gpu: &Gpu,
    precisions: &[Precision],
    quick: bool,
    known: &mut TuningTable,
) -> Result<Table, Failure> {
    let step = if quick { 3 } else { 1 };
    let powers = |of: RangeInclusive<u32>| of.step_by(step).map(|power| 1 << power);
    let batch = |rows: usize| Shape::contiguous(ROWS_PER_SYSTEM, rows / ROWS_PER_SYSTEM);
    let families = [
        (Crossover::SINGLE, "single systems", powers(10..=22).map(Shape::single).collect::<Vec<_>>()),
        (Crossover::BATCH, "batches of many systems", powers(12..=23).map(batch).collect()),
    ];
    let mut printed = Table::new(&["precision", "rows", "systems", "cpu us", "device us", "faster"]);
    let bar = progress(0);
    for (&precision, (family, named, shapes)) in
        precisions.iter().flat_map(|one| families.iter().map(move |of| (one, of)))
    {
        let show = |TuneProgress { done, of, next }| {
            bar.set_length(of as u64);
            bar.set_position(done as u64);
            bar.set_message(next);
        };
        let (times, found) = match precision {
            Precision::F32 => {
                let times = measure_places::<f32>(gpu, shapes, 15, show)?;
                let found = crossover::<f32>(family, &times);
                (times, found)
            }
            Precision::F64 => {
                let times = measure_places::<f64>(gpu, shapes, 15, show)?;
                let found = crossover::<f64>(family, &times);
                (times, found)
            }
        };
        for (PlaceTimes { rows, cpu, device }, shape) in times.into_iter().zip(shapes) {
            let faster = if device < cpu { "device" } else { "cpu" };
            let [cpu, device] = [cpu, device].map(|seconds| format!("{:.1}", seconds * 1e6));
            printed.row(vec![
                precision.name().into(),
                rows.to_string(),
                shape.batch.to_string(),
                cpu,
                device,
                faster.into(),
            ]);
        }
        tell(&match found.rows {
            Some(rows) => {
                format!("{precision}: host solves of {named} are faster on the device from {rows} rows in all")
            }
            None => {
                format!("{precision}: host solves of {named} are faster on the CPU at every measured size")
            }
        });
        known.set_crossover(found);
    }
    bar.finish_and_clear();
    Ok(printed)
}

/// Fits the model of P-scheme, measures its policies, and stores both.
fn tune_p_scheme(gpu: &Gpu, precisions: &[Precision], arguments: &Arguments) -> Result<(), Failure> {
    if !arguments.algorithm.is_empty() || arguments.seconds.is_some() {
        return Err(Failure::Input(
            "--algorithm and --seconds do not apply to p-scheme, whose tuning takes a minute; leave them out, or pass --quick to fit the model alone"
                .into(),
        ));
    }
    let (place, file, mut known) = destination(gpu, arguments)?;
    let mut measured = vec![];
    let mut printed = Table::new(&["precision", "rearranged", "alpha ns", "beta ns", "gamma ns", "rearranging ps"]);
    for &precision in precisions {
        let fit = match precision {
            Precision::F32 => fit_p_scheme::<f32>(gpu)?,
            Precision::F64 => fit_p_scheme::<f64>(gpu)?,
        };
        for (rearranged, model) in [("no", fit.direct), ("yes", fit.rearranged), ("in the phases", fit.staged)] {
            let ns = [model.alpha, model.beta, model.gamma].map(|seconds| format!("{:.3}", seconds * 1e9));
            let mut cells = vec![precision.name().into(), rearranged.into()];
            cells.extend(ns);
            cells.push(format!("{:.3}", model.rearranging * 1e12));
            printed.row(cells);
        }
        known.set_p_scheme(precision, fit);
        if arguments.quick {
            continue;
        }
        let bar = progress(0);
        let told = |done: usize, of: usize| {
            bar.set_length(of as u64);
            bar.set_position(done as u64);
        };
        let entries = match precision {
            Precision::F32 => measure_p_scheme::<f32>(gpu, told)?,
            Precision::F64 => measure_p_scheme::<f64>(gpu, told)?,
        };
        bar.finish_and_clear();
        known.extend(entries.clone());
        measured.extend(entries);
    }
    let text = known.to_json()?;
    file.write_text(&text)?;
    say(&printed.to_string())?;
    if !measured.is_empty() {
        say(&format!("\n{}", table(&measured)))?;
    }
    let what = if measured.is_empty() { "the model" } else { "the model and the policies" };
    tell(&format!("{}: {what} of p-scheme went to {}", gpu.info().name, place.display()));
    tell_where(gpu, &place);
    Ok(())
}

fn table(entries: &[Entry]) -> Table {
    let mut table = Table::new(&[
        "algorithm",
        "precision",
        "layout",
        "rows",
        "batch",
        "default us",
        "tuned us",
        "over default",
        "policy",
    ]);
    for Entry { key, policy, tuned_us, default_us } in entries {
        table.row(vec![
            key.algorithm.clone(),
            key.precision.clone(),
            if key.systems_first { "interleaved" } else { "contiguous" }.into(),
            key.n.to_string(),
            key.problems.to_string(),
            format!("{default_us:.1}"),
            format!("{tuned_us:.1}"),
            format!("{:.2}x", default_us / tuned_us),
            if policy.is_empty() { "default".into() } else { policy.clone() },
        ]);
    }
    table
}
