//! Loops written out.

/// Writes loops marked `// unroll` out, round by round, with the counter as a `const`. Each line comes with the number of the line
/// that it is from, counted from 0.
///
/// Drivers leave long bodies rolled, and then keep the arrays that they index in memory: a tenfold loss, seen on an H200. The mark
/// goes on loops of the forms `for (var i = 0u; i < NAME; i++) {` and `for (var i = NAME; i > 0u; i--) {` that end with a brace of
/// their own indentation and neither break nor continue.
pub(crate) fn unrolled(text: &str, value_of: &dyn Fn(&str) -> Option<u32>) -> Vec<(usize, String)> {
    let lines: Vec<_> = text.lines().enumerate().map(|(line, text)| (line, text.to_owned())).collect();
    rounds(&lines, value_of)
}

fn rounds(lines: &[(usize, String)], value_of: &dyn Fn(&str) -> Option<u32>) -> Vec<(usize, String)> {
    let mut written = Vec::with_capacity(2 * lines.len());
    let mut rest = lines;
    while let Some(((number, line), behind)) = rest.split_first() {
        rest = behind;
        let Some((counter, count, backward)) = marked(line, value_of) else {
            written.push((*number, line.clone()));
            continue;
        };
        let indent = &line[..line.len() - line.trim_start().len()];
        let end = rest.iter().position(|(_, line)| line.strip_prefix(indent) == Some("}")).unwrap_or(rest.len());
        let body = rounds(&rest[..end], value_of);
        rest = rest.get(end + 1..).unwrap_or_default();
        for round in 0..count {
            let value = if backward { count - round } else { round };
            written.push((*number, format!("{indent}{{")));
            written.push((*number, format!("{indent}    const {counter} = {value}u;")));
            written.extend_from_slice(&body);
            written.push((*number, format!("{indent}}}")));
        }
    }
    written
}

/// The counter, the rounds, and whether it counts down.
fn marked<'a>(line: &'a str, value_of: &dyn Fn(&str) -> Option<u32>) -> Option<(&'a str, u32, bool)> {
    let head = line.trim_end().strip_suffix("{ // unroll")?;
    let words: Vec<_> = head.split([' ', '(', ';', ')']).filter(|word| !word.is_empty()).collect();
    match words[..] {
        ["for", "var", i, "=", "0u", _, "<", name, _] => Some((i, value_of(name)?, false)),
        ["for", "var", i, "=", name, _, ">", "0u", _] => Some((i, value_of(name)?, true)),
        _ => None,
    }
}
