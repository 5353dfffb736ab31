// role: outer

alias outer = f64;
