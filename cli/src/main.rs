//! The program `trisolve`.

use std::process::ExitCode;

fn main() -> ExitCode {
    trisolve_cli::main()
}
