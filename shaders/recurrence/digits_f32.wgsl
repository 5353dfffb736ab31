// 2^60, 2^-60, 2^120 and 2^-120: products of two numbers between the first two are normal.
const HIGH: real = 1152921504606846976.0;
const LOW: real = 8.673617379884035e-19;
const UP: real = 1.329227995784916e36;
const DOWN: real = 7.52316384526264e-37;
