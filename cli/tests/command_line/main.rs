//! The program from outside: its output, its files and its exit codes.

mod accuracy;
#[path = "../../../tests/common/draw.rs"]
mod draw;
mod files;
mod filter;
mod kernels;
mod methods;
mod options;
mod outputs;
mod p_scheme;
mod quasi;
mod recur;
mod refusals;
mod server;
mod solve;
mod structure;
mod support;
mod timing;
mod trsv;
mod tuning;
mod verbs;
