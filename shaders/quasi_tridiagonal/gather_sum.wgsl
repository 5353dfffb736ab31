fn gather(a: real, b: real) -> real {
    return a + b;
}
