//! The tool that the function becomes, put together and checked.

use proc_macro2::Group;
use syn::{
    Attribute, FnArg, LitStr, Path, ReceiverKind, Safety, Signature, Type, Visibility, ext::IdentExt,
    parse_quote,
};

use crate::{
    description::{self, Description},
    errors::Errors,
    function::Function,
    name, nearest,
    options::{Approve, Options},
    parameter::{Argument, Parameter, Role},
    types,
};

/// As many parameters a handler can have; the arguments are one.
const EXTRACTORS: usize = 8;

pub(crate) struct Model {
    pub(crate) krate: Path,
    pub(crate) name: LitStr,
    pub(crate) description: Description,
    pub(crate) options: Options,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    /// As the plain function has it.
    pub(crate) signature: Signature,
    pub(crate) body: Group,
    /// The type that it is a method of.
    pub(crate) owner: Option<Owner>,
}

/// The type that a tool is a method of.
pub(crate) struct Owner {
    pub(crate) ty: Type,
    receiver: Option<Receiver>,
}

/// How a method takes the value that it works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Receiver {
    /// `&self`
    Borrowed,
    /// `self: Arc<Self>`
    Shared,
}

impl Owner {
    pub(crate) fn new(ty: Type) -> Self {
        Self { ty, receiver: None }
    }
}

impl Model {
    pub(crate) fn new(options: Options, function: Function, errors: &mut Errors) -> Self {
        Self::read(options, function, None, errors)
    }

    pub(crate) fn of_method(options: Options, function: Function, owner: Owner, errors: &mut Errors) -> Self {
        Self::read(options, function, Some(owner), errors)
    }

    fn read(mut options: Options, function: Function, mut owner: Option<Owner>, errors: &mut Errors) -> Self {
        let Function { attributes, visibility, mut signature, body } = function;
        check_signature(&signature, &options, errors);
        let parameters = parameters(&mut signature, owner.as_mut(), errors);
        check_options(&options, &parameters, errors);
        Self {
            krate: options.krate.take().unwrap_or_else(|| parse_quote!(::haft)),
            name: name(&options, &signature, errors),
            description: description(&mut options, &attributes, &signature, errors),
            options,
            parameters,
            attributes,
            visibility,
            signature,
            body,
            owner,
        }
    }

    pub(crate) fn receiver(&self) -> Option<Receiver> {
        self.owner.as_ref()?.receiver
    }

    pub(crate) fn is_async(&self) -> bool {
        self.signature.asyncness.is_some()
    }

    pub(crate) fn is_blocking(&self) -> bool {
        self.options.blocking.as_ref().is_some_and(|flag| flag.value)
    }
}

fn name(options: &Options, signature: &Signature, errors: &mut Errors) -> LitStr {
    let own = || LitStr::new(&signature.ident.unraw().to_string(), signature.ident.span());
    let name = options.name.clone().unwrap_or_else(own);
    if let Some(fault) = name::fault(&name.value()) {
        errors.at(name.span(), fault);
    }
    name
}

fn description(
    options: &mut Options,
    attributes: &[Attribute],
    signature: &Signature,
    errors: &mut Errors,
) -> Description {
    if let Some(expression) = options.description.take() {
        return Description::Expression(quote::quote!(#expression));
    }
    description::of_documentation(attributes).unwrap_or_else(|| {
        errors.add(
            &signature.ident,
            format!(
                "the tool `{}` has no description: write a documentation comment that says what it does and when to \
                 call it, or give `description = \"…\"`",
                signature.ident
            ),
        );
        Description::Text(String::new())
    })
}

fn check_signature(signature: &Signature, options: &Options, errors: &mut Errors) {
    if !signature.generics.params.is_empty() {
        errors.add(
            &signature.generics,
            "a tool has one schema, so its function can not be generic: name the types",
        );
    }
    if let (true, Some(clause)) = (signature.generics.params.is_empty(), &signature.generics.where_clause) {
        errors.add(clause, "a tool's function is not generic, so there is nothing for `where` to bound");
    }
    if let Safety::Unsafe(word) = &signature.safety {
        errors.add(word, "a model calls the tool, and it can not promise what `unsafe` asks for");
    }
    if let Some(abi) = &signature.abi {
        errors.add(abi, "a tool is called by haft, never from another language: remove this");
    }
    if let Some(variadic) = &signature.variadic {
        errors.add(variadic, "a tool has a fixed number of parameters");
    }
    if let (Some(_), Some(blocking)) = (&signature.asyncness, &options.blocking)
        && blocking.value
    {
        errors.add(
            &blocking.key,
            "`blocking` is for functions that are not `async`: remove it, or the `async` of a function that blocks its thread",
        );
    }
}

/// Options that name arguments, or look at them, need some.
fn check_options(options: &Options, parameters: &[Parameter], errors: &mut Errors) {
    let arguments: Vec<&Argument> = parameters.iter().filter_map(Parameter::argument).collect();
    let names: Vec<&str> = arguments.iter().map(|argument| argument.name.as_str()).collect();
    let in_one = parameters.iter().any(|parameter| matches!(parameter.role, Role::Arguments));
    // What stands in another type's fields shows when the tool is defined.
    let known = !in_one && !arguments.iter().any(|argument| argument.is_flattened);
    if let Some(key) = options.chunk_by.as_ref().filter(|key| known && !names.contains(&key.value.as_str())) {
        let word = &key.value;
        let by_parameter = arguments.iter().find(|argument| argument.ident.unraw() == word.as_str());
        let advice = match by_parameter {
            Some(argument) => format!("the model calls it `{}`", argument.name),
            None if names.is_empty() => "the function takes none".to_owned(),
            None => nearest::advice(word, &names, |name| format!("`{name}`")),
        };
        errors.at(key.at, format!("there is no argument `{word}`: {advice}"));
    }
    if let Some(Approve::When(predicate)) = &options.approve
        && !in_one
        && arguments.is_empty()
    {
        errors.add(predicate, "the function takes no arguments to look at: write `approve` alone");
    }
}

/// Reads the parameters and leaves the plain function's.
fn parameters(
    signature: &mut Signature,
    mut owner: Option<&mut Owner>,
    errors: &mut Errors,
) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    for input in &mut signature.inputs {
        match input {
            FnArg::Receiver(receiver) => match &mut owner {
                Some(owner) => owner.receiver = self::receiver(receiver, errors),
                None => errors.add(
                    receiver.self_token,
                    "a tool is a function without `self`: take what it works on as `State<T>`, or put `#[toolkit]` on the \
                     `impl`",
                ),
            },
            FnArg::Typed(parameter) => parameters.push(Parameter::take(parameter, errors)),
        }
    }
    check_together(&parameters, errors);
    parameters
}

/// All tools of a value work on it at once.
fn receiver(receiver: &syn::Receiver, errors: &mut Errors) -> Option<Receiver> {
    match &receiver.kind {
        ReceiverKind::Reference(_, None, None) => return Some(Receiver::Borrowed),
        ReceiverKind::Typed(_, ty) if types::last_segment(ty).is_some_and(|name| name == "Arc") => {
            return Some(Receiver::Shared);
        }
        _ => {}
    }
    errors.add(
        receiver.self_token,
        "the tools of a toolkit share the value that they work on: take `&self` or `self: Arc<Self>`, and keep what \
         changes behind a lock",
    );
    None
}

/// Arguments come in one way, and not from too many parameters.
fn check_together(parameters: &[Parameter], errors: &mut Errors) {
    let mut first: Option<&Role> = None;
    let mut extractors = 0;
    for Parameter { ty, role } in parameters {
        match (first, role) {
            (_, Role::Extractor) => extractors += 1,
            (None, role) => {
                first = Some(role);
                extractors += 1;
            }
            (Some(Role::Argument(_)), Role::Argument(_)) => {}
            (Some(Role::Arguments), Role::Arguments) => {
                errors.add(ty, "the arguments come in one `Args<T>`, and this is a second: put all fields into one struct");
            }
            (Some(Role::Arguments), Role::Argument(argument)) => errors.add(
                &argument.ident,
                format!(
                    "the arguments come in `Args<T>` already: move `{}` into that struct, or mark it `#[extract]` if it is \
                     an extractor",
                    argument.ident
                ),
            ),
            (Some(_), _) => errors.add(
                ty,
                "the parameters before this are the arguments already: move them into this struct, or its fields into \
                 parameters",
            ),
        }
    }
    if extractors > EXTRACTORS
        && let Some(Parameter { ty, .. }) = parameters.last()
    {
        errors.add(
            ty,
            format!("a tool's function can ask for {EXTRACTORS} things, where all arguments are one, and this asks for {extractors}"),
        );
    }
}
