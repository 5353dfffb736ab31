//! Options on the command line that exclude each other or have several values, and the files beside them.

use std::path::PathBuf;

use clap::Command;
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::size::size;

/// Help shows that commas separate an option's values: `--rows <ROWS,...>`.
pub fn with_separators(command: Command) -> Command {
    let with_separator = |argument: clap::Arg| match (argument.get_value_delimiter(), argument.get_value_names()) {
        (Some(separator), Some([name])) => {
            let name = format!("{name}{separator}...");
            argument.value_name(name)
        }
        _ => argument,
    };
    command.mut_args(with_separator).mut_subcommands(with_separators)
}

/// Adds a tip to the error of an unexpected word, which may be a further value of an option.
pub fn with_tip(mut error: clap::Error) -> clap::Error {
    let is_value =
        |word: &str| word.strip_prefix('-').is_none_or(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg)
        && is_value(word)
    {
        let tip = "separate an option's values by commas".into();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}

/// Parses a file beside options with several values. A number there is meant for the option before it.
pub fn file<P: From<PathBuf> + Clone + Send + Sync + 'static>() -> impl TypedValueParser<Value = P> {
    PathBufValueParser::new().try_map(|path| {
        let is_number = |text: &&str| text.parse().is_ok_and(f64::is_finite) || size(text).is_ok();
        match path.to_str().filter(is_number) {
            Some(text) => Err(format!(
                "a number where a file is expected: separate an option's values by commas, or write ./{text} for a file of this name"
            )),
            None => Ok(path.into()),
        }
    })
}

/// The first of these options that was given.
pub fn first_given<const N: usize>(options: [(bool, &'static str); N]) -> Option<&'static str> {
    options.into_iter().find(|(is_given, _)| *is_given).map(|(_, name)| name)
}

/// The values of an option to sweep: one `None`, for the default, if none is given.
pub fn swept(texts: &[String]) -> Vec<Option<&str>> {
    match texts.is_empty() {
        true => vec![None],
        false => texts.iter().map(|text| Some(text.as_str())).collect(),
    }
}
