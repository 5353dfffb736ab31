//! Checks a formula as its compiler parsed it: whether a thread can run it alone, and which checks keep it from undefined behaviour in
//! kernels compiled without checks.

use wgpu::naga::valid::{FunctionInfo, ShaderStages};
use wgpu::naga::{
    BinaryOperator, Block, Expression, Function, Handle, Literal, LocalVariable, MathFunction, Module, ScalarKind,
    Span, Statement,
};

use crate::shader::Checks;

/// A forbidden construct in a formula, and its place.
pub(super) struct Refused {
    pub span: Span,
    pub message: String,
}

/// Most bytes of a variable: a thread's own memory is a few kilobytes, and compilers take minutes over an array of 100000 entries.
const MOST_BYTES: u32 = 16 << 10;

/// The checks that a function needs.
pub(super) fn checks(module: &Module, function: &Function, info: &FunctionInfo) -> Result<Checks, Refused> {
    let mut checks = Checks::default();
    for (handle, of_type) in module.types.iter() {
        if of_type.inner.size(module.to_ctx()) > MOST_BYTES {
            return Err(Refused {
                span: module.types.get_span(handle),
                message: format!("more than a thread has room for: a variable holds {MOST_BYTES} bytes at the most"),
            });
        }
    }
    let scalar = |expression: Handle<Expression>| info[expression].ty.inner_with(&module.types).scalar();
    for (handle, expression) in function.expressions.iter() {
        match *expression {
            Expression::Access { .. } => checks.bounds = true,
            Expression::Binary { op: BinaryOperator::Divide | BinaryOperator::Modulo, right, .. } => {
                let integers = |s: wgpu::naga::Scalar| matches!(s.kind, ScalarKind::Sint | ScalarKind::Uint);
                checks.divisions |= scalar(right).is_none_or(integers) && !divides_all(&function.expressions[right]);
            }
            Expression::Math { fun, arg, .. } if !in_f64(fun) => {
                let wide = |inner: &wgpu::naga::TypeInner| inner.scalar_width() == Some(8);
                if wide(info[arg].ty.inner_with(&module.types)) {
                    let name = format!("{fun:?}").to_lowercase();
                    return Err(Refused {
                        span: function.expressions.get_span(handle),
                        message: format!("GPUs have no `{name}` in f64; in f32 it is `real({name}(f32(...)))`"),
                    });
                }
            }
            _ => {}
        }
    }
    walk(&function.body, function, &mut checks)?;
    if !info.available_stages.contains(ShaderStages::COMPUTE) {
        return Err(Refused { span: Span::UNDEFINED, message: "derivatives are of fragment shaders only".into() });
    }
    Ok(checks)
}

/// Whether every integer of the divisor's type can be divided by it.
fn divides_all(divisor: &Expression) -> bool {
    matches!(divisor, Expression::Literal(Literal::U32(1..) | Literal::I32(1..)))
}

/// Functions that drivers support in f64: drivers compute wrong values for some of the others.
fn in_f64(function: MathFunction) -> bool {
    use MathFunction as F;
    !matches!(
        function,
        F::Cos
            | F::Cosh
            | F::Sin
            | F::Sinh
            | F::Tan
            | F::Tanh
            | F::Acos
            | F::Asin
            | F::Atan
            | F::Atan2
            | F::Asinh
            | F::Acosh
            | F::Atanh
            | F::Exp
            | F::Exp2
            | F::Log
            | F::Log2
            | F::Pow
    )
}

/// Checks statements that each thread runs alone.
fn walk(block: &Block, function: &Function, checks: &mut Checks) -> Result<(), Refused> {
    for (statement, span) in block.span_iter() {
        match statement {
            Statement::Emit(_)
            | Statement::Break
            | Statement::Continue
            | Statement::Return { .. }
            | Statement::Store { .. }
            | Statement::Call { .. } => {}
            Statement::Block(block) => walk(block, function, checks)?,
            Statement::If { accept, reject, .. } => {
                walk(accept, function, checks)?;
                walk(reject, function, checks)?;
            }
            Statement::Switch { cases, .. } => cases.iter().try_for_each(|case| walk(&case.body, function, checks))?,
            Statement::Loop { body, continuing, break_if } => {
                checks.loops |= break_if.is_some() || Counter::of(body, continuing, function).is_none();
                walk(body, function, checks)?;
                walk(continuing, function, checks)?;
            }
            _ => {
                let message = "a formula is computed by every thread for itself: it cannot wait for others, nor \
                               exchange anything with them, nor be discarded";
                return Err(Refused { span: *span, message: message.into() });
            }
        }
    }
    Ok(())
}

/// The counter of a loop that increments an integer while it is less than a bound, or decrements it while it is greater. Such a loop ends
/// for any bound, because the least and the greatest integer fail the comparison.
pub(super) struct Counter {
    pub variable: Handle<LocalVariable>,
    pub bound: Handle<Expression>,
}

impl Counter {
    pub fn of(body: &Block, continuing: &Block, function: &Function) -> Option<Self> {
        let Statement::If { condition, accept, reject } =
            body.iter().find(|statement| !matches!(statement, Statement::Emit(_)))?
        else {
            return None;
        };
        if !accept.is_empty() || !matches!(reject[..], [Statement::Break]) {
            return None;
        }
        let all = &function.expressions;
        let variable = |pointer: Handle<Expression>| match all[pointer] {
            Expression::LocalVariable(variable) => Some(variable),
            _ => None,
        };
        let loaded = |value: Handle<Expression>| match all[value] {
            Expression::Load { pointer } => variable(pointer),
            _ => None,
        };
        let Expression::Binary { op: comparison, left, right: bound } = all[*condition] else {
            return None;
        };
        let counter = loaded(left)?;
        // In each round anew: an earlier loaded value does not change.
        let anew = |block: &Block, load: Handle<Expression>| {
            block
                .iter()
                .any(|statement| matches!(statement, Statement::Emit(range) if range.clone().any(|own| own == load)))
        };
        let step = match comparison {
            BinaryOperator::Less => BinaryOperator::Add,
            BinaryOperator::Greater => BinaryOperator::Subtract,
            _ => return None,
        };
        let mut steps = continuing.iter().filter(|statement| !matches!(statement, Statement::Emit(_)));
        let (Some(&Statement::Store { pointer, value }), None) = (steps.next(), steps.next()) else {
            return None;
        };
        let by_one = match all[value] {
            Expression::Binary { op, left, right } => {
                let one = matches!(all[right], Expression::Literal(Literal::U32(1) | Literal::I32(1)));
                op == step && loaded(left) == Some(counter) && anew(continuing, left) && one
            }
            _ => false,
        };
        let counts =
            by_one && anew(body, left) && variable(pointer) == Some(counter) && stores(body, counter, function) == 0;
        counts.then_some(Self { variable: counter, bound })
    }
}

/// How many statements write to a variable. Pointers that cannot be followed count.
pub(super) fn stores(block: &Block, variable: Handle<LocalVariable>, function: &Function) -> usize {
    let within = |block: &Block| stores(block, variable, function);
    let count = |statement: &Statement| match statement {
        Statement::Store { pointer, .. } => {
            // A write to a part of the variable counts.
            let mut at = *pointer;
            loop {
                match function.expressions[at] {
                    Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => at = base,
                    Expression::LocalVariable(written) => return usize::from(written == variable),
                    _ => return 1,
                }
            }
        }
        Statement::Block(block) => within(block),
        Statement::If { accept, reject, .. } => within(accept) + within(reject),
        Statement::Switch { cases, .. } => cases.iter().map(|case| within(&case.body)).sum(),
        Statement::Loop { body, continuing, .. } => within(body) + within(continuing),
        _ => 0,
    };
    block.iter().map(count).sum()
}
