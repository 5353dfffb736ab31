//! Unrolls loops.

/// Unrolls loops marked `// unroll`: each round has the counter as a `const`. Each line comes with its line number in the input, counted
/// from 0.
///
/// Drivers do not unroll long bodies, and then keep the arrays that the loops index in memory: ten times slower on an H200. The mark is for
/// loops of the forms `for (var i = 0u; i < NAME; i++) {` and `for (var i = NAME; i > 0u; i--) {`. They must end with a brace at their own
/// indentation, and contain neither break nor continue.
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

/// The counter, the number of rounds, and whether the loop counts down.
fn marked<'a>(line: &'a str, value_of: &dyn Fn(&str) -> Option<u32>) -> Option<(&'a str, u32, bool)> {
    let head = line.trim_end().strip_suffix("{ // unroll")?;
    let words: Vec<_> = head.split([' ', '(', ';', ')']).filter(|word| !word.is_empty()).collect();
    match words[..] {
        ["for", "var", i, "=", "0u", _, "<", name, _] => Some((i, value_of(name)?, false)),
        ["for", "var", i, "=", name, _, ">", "0u", _] => Some((i, value_of(name)?, true)),
        _ => None,
    }
}
