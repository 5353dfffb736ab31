//! Options on the command line that exclude each other.

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
