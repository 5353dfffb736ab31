// role: guess
import roles::real::real4;

fn guess(q: u32) -> real4 {
    return real4(0.0);
}
