alias outer = f64;
