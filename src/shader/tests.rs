//! The linker, and that every message of a compiler leads to a file.

use super::linker::Linked;
use super::tree::modules;
use crate::testing::permutations;

/// A line that no compiler takes, put into any file, is reported with the file and the line.
#[test]
fn an_error_in_any_file_is_reported_there() {
    let all: Vec<_> = permutations().iter().map(|permutation| permutation.linked().unwrap()).collect();
    for path in modules() {
        let found = all.iter().find_map(|linked| Some((linked, linked.modules.iter().position(|own| own == path)?)));
        let Some((linked, module)) = found else { panic!("no kernel reaches {path}") };
        let lines: Vec<_> = linked.text.lines().collect();
        let is_code = |line: &usize| {
            linked.origins[*line].is_some_and(|origin| origin.module == module) && !lines[*line].starts_with("//")
        };
        let at = (0..lines.len()).find(is_code).unwrap();
        let mut broken = lines.clone();
        broken[at] = "?";
        let broken = broken.join("\n");
        let error = naga::front::wgsl::parse_str(&broken).unwrap_err().emit_to_string(&broken);
        let origin = linked.origins[at].unwrap();
        let place = format!("(shaders/{}.wgsl:{})", path.replace("::", "/"), origin.line);
        let explained = linked.explained(&error);
        assert!(explained.contains(&place), "{place} is not in {explained}");
    }
}

#[test]
fn messages_without_places_stay() {
    let linked = Linked::default();
    for message in ["", "no place", "wgsl:", "wgsl:12:1 past the end", "see wgsl: nothing"] {
        assert_eq!(linked.explained(message), message);
    }
}
