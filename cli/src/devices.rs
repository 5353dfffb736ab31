//! `trisolve devices`: lists the adapters and their features.

use trisolve::FeatureSwitches;

use crate::Failure;
use crate::output::{Table, say, say_json};

#[derive(clap::Args)]
pub struct Arguments {
    /// Print one JSON array on stdout
    #[arg(long)]
    json: bool,
}

#[derive(serde::Serialize)]
struct Row {
    name: String,
    backend: String,
    kind: String,
    driver: String,
    features: Vec<&'static str>,
    /// Features that would help, with what is left out without them.
    missing: Vec<String>,
    subgroup_lanes: u32,
    max_binding_bytes: u64,
    max_buffer_bytes: u64,
}

/// Whether there is a feature, its name, and what follows without it.
fn all(features: FeatureSwitches) -> impl Iterator<Item = (bool, &'static str, &'static str)> {
    [
        (features.subgroups, "subgroups", "slower"),
        (features.f64, "f64", "no solves in f64"),
        (features.int64_atomics, "int64-atomics", "slower in f64"),
        (features.coherent_memory, "coherent-memory", "slower"),
        (features.timestamps, "timestamps", "bench measures by the host's clock"),
    ]
    .into_iter()
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let rows: Vec<_> = trisolve::adapters()
        .into_iter()
        .map(|adapter| Row {
            name: adapter.info.name,
            backend: adapter.info.backend.to_string(),
            kind: format!("{:?}", adapter.info.device_type),
            driver: format!("{} {}", adapter.info.driver, adapter.info.driver_info).trim().to_owned(),
            features: all(adapter.capabilities.features).filter(|it| it.0).map(|(_, name, _)| name).collect(),
            missing: all(adapter.capabilities.features)
                .filter(|it| !it.0)
                .map(|(_, name, without)| format!("{name}: {without}"))
                .collect(),
            subgroup_lanes: adapter.capabilities.subgroup_lanes,
            max_binding_bytes: adapter.capabilities.limits.max_storage_buffer_binding_size,
            max_buffer_bytes: adapter.capabilities.limits.max_buffer_size,
        })
        .collect();
    if arguments.json {
        say_json(&rows)?;
    }
    if rows.is_empty() {
        return Err(trisolve::Error::NoAdapter { reason: "Vulkan, Metal and DirectX 12 offer none".into() }.into());
    }
    match arguments.json {
        true => Ok(()),
        false => say(&table(rows).to_string()),
    }
}

fn table(rows: Vec<Row>) -> Table {
    let mut table = Table::new(&[
        "adapter",
        "backend",
        "kind",
        "driver",
        "features",
        "missing",
        "lanes",
        "binding, bytes",
        "buffer, bytes",
    ]);
    for row in rows {
        table.row(vec![
            row.name,
            row.backend,
            row.kind,
            row.driver,
            row.features.join(" "),
            row.missing.join("; "),
            row.subgroup_lanes.to_string(),
            row.max_binding_bytes.to_string(),
            row.max_buffer_bytes.to_string(),
        ]);
    }
    table
}
