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
                checks.loops |= break_if.is_some() || !counts_to_an_end(body, continuing, function);
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

/// Whether a loop increments an integer while it is less than a bound, or decrements it while it is greater. This ends for any bound,
/// because the least and the greatest integer fail the comparison.
fn counts_to_an_end(body: &Block, continuing: &Block, function: &Function) -> bool {
    let mut condition = body.iter().filter(|statement| !matches!(statement, Statement::Emit(_)));
    let Some(Statement::If { condition, accept, reject }) = condition.next() else {
        return false;
    };
    if !accept.is_empty() || !matches!(reject[..], [Statement::Break]) {
        return false;
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
    let Expression::Binary { op: comparison, left, .. } = all[*condition] else {
        return false;
    };
    let Some(counter) = loaded(left) else {
        return false;
    };
    // In each round anew: an earlier loaded value does not change.
    let anew = |block: &Block, load: Handle<Expression>| {
        block
            .iter()
            .any(|statement| matches!(statement, Statement::Emit(range) if range.clone().any(|own| own == load)))
    };
    let step = match comparison {
        BinaryOperator::Less => BinaryOperator::Add,
        BinaryOperator::Greater => BinaryOperator::Subtract,
        _ => return false,
    };
    let mut steps = continuing.iter().filter(|statement| !matches!(statement, Statement::Emit(_)));
    let (Some(&Statement::Store { pointer, value }), None) = (steps.next(), steps.next()) else {
        return false;
    };
    let by_one = match all[value] {
        Expression::Binary { op, left, right } => {
            let one = matches!(all[right], Expression::Literal(Literal::U32(1) | Literal::I32(1)));
            op == step && loaded(left) == Some(counter) && anew(continuing, left) && one
        }
        _ => false,
    };
    by_one && anew(body, left) && variable(pointer) == Some(counter) && !stores(body, counter, function)
}

/// Whether statements write to a variable.
fn stores(block: &Block, variable: Handle<LocalVariable>, function: &Function) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Store { pointer, .. } => {
            // A write to a part of the variable counts, and so does a pointer that cannot be followed.
            let mut at = *pointer;
            loop {
                match function.expressions[at] {
                    Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => at = base,
                    Expression::LocalVariable(written) => return written == variable,
                    _ => return true,
                }
            }
        }
        Statement::Block(block) => stores(block, variable, function),
        Statement::If { accept, reject, .. } => {
            stores(accept, variable, function) || stores(reject, variable, function)
        }
        Statement::Switch { cases, .. } => cases.iter().any(|case| stores(&case.body, variable, function)),
        Statement::Loop { body, continuing, .. } => {
            stores(body, variable, function) || stores(continuing, variable, function)
        }
        _ => false,
    })
}
