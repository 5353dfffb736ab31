//! WGSL assembly: a kernel is a list of files behind a prelude of aliases and constants.

use std::fmt;
use std::fmt::Write;

/// The floating-point type of a computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Precision {
    /// 32-bit floats; every device has them.
    F32,
    /// 64-bit floats; Vulkan devices with `SHADER_F64` have them.
    F64,
}

impl Precision {
    /// Bytes of one number.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// "f32" or "f64".
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A WGSL file, as it lies under `shaders/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Part {
    pub name: &'static str,
    pub text: &'static str,
}

macro_rules! parts {
    ($($constant:ident = $path:literal;)*) => {
        $(pub(crate) const $constant: crate::gpu::wgsl::Part = crate::gpu::wgsl::Part {
            name: $path,
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $path, ".wgsl")),
        };)*
    };
}
pub(crate) use parts;

parts! {
    BLOCK = "shared/block";
    GRID = "shared/grid";
    FINITE_F32 = "shared/finite_f32";
    FINITE_F64 = "shared/finite_f64";
    COPY = "shared/copy";
}

/// One way to assemble a kernel, and the numbers it is specialised for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Permutation {
    /// The last part's name without folder, for messages.
    pub kernel: &'static str,
    pub precision: Precision,
    /// The caller's inputs share a buffer with x, so that wgpu wants them all writable.
    pub writable_inputs: bool,
    pub subgroups: bool,
    pub parts: Vec<Part>,
    /// `const` declarations of the prelude: sizes of function-local arrays.
    pub constants: Vec<(&'static str, u32)>,
    /// Values of `override` declarations.
    pub overrides: Vec<(&'static str, u32)>,
}

impl Permutation {
    /// The whole WGSL text.
    pub fn source(&self) -> String {
        let real = self.precision.name();
        let mut text = format!("alias real = {real};\nalias real4 = vec4<{real}>;\n");
        let smallest = match self.precision {
            Precision::F32 => "1e-30",
            Precision::F64 => "1e-290",
        };
        let mut constant = |line: fmt::Arguments| {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{line}");
        };
        constant(format_args!("const SMALLEST: real = {smallest};"));
        for (name, value) in &self.constants {
            constant(format_args!("const {name} = {value}u;"));
        }
        let finite = match self.precision {
            Precision::F32 => FINITE_F32,
            Precision::F64 => FINITE_F64,
        };
        for part in [BLOCK, finite, GRID].iter().chain(&self.parts) {
            let _ = writeln!(text, "\n// {}.wgsl\n{}", part.name, part.text);
        }
        text.replace("INPUT_ACCESS", if self.writable_inputs { "read_write" } else { "read" })
    }
}

impl fmt::Display for Permutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kernel, self.precision)?;
        for (name, value) in self.constants.iter().chain(&self.overrides) {
            write!(f, " {name}={value}")?;
        }
        for (set, name) in [(self.writable_inputs, "writable inputs"), (self.subgroups, "subgroups")] {
            if set {
                write!(f, ", {name}")?;
            }
        }
        let variants: Vec<_> = self.parts.iter().filter_map(|part| part.name.split('/').nth(1)).collect();
        write!(f, " ({})", variants.join("+"))
    }
}
