//! Whether every value that one schema takes is taken by another: decided keyword by keyword, and where that cannot be
//! decided, said to be open. Nothing is passed as compatible that is not known to be.
//!
//! `sub` is the schema that values are made by, `sup` the one they are held against. Of arguments, `sub` is the old
//! schema: callers go on sending what they sent. Of results it is the new one: readers go on expecting what they got.

use std::{
    cell::{Cell, RefCell},
    collections::HashSet,
};

use serde_json::{Map, Value, json};

use super::{
    atoms::{ATOMS, Atom, Atoms},
    same::same,
    spread::{Alternative, Opaque, alone, finite, follow, spread_in},
};

/// How many pairs of schemas are looked at before it is left open: unions of unions multiply.
const MOST_STEPS: usize = 20_000;
/// How many schemas are walked and put together in all, to spread others out.
const MOST_PIECES: usize = 500_000;

/// Keywords whose meaning is not taken apart: they have to be the same on both sides.
const WHOLE: [&str; 13] = [
    "not",
    "if",
    "then",
    "else",
    "contains",
    "minContains",
    "maxContains",
    "propertyNames",
    "patternProperties",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
    "unevaluatedItems",
];

/// Which way values go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// From callers: the new schema must take all that the old one took.
    Arguments,
    /// To readers: the new schema must make nothing that the old one did not.
    Result,
}

/// One place where a value may not fit any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Where, as a JSON pointer into the schema; `$ref`s are followed without being named.
    pub(super) pointer: String,
    /// Whether it is known, or only not known to be harmless.
    pub(super) is_certain: bool,
    pub(super) words: String,
}

/// One schema that values are held against, keyword by keyword, and what is known of them.
#[derive(Clone, Copy)]
pub(super) struct Held<'a, 's> {
    pub(super) sub: &'a Alternative<'s>,
    pub(super) sup: &'s Map<String, Value>,
    /// The types that both take.
    pub(super) atoms: Atoms,
    pub(super) at: &'a str,
}

/// Everything a comparison needs at every step.
pub(super) struct Comparison<'s> {
    sub_root: &'s Value,
    sup_root: &'s Value,
    pub(super) direction: Direction,
    /// `{"type": …}` for each atom, to divide a schema by types.
    divided: &'s [(Atom, Map<String, Value>)],
    /// Pairs that are being compared further up: recursion ends in them, and what fails will fail there.
    open: RefCell<HashSet<(Vec<usize>, usize)>>,
    steps: Cell<usize>,
    /// What may be spent on spreading schemas yet.
    pieces: Cell<usize>,
}

/// Everything that makes the new schema refuse what the old one took, or make what the old one did not.
pub(super) fn compare(old: &Value, new: &Value, direction: Direction) -> Vec<Found> {
    if old == new {
        return Vec::new();
    }
    let (sub, sup) = match direction {
        Direction::Arguments => (old, new),
        Direction::Result => (new, old),
    };
    let divided: Vec<_> = ATOMS.iter().map(|atom| (*atom, atom.schema())).collect();
    let comparison = Comparison {
        sub_root: sub,
        sup_root: sup,
        direction,
        divided: &divided,
        open: RefCell::default(),
        steps: Cell::new(0),
        pieces: Cell::new(MOST_PIECES),
    };
    comparison.check(&[sub], sup, "")
}

impl<'s> Comparison<'s> {
    /// Holds every value that all of `sub` take against `sup`.
    pub(super) fn check(&self, sub: &[&'s Value], sup: &'s Value, at: &str) -> Vec<Found> {
        let anything = sup.as_object().is_some_and(Map::is_empty) || *sup == Value::Bool(true);
        if anything || matches!(sub, [only] if same(only, self.sub_root, sup, self.sup_root)) {
            return Vec::new();
        }
        let alternatives = match self.spread(sub) {
            Ok(alternatives) => alternatives,
            Err(Opaque(why)) => return vec![maybe(at, why)],
        };
        let mut found = Vec::new();
        if self.direction == Direction::Arguments {
            self.lost(&alternatives, sup, at, &mut found);
        }
        for alternative in &alternatives {
            found.extend(self.alternative(alternative, sup, at));
        }
        let mut seen = HashSet::new();
        found.retain(|one| seen.insert((one.pointer.clone(), one.words.clone())));
        found
    }

    /// Holds one alternative against `sup`.
    pub(super) fn alternative(&self, sub: &Alternative<'s>, sup: &'s Value, at: &str) -> Vec<Found> {
        let sup = match sup {
            Value::Bool(true) => return Vec::new(),
            Value::Object(sup) => sup,
            _ => return self.nothing(sub, at),
        };
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() > MOST_STEPS {
            return vec![maybe(at, "too intricate to compare".to_owned())];
        }
        let key = (sub.iter().map(|part| address(*part)).collect(), address(sup));
        if !self.open.borrow_mut().insert(key.clone()) {
            return Vec::new();
        }
        let found = self.conjuncts(sub, sup, at);
        self.open.borrow_mut().remove(&key);
        found
    }

    fn nothing(&self, sub: &Alternative<'s>, at: &str) -> Vec<Found> {
        if Atoms::of_all(sub).is_empty() {
            return Vec::new();
        }
        vec![certain(at, self.say("any value is refused now", "there can be a value now where there was none"))]
    }

    fn conjuncts(&self, sub: &Alternative<'s>, sup: &'s Map<String, Value>, at: &str) -> Vec<Found> {
        let atoms = Atoms::of_all(sub);
        if atoms.is_empty() {
            return Vec::new();
        }
        if let Some(values) = finite(sub, atoms) {
            return self.values(sub, &values, sup, at);
        }
        let mut found = Vec::new();
        let taken = Atoms::of(sup);
        let refused = atoms.without(taken);
        if !refused.is_empty() {
            let (was, now) = self.order(atoms.to_string(), taken.to_string());
            found.push(certain(at, format!("the type was {was}, is {now}")));
        }
        let common = atoms.and(taken);
        if common.is_empty() {
            return found;
        }
        let divided;
        let sub = if refused.is_empty() {
            sub
        } else {
            divided = self.divide(sub, common);
            &divided
        };
        if let Some(reference) = sup.get("$ref").and_then(Value::as_str) {
            match follow(self.sup_root, reference) {
                Some(target) => found.extend(self.alternative(sub, target, at)),
                None => found.push(maybe(at, format!("`$ref` {reference} cannot be followed"))),
            }
        }
        for part in parts(sup, "allOf") {
            found.extend(self.alternative(sub, part, at));
        }
        for keyword in ["anyOf", "oneOf"] {
            if sup.contains_key(keyword) && !self.has(sub, keyword, sup) {
                self.union(sub, keyword, parts(sup, keyword), at, &mut found);
            }
        }
        for keyword in ["enum", "const"] {
            if let Some(values) = sup.get(keyword) {
                let words = self.say("only these are taken now: ", "was one of these only: ");
                found.push(certain(&format!("{at}/{keyword}"), format!("{words}{values}")));
            }
        }
        let held = Held { sub, sup, atoms: common, at };
        self.numbers(&held, &mut found);
        self.texts(&held, &mut found);
        self.arrays(&held, &mut found);
        self.objects(&held, &mut found);
        for keyword in WHOLE {
            if sup.contains_key(keyword) && !self.has(sub, keyword, sup) {
                found.push(maybe(&format!("{at}/{keyword}"), format!("`{keyword}` may be narrower than before")));
            }
        }
        found
    }

    /// The values one by one, for a schema that takes only so many.
    fn values(&self, sub: &Alternative<'s>, values: &[Value], sup: &Map<String, Value>, at: &str) -> Vec<Found> {
        let validator = match alone(sup, self.sup_root) {
            Ok(validator) => validator,
            Err(why) => return vec![maybe(at, why)],
        };
        let mut refused: Vec<_> = values.iter().filter(|value| !validator.is_valid(value)).collect();
        if !refused.is_empty() {
            // What the schema itself refuses in another keyword is no loss.
            let own: Vec<_> = sub.iter().filter_map(|part| alone(part, self.sub_root).ok()).collect();
            refused.retain(|value| own.iter().all(|part| part.is_valid(value)));
        }
        if refused.is_empty() {
            return Vec::new();
        }
        let refused: Vec<_> = refused.into_iter().map(Value::to_string).collect();
        let words = self.say("no longer taken", "can come now, and could not before");
        vec![certain(at, format!("{}: {words}", refused.join(", ")))]
    }

    fn union(&self, sub: &Alternative<'s>, keyword: &str, branches: &'s [Value], at: &str, found: &mut Vec<Found>) {
        let atoms = Atoms::of_all(sub);
        for atom in atoms.iter() {
            let divided = self.divide(sub, Atoms::only(atom));
            let fits: Vec<_> = branches.iter().map(|branch| self.alternative(&divided, branch, at)).collect();
            if let Some(fit) = fits.iter().position(Vec::is_empty) {
                // Of `oneOf`, a value may fit one only.
                let others = branches.iter().enumerate().filter(|(index, _)| *index != fit);
                if keyword == "oneOf" && !others.map(|(_, branch)| branch).all(|branch| self.disjoint(&divided, branch))
                {
                    found.push(maybe(at, "may fit more than one alternative of `oneOf`".to_owned()));
                }
                continue;
            }
            let of_type = |branch: &Value| {
                let alternatives = spread_in(self.sup_root, &[branch], &self.pieces);
                alternatives.map_or(true, |all| all.iter().any(|one| Atoms::of_all(one).contains(atom)))
            };
            let near: Vec<_> = branches.iter().zip(&fits).filter(|(branch, _)| of_type(branch)).collect();
            match near.iter().map(|(_, fit)| *fit).min_by_key(|fit| fit.len()) {
                None => {
                    let words = self.say("no alternative takes it any more", "an alternative of this type is new");
                    found.push(certain(at, format!("{}: {words}", atom.name())));
                }
                Some(nearest) if near.len() == 1 => found.extend(nearest.iter().cloned()),
                Some(nearest) => {
                    let is_certain = near.iter().all(|(_, fit)| fit.iter().any(|one| one.is_certain));
                    let words = self.say("an alternative was removed or narrowed", "an alternative is new or wider");
                    let detail: Vec<_> = nearest.iter().take(3).map(ToString::to_string).collect();
                    let words = format!("{words}; the nearest differs: {}", detail.join("; "));
                    found.push(Found { pointer: at.to_owned(), is_certain, words });
                }
            }
        }
    }

    /// Whether no value of `sub` is one of `branch`.
    fn disjoint(&self, sub: &Alternative<'s>, branch: &'s Value) -> bool {
        let Ok(others) = spread_in(self.sup_root, &[branch], &self.pieces) else { return false };
        others.iter().all(|other| {
            Atoms::of_all(sub).and(Atoms::of_all(other)).is_empty()
                || names(sub, "required").any(|name| {
                    let tag = |part: &Alternative<'s>| {
                        let schemas: Alternative<'s> =
                            part.iter().filter_map(|map| map.get("properties")?.get(name)?.as_object()).collect();
                        finite(&schemas, Atoms::of_all(&schemas))
                    };
                    let only_objects = Atoms::of_all(sub) == Atoms::only(Atom::Object);
                    matches!((tag(sub), tag(other)), (Some(own), Some(others))
                        if only_objects && !own.iter().any(|value| others.contains(value)))
                })
        })
    }

    /// Parameters that callers send and that are gone: taken still where objects are open, but without meaning.
    fn lost(&self, sub: &[Alternative<'s>], sup: &'s Value, at: &str, found: &mut Vec<Found>) {
        let Ok(taken) = spread_in(self.sup_root, &[sup], &self.pieces) else { return };
        let is_struct = |map: &&Map<String, Value>| map.contains_key("properties");
        let open = |map: &&Map<String, Value>| match map.get("additionalProperties") {
            None | Some(Value::Bool(true)) => !map.contains_key("patternProperties"),
            Some(_) => false,
        };
        let mut parts = taken.iter().flatten();
        if !parts.clone().any(is_struct) || !parts.all(open) {
            return;
        }
        let known: HashSet<&str> = taken.iter().flatten().flat_map(|map| keys(map, "properties")).collect();
        for name in sub.iter().flatten().flat_map(|map| keys(map, "properties")) {
            if !known.contains(name) {
                found.push(certain(&format!("{at}/properties/{}", escape(name)), "removed".to_owned()));
            }
        }
    }

    /// The alternative, of these types only.
    pub(super) fn divide(&self, sub: &Alternative<'s>, to: Atoms) -> Alternative<'s> {
        let own = Atoms::of_all(sub);
        if own.without(to).is_empty() {
            return sub.clone();
        }
        let mut divided = sub.clone();
        divided.extend(self.divided.iter().filter(|(atom, _)| to == Atoms::only(*atom)).map(|(_, schema)| schema));
        divided
    }

    /// Whether `sub` has this very keyword already.
    pub(super) fn has(&self, sub: &Alternative<'s>, keyword: &str, sup: &'s Map<String, Value>) -> bool {
        // Those whose meaning hangs on their neighbours are the same only where these are.
        let neighbours: &[&str] = match keyword {
            "if" | "then" | "else" => &["if", "then", "else"],
            "contains" | "minContains" | "maxContains" => &["contains", "minContains", "maxContains"],
            "unevaluatedProperties" | "unevaluatedItems" => return false,
            _ => &[],
        };
        // Alone in a schema, so that they are compared as what they are: a keyword, and not a name.
        let alone = |map: &Map<String, Value>, keyword: &str| {
            map.get(keyword).map_or_else(|| json!({}), |value| json!({ keyword: value }))
        };
        sub.iter().any(|map| {
            [keyword]
                .iter()
                .chain(neighbours)
                .all(|keyword| same(&alone(map, keyword), self.sub_root, &alone(sup, keyword), self.sup_root))
        })
    }

    /// What was and what is, from what `sub` and `sup` say.
    pub(super) fn order<T>(&self, sub: T, sup: T) -> (T, T) {
        match self.direction {
            Direction::Arguments => (sub, sup),
            Direction::Result => (sup, sub),
        }
    }

    pub(super) fn say(&self, of_arguments: &'static str, of_result: &'static str) -> &'static str {
        match self.direction {
            Direction::Arguments => of_arguments,
            Direction::Result => of_result,
        }
    }

    fn spread(&self, sub: &[&'s Value]) -> Result<Vec<Alternative<'s>>, Opaque> {
        spread_in(self.sub_root, sub, &self.pieces)
    }
}

pub(super) fn parts<'s>(map: &'s Map<String, Value>, keyword: &str) -> &'s [Value] {
    map.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub(super) fn keys<'s>(map: &'s Map<String, Value>, keyword: &str) -> impl Iterator<Item = &'s str> {
    map.get(keyword).and_then(Value::as_object).into_iter().flat_map(|members| members.keys().map(String::as_str))
}

/// The texts that any part lists under a keyword: `required`.
pub(super) fn names<'s>(sub: &Alternative<'s>, keyword: &'static str) -> impl Iterator<Item = &'s str> {
    sub.iter().flat_map(move |map| parts(map, keyword)).filter_map(Value::as_str)
}

pub(super) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

pub(super) fn certain(at: &str, words: impl Into<String>) -> Found {
    Found { pointer: at.to_owned(), is_certain: true, words: words.into() }
}

pub(super) fn maybe(at: &str, words: String) -> Found {
    Found { pointer: at.to_owned(), is_certain: false, words }
}

fn address<T>(of: &T) -> usize {
    std::ptr::from_ref(of).addr()
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.pointer, self.words)
    }
}
