import roles::real::real4;
import roles::unknowns::x;

// x[column] of four columns.
fn gathered(columns: vec4<u32>) -> real4 {
    return real4(
        x[columns.x / 4u][columns.x % 4u],
        x[columns.y / 4u][columns.y % 4u],
        x[columns.z / 4u][columns.z % 4u],
        x[columns.w / 4u][columns.w % 4u],
    );
}
