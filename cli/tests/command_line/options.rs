//! Options of several values beside files.

use std::fs;

use super::support::*;

/// An option takes one word, so that a file can follow it: commas separate values.
#[test]
fn no_option_takes_values_by_spaces() {
    let mut commands = vec![vec![]];
    let mut lists = 0;
    while let Some(words) = commands.pop() {
        let arguments: Vec<_> = words.iter().map(String::as_str).chain(["--help"]).collect();
        let help = trisolve(&arguments).solved().stdout;
        assert!(!help.contains(">..."), "{help}");
        lists += help.matches(",...>").count();
        let below = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
        let names = below.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
        commands.extend(names.map(|name| [&words[..], &[name.to_owned()]].concat()));
    }
    assert!(lists > 20, "{lists}");
}

#[test]
fn files_and_options_come_in_any_order() {
    let folder = Folder::new();
    let [a, b] = ["a.mtx", "b.mtx"].map(|name| folder.path(name));
    let options = ["--system", "banded", "--rows", "50", "--beside", "2"];
    let mut written = vec![];
    for at in [0, 2, 4, 6] {
        let arguments = [&["generate"], &options[..at], &[&a, &b], &options[at..]].concat();
        trisolve(&arguments).solved();
        written.push([&a, &b].map(|file| fs::read_to_string(file).expect("the file")));
    }
    assert!(written.windows(2).all(|pair| pair[0] == pair[1]));
    let x = folder.file("x.mtx", array(3, &[1.0, 2.0, 3.0]));
    let options = ["--b", "-1,0.5", "--a", "1,-0.5", "--zi", "-1"];
    let outputs = [0, 2, 4, 6].map(|at| {
        let arguments = [&["filter", "--json"], &options[..at], &[&x], &options[at..]].concat();
        trisolve(&arguments).solved().json()["final_states"].clone()
    });
    assert!(outputs.iter().all(|states| *states == outputs[0]));
}

#[test]
fn numbers_in_the_place_of_files_are_refused() {
    let folder = Folder::new();
    let a = folder.path("a.mtx");
    let x = folder.file("x.mtx", array(3, &[1.0, 2.0, 3.0]));
    for (arguments, says) in [
        (&["generate", "--rows", "100", "200", &a][..], "./200 "),
        (&["generate", &a, "--rows", "100", "2^10"], "./2^10 "),
        (&["generate", "--beside", "1", "2", &a], "./2 "),
        (&["filter", "--b", "1", "--a", "1", "0.5", &x], "unexpected argument"),
        (&["filter", "--b", "1", "2", "--a", "1,0.5"], "./2 "),
        (&["bench", "tridiagonal", "--algorithm", "cr", "pcr"], "unexpected argument 'pcr'"),
    ] {
        trisolve(arguments).failed(2, &["commas", says]);
    }
    assert_eq!(folder.names(), ["x.mtx"]);
    trisolve(&["generate", "--rows", "100,200", &a]).failed(2, &["2 systems"]);
}
