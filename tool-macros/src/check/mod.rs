//! The rules, one a function. Each looks at the model, and reports at the token at fault.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{FnArg, GenericParam, Receiver, Signature, Type};

use crate::{
    errors::Errors,
    model::{ParameterModel, Role, ToolModel, has_lifetime},
};

/// Holds every rule against a free function or a method.
pub(crate) fn check(model: &ToolModel, signature: &Signature, errors: &mut Errors) {
    name(model, errors);
    description(model, errors);
    concurrency(model, errors);
    truncation(model, errors);
    pattern(model, errors);
    asks(model, errors);
    grammar(model, errors);
    blocking(model, errors);
    timeout(model, errors);
    generics(signature, errors);
    qualifiers(signature, errors);
    receiver(model, signature, errors);
    output(model, errors);
    property_names(model, errors);
    context(model, errors);
    model.parameters.iter().for_each(|parameter| argument(parameter, errors));
}

fn name(model: &ToolModel, errors: &mut Errors) {
    const HELP: &str = "use a letter or `_` first, then letters, digits, `_` or `-`, at most 64 characters in all";
    let name = &model.name;
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let fits = begins && name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    match model.attr.name.get() {
        _ if fits => {}
        Some(literal) => errors.at(literal, format!("`{name}` is not a name that every provider takes"), HELP),
        None => errors.at(
            &model.function,
            format!("`{name}` is not a name that every provider takes"),
            format!("give it another one with `name = \"…\"`: {HELP}"),
        ),
    }
}

fn description(model: &ToolModel, errors: &mut Errors) {
    if model.description.is_none() && model.attr.describe.get().is_none() {
        errors.at(
            &model.function,
            format!("the tool `{}` has no description", model.name),
            "say in a doc comment what it does and when to use it: the model decides by that",
        );
    }
}

fn concurrency(model: &ToolModel, errors: &mut Errors) {
    if let (Some(true), Some(true), Some(key)) =
        (model.attr.parallel.get(), model.attr.exclusive.get(), model.attr.exclusive.key())
    {
        errors.at(key, "`exclusive` contradicts `parallel`", "keep the one that is meant");
    }
    if let (Some(true), Some(true), Some(key)) =
        (model.attr.read_only.get(), model.attr.destructive.get(), model.attr.destructive.key())
    {
        errors.at(key, "`destructive` contradicts `read_only`", "keep the one that is meant");
    }
}

fn truncation(model: &ToolModel, errors: &mut Errors) {
    for slot in [&model.attr.lines, &model.attr.bytes] {
        if let (Some(value), Some(key)) = (slot.get(), slot.key())
            && value.to_token_stream().to_string() == "0"
        {
            errors.at(value, format!("`{key} = 0` leaves no output"), "give at least 1, or leave it out");
        }
    }
}

fn pattern(model: &ToolModel, errors: &mut Errors) {
    let Some(wanted) = model.attr.pattern.get() else { return };
    if model.attr.permission.get().is_none() {
        errors.at(
            wanted,
            "a `pattern` without a `permission`",
            "add `permission = \"…\"`, the leave that is asked for",
        );
    }
    if !model.arguments().any(|argument| argument.ident == *wanted) {
        let known: Vec<String> = model.arguments().map(|argument| format!("`{}`", argument.ident)).collect();
        let help = match known.as_slice() {
            [] => "leave it out: the function has no arguments".to_owned(),
            known => format!("name one of the arguments: {}", known.join(", ")),
        };
        errors.at(wanted, format!("`{wanted}` is not an argument of this function"), help);
    }
}

fn asks(model: &ToolModel, errors: &mut Errors) {
    if let (Some(_), Some(key)) = (model.attr.permission.get(), model.attr.asks.key()) {
        errors.at(
            key,
            "`asks` beside `permission`",
            "keep `permission` where the tool is asked about before it runs, `asks` where its body asks",
        );
    }
}

fn grammar(model: &ToolModel, errors: &mut Errors) {
    if let (Some(key), count @ (0 | 2..)) = (model.attr.grammar.key(), model.arguments().count()) {
        errors.at(
            key,
            format!("a tool with a `grammar` takes one argument, this one {count}"),
            "take one `String` or `&str`: the text that the model writes; the rest has to come from the context",
        );
    }
}

fn blocking(model: &ToolModel, errors: &mut Errors) {
    if let (true, Some(true), Some(key)) = (model.is_async, model.attr.blocking.get(), model.attr.blocking.key()) {
        errors.at(key, "`blocking` is for a plain `fn`", "remove `blocking`, or make the function a plain `fn`");
    }
}

fn timeout(model: &ToolModel, errors: &mut Errors) {
    if let (false, false, Some(key)) =
        (model.is_async, model.attr.blocking.get() == Some(&true), model.attr.timeout.key())
    {
        errors.at(
            key,
            "a plain `fn` cannot be stopped",
            "make it an `async fn`, or add `blocking`: it then runs on a thread that the call need not wait for",
        );
    }
}

fn generics(signature: &Signature, errors: &mut Errors) {
    for generic in &signature.generics.params {
        let help = match generic {
            GenericParam::Lifetime(_) => "leave the lifetime out: references live as long as the call",
            GenericParam::Type(_) | GenericParam::Const(_) => {
                "a model calls one tool with one schema: write a function for each type, and let it call the generic one"
            }
        };
        errors.at(generic, "a tool cannot be generic", help);
    }
    for input in &signature.inputs {
        let (FnArg::Typed(syn::PatType { attrs, .. }) | FnArg::Receiver(Receiver { attrs, .. })) = input;
        if let Some(cfg) = attrs.iter().find(|attribute| attribute.path().is_ident("cfg")) {
            errors.at(cfg, "a parameter that is there only sometimes", "put the `cfg` on two versions of the function");
        }
        if let FnArg::Typed(typed) = input
            && let Type::ImplTrait(ty) = &*typed.ty
        {
            errors.at(ty, "a tool cannot be generic", "name a type: its schema has to be known");
        }
    }
}

fn qualifiers(signature: &Signature, errors: &mut Errors) {
    const HELP: &str = "wrap it in a safe Rust function, and annotate that one";
    if let syn::Safety::Unsafe(unsafety) = &signature.safety {
        errors.at(unsafety, "a tool cannot be `unsafe`", HELP);
    }
    if let Some(abi) = &signature.abi {
        errors.at(abi, "a tool cannot have a foreign calling convention", HELP);
    }
    if let Some(variadic) = &signature.variadic {
        errors.at(variadic, "a tool cannot take any number of parameters", "take a `Vec`");
    }
}

fn receiver(model: &ToolModel, signature: &Signature, errors: &mut Errors) {
    let Some(receiver) = signature.receiver() else { return };
    if model.owner.is_none() {
        errors.at(
            receiver,
            "`self` in a tool that stands alone",
            "put `#[toolset]` on the `impl` block; its methods with `#[tool]` share the value behind `&self`",
        );
    } else if !is_shared(receiver) {
        errors.at(
            receiver,
            "a tool of a toolset takes `&self`",
            "calls may run side by side: take `&self`, and put what changes behind a `Mutex` or an atomic",
        );
    }
}

fn is_shared(receiver: &Receiver) -> bool {
    receiver.to_token_stream().to_string().replace(' ', "") == "&self"
}

fn output(model: &ToolModel, errors: &mut Errors) {
    if let Type::ImplTrait(ty) = &model.output {
        errors.at(
            ty,
            "a tool's return type needs a name",
            "return `String`, `ToolOutput`, `Json<T>`, or a `Result` of one of these",
        );
    } else if has_lifetime(&model.output) {
        errors.at(&model.output, "a tool cannot return what it borrows", "return an owned value: `String`");
    }
}

fn property_names(model: &ToolModel, errors: &mut Errors) {
    let mut seen: Vec<String> = Vec::new();
    for argument in model.arguments() {
        let own = [(argument.name.clone(), argument.attr.rename.get())];
        let aliases = argument.attr.aliases.iter().map(|alias| (alias.value(), Some(alias)));
        for (name, literal) in own.into_iter().chain(aliases) {
            if seen.contains(&name) {
                let problem = format!("two parameters are called `{name}` by the model");
                match literal {
                    Some(literal) => errors.at(literal, problem, "give one of them another name"),
                    None => errors.at(&argument.ident, problem, "give one of them another name"),
                }
            }
            seen.push(name);
        }
    }
}

fn context(model: &ToolModel, errors: &mut Errors) {
    let mut seen: Vec<(String, &Ident)> = Vec::new();
    for parameter in &model.parameters {
        if matches!(parameter.role, Role::Argument(_)) {
            continue;
        }
        let ty = parameter.ty.to_token_stream().to_string();
        if let Some((_, first)) = seen.iter().find(|(known, _)| *known == ty) {
            errors.at(
                &parameter.ty,
                format!("`{}` takes from the context what `{first}` takes already", parameter.ident),
                format!("remove it, and use `{first}`"),
            );
        }
        seen.push((ty, &parameter.ident));
        if let Some(key) = parameter.attr.first_key() {
            errors.at(
                key,
                format!("`{key}` on a parameter that is no argument"),
                "remove it: the value comes from the host, not from the model",
            );
        }
    }
}

fn argument(parameter: &ParameterModel, errors: &mut Errors) {
    if !matches!(parameter.role, Role::Argument(_)) {
        return;
    }
    if let (true, Type::Reference(reference)) = (parameter.is_borrowed(), &parameter.ty)
        && let Some(lifetime) = &reference.lifetime
    {
        errors.at(lifetime, "an argument does not outlive its call", "leave the lifetime out, or take an owned type");
    }
    if !parameter.is_borrowed() && has_lifetime(&parameter.ty) {
        errors.at(
            &parameter.ty,
            "an argument that borrows",
            "take an owned type, e.g. `Option<String>`; of references, `&str`, `&[T]` and `&Path` can be arguments",
        );
    }
    const FORMATS: [&str; 10] =
        ["date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri"];
    if let Some(format) = parameter.attr.format.get()
        && !FORMATS.contains(&format.value().as_str())
    {
        errors.at(
            format,
            format!("`{}` is not a format that providers take", format.value()),
            format!("use one of {}, or a `pattern`", FORMATS.join(", ")),
        );
    }
}
