//! Prints a hash and the name of every kernel. The hash is of its SPIR-V, whatever functions and variables are called, in which order
//! they stand, and what is declared and not used: a change that only moves text leaves all hashes as they are.
//!
//!     cargo run --release -p trisolve-lab --example kernel_hashes > before
//!
//! With a FILE, the kernels are read from it: a JSON object per line with `name`, `source` and `overrides`.

#[path = "../../examples/failure/mod.rs"]
mod failure;

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::error::Error;
use std::fmt::Write;
use std::hash::{Hash, Hasher};

use failure::Failure;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use rspirv::dr::{Function, Instruction, Module, Operand};
use rspirv::spirv::{Op, Word};
use serde_json::Value;

struct Kernel {
    name: String,
    source: String,
    overrides: naga::back::PipelineConstants,
}

fn present() -> Vec<Kernel> {
    let kernel = |own: trisolve_lab::KernelSource| Kernel {
        overrides: own.overrides.iter().map(|&(name, value)| (name.to_owned(), value.into())).collect(),
        name: own.name,
        source: own.source.to_string(),
    };
    trisolve_lab::kernel_sources().into_iter().map(kernel).collect()
}

fn read(line: &str) -> Result<Kernel, Box<dyn Error>> {
    let value: Value = serde_json::from_str(line)?;
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let overrides = value["overrides"].as_object().into_iter().flatten();
    let overrides = overrides.filter_map(|(name, value)| Some((name.clone(), value.as_f64()?))).collect();
    Ok(Kernel { name: text("name"), source: text("source"), overrides })
}

fn hashed(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// A module whose ids are known by what they stand for.
struct Known<'a> {
    module: &'a Module,
    globals: HashMap<Word, &'a Instruction>,
    functions: HashMap<Word, &'a Function>,
    hashes: HashMap<Word, u64>,
}

impl<'a> Known<'a> {
    fn new(module: &'a Module) -> Self {
        let with_id = |own: &'a Instruction| Some((own.result_id?, own));
        let globals = module.types_global_values.iter().chain(&module.ext_inst_imports).filter_map(with_id).collect();
        let functions = module.functions.iter().filter_map(|own| Some((own.def.as_ref()?.result_id?, own))).collect();
        Self { module, globals, functions, hashes: HashMap::new() }
    }

    /// What a global id stands for: its instruction with its decorations, or its function. Of structs no members, which loads and stores
    /// know: one may have more that nobody uses.
    fn global(&mut self, id: Word) -> u64 {
        if let Some(hash) = self.hashes.get(&id) {
            return *hash;
        }
        let is_struct = |own: &&&Instruction| own.class.opcode == Op::TypeStruct;
        let text = match self.functions.get(&id) {
            Some(function) => self.function(function),
            None if self.globals.get(&id).filter(is_struct).is_some() => "a struct".to_owned(),
            None => {
                let decorations = self.module.annotations.iter();
                let own = decorations.filter(|own| own.operands.first() == Some(&Operand::IdRef(id)));
                let mut decorations: Vec<_> = own.map(|own| format!("{:?}", &own.operands[1..])).collect();
                decorations.sort();
                let instruction = self.globals[&id];
                format!("{} {decorations:?}", self.instruction(instruction, &mut HashMap::new()))
            }
        };
        let hash = hashed(text);
        self.hashes.insert(id, hash);
        hash
    }

    /// `local` numbers the ids of a function by their first appearance, or has what they stand for.
    fn name(&mut self, id: Word, local: &mut HashMap<Word, String>) -> String {
        if self.globals.contains_key(&id) || self.functions.contains_key(&id) {
            return format!("{:x}", self.global(id));
        }
        let next = format!("%{}", local.len());
        local.entry(id).or_insert(next).clone()
    }

    fn instruction(&mut self, own: &Instruction, local: &mut HashMap<Word, String>) -> String {
        let mut text = format!("{:?}", own.class.opcode);
        if let Some(kind) = own.result_type {
            let _ = write!(text, " {}", self.name(kind, local));
        }
        for operand in &own.operands {
            match operand {
                Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id) => {
                    let _ = write!(text, " {}", self.name(*id, local));
                }
                other => {
                    let _ = write!(text, " {other:?}");
                }
            }
        }
        if let Some(id) = own.result_id.filter(|id| !self.globals.contains_key(id) && !self.functions.contains_key(id))
        {
            let _ = write!(text, " = {}", self.name(id, local));
        }
        text
    }

    fn function(&mut self, function: &Function) -> String {
        let mut local = HashMap::new();
        let blocks = function.blocks.iter().flat_map(|block| block.label.iter().chain(&block.instructions));
        let all: Vec<_> = function.def.iter().chain(&function.parameters).chain(blocks).collect();
        let mut lines: Vec<String> = Vec::new();
        // Where a run of stores of constants to global variables begins: workgroup memory is zeroed in the order of declaration.
        let mut zeroing = 0;
        for own in all {
            match (own.class.opcode, own.result_id) {
                // Pointers into buffers stand at the head of a function, in the order of the buffers.
                (Op::AccessChain, Some(id)) => {
                    let pointer = self.instruction(&Instruction { result_id: None, ..own.clone() }, &mut local);
                    local.insert(id, format!("({pointer})"));
                }
                _ => {
                    let global = |id| self.globals.contains_key(&id);
                    let zeroes = own.class.opcode == Op::Store
                        && own.operands.iter().all(|operand| operand.id_ref_any().is_some_and(global));
                    lines.push(self.instruction(own, &mut local));
                    if zeroes {
                        lines[zeroing..].sort();
                    } else {
                        zeroing = lines.len();
                    }
                }
            }
        }
        lines.join("\n")
    }
}

fn hash(kernel: &Kernel) -> Result<u64, Box<dyn Error>> {
    let mut module = naga::front::wgsl::parse_str(&kernel.source)?;
    naga::compact::compact(&mut module, naga::compact::KeepUnused::No);
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module)?;
    let entry = (naga::ShaderStage::Compute, module.entry_points[0].name.as_str());
    let declared = |name: &String| module.overrides.iter().any(|(_, own)| own.name.as_ref() == Some(name));
    let overrides = kernel.overrides.iter().filter(|(name, _)| declared(name));
    let overrides = overrides.map(|(name, value)| (name.clone(), *value)).collect();
    let (module, info) = naga::back::pipeline_constants::process_overrides(&module, &info, Some(entry), &overrides)?;
    let options = naga::back::spv::Options { flags: naga::back::spv::WriterFlags::empty(), ..Default::default() };
    let words = naga::back::spv::write_vec(&module, &info, &options, None)?;
    let module = rspirv::dr::load_words(&words).map_err(|error| format!("{error:?}"))?;
    let mut known = Known::new(&module);
    let Some(Operand::IdRef(entry)) = module.entry_points[0].operands.get(1) else {
        return Err("no entry point".into());
    };
    let modes: Vec<_> = module.execution_modes.iter().map(|own| format!("{:?}", &own.operands[1..])).collect();
    Ok(hashed((known.global(*entry), modes)))
}

fn main() -> Result<(), Failure> {
    let kernels = match std::env::args_os().nth(1) {
        Some(file) => std::fs::read_to_string(file)?.lines().map(read).collect::<Result<_, _>>()?,
        None => present(),
    };
    for kernel in kernels {
        let hash = hash(&kernel).map_err(|error| format!("{}: {error}", kernel.name))?;
        println!("{hash:016x} {}", kernel.name);
    }
    Ok(())
}
