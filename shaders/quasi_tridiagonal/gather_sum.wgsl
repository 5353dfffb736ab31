// role: gather
import roles::real::real;

fn gather(a: real, b: real) -> real {
    return a + b;
}
