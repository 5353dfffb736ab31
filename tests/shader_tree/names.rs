//! Which names a module uses that it neither declares nor imports, by the scopes of WGSL.

use std::collections::BTreeSet;

use wgsl_parse::syntax::{
    Attribute, AttributeNode, CaseSelector, CompoundStatement, Declaration, Expression, ExpressionNode, Function,
    FunctionCall, GlobalDeclaration, Statement, TranslationUnit, TypeExpression,
};

/// Names of WGSL that the shaders use. A new one is added here.
const BUILT_IN: &[&str] = &[
    "abs",
    "all",
    "any",
    "array",
    "arrayLength",
    "atomic",
    "atomicAdd",
    "atomicCompareExchangeWeak",
    "atomicExchange",
    "atomicLoad",
    "atomicMax",
    "atomicMin",
    "atomicOr",
    "atomicStore",
    "bitcast",
    "bool",
    "clamp",
    "countTrailingZeros",
    "dot",
    "f32",
    "f64",
    "floor",
    "fma",
    "function",
    "i32",
    "max",
    "min",
    "ptr",
    "r32float",
    "read",
    "read_write",
    "rgba16float",
    "rgba32float",
    "rgba8unorm",
    "round",
    "select",
    "sqrt",
    "storage",
    "storageBarrier",
    "subgroupAny",
    "subgroupMin",
    "subgroupShuffle",
    "subgroupShuffleDown",
    "subgroupShuffleUp",
    "subgroupShuffleXor",
    "textureDimensions",
    "textureStore",
    "texture_storage_2d",
    "u32",
    "u64",
    "uniform",
    "vec2",
    "vec3",
    "vec4",
    "workgroup",
    "workgroupBarrier",
    "workgroupUniformLoad",
    "write",
];

/// Names that a module uses.
#[derive(Default)]
pub struct Names {
    /// Those of module level: of its own declarations, of imports, and free ones.
    pub used: BTreeSet<String>,
    /// Names of scopes around the place at hand.
    scopes: Vec<BTreeSet<String>>,
}

impl Names {
    pub fn of(unit: &TranslationUnit) -> Self {
        let mut names = Self::default();
        for declaration in &unit.global_declarations {
            match declaration.node() {
                GlobalDeclaration::Declaration(own) => names.declaration(own),
                GlobalDeclaration::TypeAlias(own) => names.type_expression(&own.ty),
                GlobalDeclaration::Struct(own) => {
                    for member in &own.members {
                        names.attributes(&member.attributes);
                        names.type_expression(&member.ty);
                    }
                }
                GlobalDeclaration::Function(own) => names.function(own),
                GlobalDeclaration::ConstAssert(own) => names.expression(&own.expression),
                GlobalDeclaration::Void => {}
            }
        }
        names
    }

    fn name(&mut self, name: &str) {
        let is_local = self.scopes.iter().any(|scope| scope.contains(name));
        if !is_local && !BUILT_IN.contains(&name) {
            self.used.insert(name.to_owned());
        }
    }

    fn declare(&mut self, name: String) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name);
        }
    }

    fn attributes(&mut self, attributes: &[AttributeNode]) {
        for attribute in attributes {
            match attribute.node() {
                Attribute::Align(value)
                | Attribute::Binding(value)
                | Attribute::Group(value)
                | Attribute::Id(value)
                | Attribute::Location(value)
                | Attribute::Size(value) => self.expression(value),
                Attribute::WorkgroupSize(size) => {
                    [Some(&size.x), size.y.as_ref(), size.z.as_ref()]
                        .into_iter()
                        .flatten()
                        .for_each(|x| self.expression(x));
                }
                _ => {}
            }
        }
    }

    fn type_expression(&mut self, of: &TypeExpression) {
        self.name(&of.ident.name());
        of.template_args.iter().flatten().for_each(|argument| self.expression(&argument.expression));
    }

    fn expression(&mut self, expression: &ExpressionNode) {
        match expression.node() {
            Expression::Literal(_) => {}
            Expression::Parenthesized(own) => self.expression(&own.expression),
            Expression::NamedComponent(own) => self.expression(&own.base),
            Expression::Indexing(own) => [&own.base, &own.index].into_iter().for_each(|own| self.expression(own)),
            Expression::Unary(own) => self.expression(&own.operand),
            Expression::Binary(own) => [&own.left, &own.right].into_iter().for_each(|own| self.expression(own)),
            Expression::FunctionCall(call) => self.call(call),
            Expression::TypeOrIdentifier(own) => self.type_expression(own),
        }
    }

    fn call(&mut self, call: &FunctionCall) {
        self.type_expression(&call.ty);
        call.arguments.iter().for_each(|argument| self.expression(argument));
    }

    /// A name is known behind its declaration.
    fn declaration(&mut self, own: &Declaration) {
        self.attributes(&own.attributes);
        own.ty.iter().for_each(|ty| self.type_expression(ty));
        own.initializer.iter().for_each(|value| self.expression(value));
        self.declare(own.ident.to_string());
    }

    fn function(&mut self, own: &Function) {
        self.attributes(&own.attributes);
        own.return_type.iter().for_each(|ty| self.type_expression(ty));
        self.scopes.push(BTreeSet::new());
        for parameter in &own.parameters {
            self.attributes(&parameter.attributes);
            self.type_expression(&parameter.ty);
            self.declare(parameter.ident.to_string());
        }
        self.compound(&own.body);
        self.scopes.pop();
    }

    fn compound(&mut self, own: &CompoundStatement) {
        self.scopes.push(BTreeSet::new());
        own.statements.iter().for_each(|statement| self.statement(statement.node()));
        self.scopes.pop();
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Void | Statement::Break(_) | Statement::Continue(_) | Statement::Discard(_) => {}
            Statement::Compound(own) => self.compound(own),
            Statement::Assignment(own) => [&own.lhs, &own.rhs].into_iter().for_each(|own| self.expression(own)),
            Statement::Increment(own) => self.expression(&own.expression),
            Statement::Decrement(own) => self.expression(&own.expression),
            Statement::If(own) => {
                self.expression(&own.if_clause.expression);
                self.compound(&own.if_clause.body);
                for clause in &own.else_if_clauses {
                    self.expression(&clause.expression);
                    self.compound(&clause.body);
                }
                own.else_clause.iter().for_each(|clause| self.compound(&clause.body));
            }
            Statement::Switch(own) => {
                self.expression(&own.expression);
                for clause in &own.clauses {
                    for selector in &clause.case_selectors {
                        if let CaseSelector::Expression(value) = selector {
                            self.expression(value);
                        }
                    }
                    self.compound(&clause.body);
                }
            }
            Statement::Loop(own) => {
                self.compound(&own.body);
                if let Some(continuing) = &own.continuing {
                    self.compound(&continuing.body);
                    continuing.break_if.iter().for_each(|own| self.expression(&own.expression));
                }
            }
            Statement::For(own) => {
                self.scopes.push(BTreeSet::new());
                own.initializer.iter().for_each(|own| self.statement(own.node()));
                own.condition.iter().for_each(|own| self.expression(own));
                own.update.iter().for_each(|own| self.statement(own.node()));
                self.compound(&own.body);
                self.scopes.pop();
            }
            Statement::While(own) => {
                self.expression(&own.condition);
                self.compound(&own.body);
            }
            Statement::Return(own) => own.expression.iter().for_each(|own| self.expression(own)),
            Statement::FunctionCall(own) => self.call(&own.call),
            Statement::ConstAssert(own) => self.expression(&own.expression),
            Statement::Declaration(own) => self.declaration(own),
        }
    }
}
