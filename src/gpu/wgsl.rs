//! WGSL assembly: a kernel is a list of files behind a prelude of aliases and constants.

use std::fmt;
use std::fmt::Write;
use std::sync::Arc;

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

    /// The least number that has all its digits.
    pub const fn least_normal(self) -> f64 {
        match self {
            Self::F32 => f32::MIN_POSITIVE as f64,
            Self::F64 => f64::MIN_POSITIVE,
        }
    }

    /// The largest finite number.
    pub const fn largest(self) -> f64 {
        match self {
            Self::F32 => f32::MAX as f64,
            Self::F64 => f64::MAX,
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
    REAL_F32 = "shared/real_f32";
    REAL_F64 = "shared/real_f64";
    COPY = "shared/copy";
    PROBE = "shared/probe";
}

/// WGSL of the caller's, with the checks that it needs wherever it is compiled.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct CallerCode {
    pub text: Arc<str>,
    pub checks: Checks,
}

/// Checks that keep code whose author we do not know from undefined behaviour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(crate) struct Checks {
    /// Of indices into its own arrays.
    pub bounds: bool,
    /// That loops end, some day.
    pub loops: bool,
    /// Of integer divisors.
    pub divisions: bool,
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
    /// What the parts call of the caller's. Goes as it is: nothing in it is substituted.
    pub caller: Option<CallerCode>,
}

impl Permutation {
    /// The whole WGSL text.
    pub fn source(&self) -> String {
        let real = self.precision.name();
        let mut text = format!("alias real = {real};\nalias real4 = vec4<{real}>;\n");
        let (smallest, normal, large, noise, roundoff) = match self.precision {
            Precision::F32 => ("1e-30", "1e-37", "1e37", "1e-5", "5.9604645e-8"),
            Precision::F64 => ("1e-290", "1e-307", "1e307", "1e-13", "1.1102230246251565e-16"),
        };
        let mut constant = |line: fmt::Arguments| {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{line}");
        };
        constant(format_args!("const SMALLEST: real = {smallest};"));
        constant(format_args!("const NORMAL: real = {normal};"));
        constant(format_args!("const LARGE: real = {large};"));
        constant(format_args!("const NOISE: real = {noise};"));
        constant(format_args!("const ROUNDOFF: real = {roundoff};"));
        constant(format_args!("const INPUTS_WRITABLE = {};", self.writable_inputs));
        // Numbers of 16 bytes.
        let unit = ("UNIT", 16 / self.precision.bytes() as u32);
        let constants = [&self.constants[..], &[unit]].concat();
        for (name, value) in &constants {
            constant(format_args!("const {name} = {value}u;"));
        }
        let own = match self.precision {
            Precision::F32 => REAL_F32,
            Precision::F64 => REAL_F64,
        };
        for part in [BLOCK, own, GRID].iter().chain(&self.parts) {
            let _ = writeln!(text, "\n// {}.wgsl\n{}", part.name, part.text);
        }
        let text = text.replace("INPUT_ACCESS", if self.writable_inputs { "read_write" } else { "read" });
        let mut text = unroll(&text, &constants);
        if let Some(caller) = &self.caller {
            text.push_str(&caller.text);
        }
        text
    }
}

/// Writes loops marked `// unroll` out, round by round, with the counter as a `const`.
///
/// Drivers leave long bodies rolled, and then keep the arrays that they index in memory: a
/// tenfold loss, seen on an H200. The mark goes on loops of the forms
/// `for (var i = 0u; i < NAME; i++) {` and `for (var i = NAME; i > 0u; i--) {` that end with a
/// brace of their own indentation and neither break nor continue.
fn unroll(text: &str, constants: &[(&'static str, u32)]) -> String {
    let count_of = |name: &str| constants.iter().find(|constant| constant.0 == name).map(|constant| constant.1);
    let mut lines = text.lines();
    let mut written = String::with_capacity(2 * text.len());
    while let Some(line) = lines.next() {
        let marked = line.trim_end().strip_suffix("{ // unroll").and_then(|head| {
            let words: Vec<_> = head.split([' ', '(', ';', ')']).filter(|word| !word.is_empty()).collect();
            match words[..] {
                ["for", "var", i, "=", "0u", _, "<", name, _] => Some((i, count_of(name)?, false)),
                ["for", "var", i, "=", name, _, ">", "0u", _] => Some((i, count_of(name)?, true)),
                _ => None,
            }
        });
        let Some((counter, count, backward)) = marked else {
            written.push_str(line);
            written.push('\n');
            continue;
        };
        let indent = &line[..line.len() - line.trim_start().len()];
        let end = format!("{indent}}}");
        let body: Vec<_> = lines.by_ref().take_while(|line| *line != end).collect();
        let body = unroll(&body.join("\n"), constants);
        for round in 0..count {
            let value = if backward { count - round } else { round };
            let _ = writeln!(written, "{indent}{{\n{indent}    const {counter} = {value}u;\n{body}{indent}}}");
        }
    }
    written
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
