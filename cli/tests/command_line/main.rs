//! The built program, from outside: what it answers, where, and with which exit code.

mod accuracy;
mod filter;
mod kernels;
mod outputs;
mod p_scheme;
mod quasi;
mod recur;
mod refusals;
mod solve;
mod structure;
mod support;
mod trsv;
mod tuning;
mod verbs;
