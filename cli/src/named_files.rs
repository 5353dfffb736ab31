//! The files that a command line names: standard input serves one input, and each output goes to a place of its own.

use std::any::Any;

use clap::{ArgMatches, Command};

use crate::Failure;
use crate::formulas::NamedVector;
use crate::input_file::InputPath;
use crate::output_file::OutputPath;
use crate::plot_file::PlotPath;
use crate::recur::CoefficientSource;

/// Files, each with the argument that names it.
#[derive(Default)]
pub struct NamedFiles {
    inputs: Vec<(String, InputPath)>,
    outputs: Vec<(String, OutputPath)>,
}

impl NamedFiles {
    /// The files of a command, and of the verb behind it.
    pub fn of(command: &Command, matches: &ArgMatches) -> Self {
        let mut files = match matches.subcommand() {
            Some((name, matches)) => {
                command.find_subcommand(name).map_or_else(Self::default, |command| Self::of(command, matches))
            }
            None => Self::default(),
        };
        for argument in command.get_arguments() {
            let id = argument.get_id().as_str();
            let name = || match (argument.get_long(), argument.get_value_names()) {
                (Some(long), _) => format!("--{long}"),
                (None, Some([name])) => name.to_string(),
                _ => id.to_owned(),
            };
            let inputs = values(matches, id)
                .chain(values(matches, id).filter_map(CoefficientSource::file))
                .chain(values(matches, id).map(NamedVector::path));
            files.inputs.extend(inputs.map(|path: &InputPath| (name(), path.clone())));
            let outputs = values(matches, id).chain(values(matches, id).map(PlotPath::output));
            files.outputs.extend(outputs.map(|path: &OutputPath| (name(), path.clone())));
        }
        files
    }

    pub fn writes_stdout(&self) -> bool {
        self.outputs.iter().any(|(_, path)| path.is_standard())
    }

    /// Refuses a second input from standard input, and a second output in the same place.
    pub fn check(&self) -> Result<(), Failure> {
        let standard: Vec<_> = self.inputs.iter().filter(|(_, path)| path.is_standard()).collect();
        if let [(first, _), (second, _), ..] = standard[..] {
            return Err(Failure::Input(format!(
                "{first} and {second} both read standard input, which can be read once; name a file for one of them"
            )));
        }
        for (at, (second, path)) in self.outputs.iter().enumerate() {
            if let Some((first, _)) = self.outputs[..at].iter().find(|(_, other)| path.collides(other)) {
                return Err(Failure::Input(format!(
                    "{first} and {second} both write {}; name another file for one of them",
                    path.display()
                )));
            }
        }
        Ok(())
    }
}

/// The values of an argument, if it has this type.
fn values<'a, T: Any + Clone + Send + Sync>(matches: &'a ArgMatches, id: &str) -> impl Iterator<Item = &'a T> {
    matches.try_get_many(id).ok().flatten().into_iter().flatten()
}
