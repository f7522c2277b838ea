//! Numbers, texts and arrays.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

use super::{
    atoms::Atom,
    schema::{Comparison, Found, Held, certain, maybe, parts},
    spread::Alternative,
};

static ANYTHING: Value = Value::Bool(true);

impl<'s> Comparison<'s> {
    pub(super) fn numbers(&self, held: &Held<'_, 's>, found: &mut Vec<Found>) {
        let Held { sub, sup, atoms, at } = *held;
        if !atoms.contains(Atom::Integer) && !atoms.contains(Atom::Fraction) {
            return;
        }
        let integers = !atoms.contains(Atom::Fraction);
        for (end, inclusive, exclusive) in
            [(Ordering::Greater, "minimum", "exclusiveMinimum"), (Ordering::Less, "maximum", "exclusiveMaximum")]
        {
            let bound = |map: &'s Map<String, Value>| Bound::of(map, inclusive, exclusive, end, integers);
            let Some(wanted) = bound(sup) else { continue };
            let own = sub.iter().filter_map(|map| bound(map)).reduce(|one, other| one.tighter(other, end));
            if own.is_none_or(|own| own.tighter(wanted, end) != own) {
                let show = |bound: Option<Bound<'s>>| bound.map_or("none".to_owned(), Bound::show);
                let (was, now) = self.order(show(own), show(Some(wanted)));
                let keyword = if wanted.is_exclusive { exclusive } else { inclusive };
                found.push(certain(&format!("{at}/{keyword}"), format!("`{inclusive}` was {was}, is {now}")));
            }
        }
        if let Some(step) = sup.get("multipleOf").and_then(Value::as_f64) {
            let divides = |own: f64| own % step == 0.0;
            let mut own = sub.iter().filter_map(|map| map.get("multipleOf")?.as_f64());
            let fits = own.any(divides) || integers && divides(1.0);
            if !fits {
                let show = |map: &Map<String, Value>| map.get("multipleOf").map(Value::to_string);
                let own = sub.iter().find_map(|map| show(map)).unwrap_or("none".to_owned());
                let (was, now) = self.order(own, step.to_string());
                found.push(certain(&format!("{at}/multipleOf"), format!("`multipleOf` was {was}, is {now}")));
            }
        }
    }

    pub(super) fn texts(&self, held: &Held<'_, 's>, found: &mut Vec<Found>) {
        let Held { sub, sup, atoms, at } = *held;
        if !atoms.contains(Atom::String) {
            return;
        }
        self.counts(held, ["minLength", "maxLength"], found);
        for keyword in ["pattern", "format"] {
            let Some(wanted) = sup.get(keyword) else { continue };
            let own: Vec<_> = sub.iter().filter_map(|map| map.get(keyword)).collect();
            if own.contains(&wanted) {
                continue;
            }
            let place = format!("{at}/{keyword}");
            let own = own.first().map_or("none".to_owned(), ToString::to_string);
            let (was, now) = self.order(own.clone(), wanted.to_string());
            let words = format!("`{keyword}` was {was}, is {now}");
            // Two patterns may take the same texts; which cannot be told.
            found.push(if own == "none" { certain(&place, words) } else { maybe(&place, words) });
        }
    }

    pub(super) fn arrays(&self, held: &Held<'_, 's>, found: &mut Vec<Found>) {
        let Held { sub, sup, atoms, at } = *held;
        if !atoms.contains(Atom::Array) {
            return;
        }
        self.counts(held, ["minItems", "maxItems"], found);
        let is_unique = |map: &Map<String, Value>| map.get("uniqueItems") == Some(&Value::Bool(true));
        let single = most(sub, "maxItems").is_some_and(|most| most <= 1);
        if is_unique(sup) && !single && !sub.iter().any(|map| is_unique(map)) {
            let words = self.say("items must differ from each other now", "items may repeat now");
            found.push(certain(&format!("{at}/uniqueItems"), words));
        }
        let items = |map: &'s Map<String, Value>| map.get("items").unwrap_or(&ANYTHING);
        let at_index = |map: &'s Map<String, Value>, index: usize| {
            parts(map, "prefixItems").get(index).unwrap_or_else(|| items(map))
        };
        let longest = sub.iter().chain([&sup]).map(|map| parts(map, "prefixItems").len()).max().unwrap_or_default();
        let most = most(sub, "maxItems").unwrap_or(u64::MAX);
        for index in 0..longest {
            if u64::try_from(index).is_ok_and(|index| index < most) {
                let own: Vec<_> = sub.iter().map(|map| at_index(map, index)).collect();
                found.extend(self.check(&own, at_index(sup, index), &format!("{at}/prefixItems/{index}")));
            }
        }
        if u64::try_from(longest).is_ok_and(|longest| longest < most) {
            let own: Vec<_> = sub.iter().map(|map| items(map)).collect();
            found.extend(self.check(&own, items(sup), &format!("{at}/items")));
        }
    }

    /// A least and a most: of characters, items, members.
    pub(super) fn counts(&self, held: &Held<'_, 's>, [least_of, most_of]: [&'static str; 2], found: &mut Vec<Found>) {
        let Held { sub, sup, at, .. } = *held;
        let show = |count: Option<u64>| count.map_or("none".to_owned(), |count| count.to_string());
        let wanted = |keyword| sup.get(keyword).and_then(Value::as_u64);
        let own = [least(sub, least_of), most(sub, most_of)];
        let fits = [
            wanted(least_of).is_none_or(|wanted| own[0].unwrap_or_default() >= wanted),
            wanted(most_of).is_none_or(|wanted| own[1].is_some_and(|own| own <= wanted)),
        ];
        for keyword in [least_of, most_of] {
            // `10.0` is a count too, and no tool writes it so.
            if sup.get(keyword).is_some_and(|count| !count.is_u64()) && !self.has(sub, keyword, sup) {
                found.push(maybe(&format!("{at}/{keyword}"), format!("`{keyword}` is no whole number")));
            }
        }
        for ((keyword, own), fits) in [least_of, most_of].into_iter().zip(own).zip(fits) {
            if !fits {
                let (was, now) = self.order(show(own), show(wanted(keyword)));
                found.push(certain(&format!("{at}/{keyword}"), format!("`{keyword}` was {was}, is {now}")));
            }
        }
    }
}

/// The strictest least.
pub(super) fn least(sub: &Alternative<'_>, keyword: &str) -> Option<u64> {
    sub.iter().filter_map(|map| map.get(keyword)?.as_u64()).max()
}

/// The strictest most.
pub(super) fn most(sub: &Alternative<'_>, keyword: &str) -> Option<u64> {
    sub.iter().filter_map(|map| map.get(keyword)?.as_u64()).min()
}

/// One end of a range.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bound<'s> {
    number: &'s Number,
    /// The number, where it is a whole one; of integers, more than 4 is at least 5.
    whole: Option<i128>,
    is_exclusive: bool,
}

impl<'s> Bound<'s> {
    fn of(
        map: &'s Map<String, Value>,
        inclusive: &str,
        exclusive: &str,
        end: Ordering,
        integers: bool,
    ) -> Option<Self> {
        let one = |keyword: &str, is_exclusive: bool| {
            let number = map.get(keyword)?.as_number()?;
            let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
            Some(match whole {
                Some(whole) if integers && is_exclusive => {
                    let next = if end == Ordering::Greater { whole + 1 } else { whole - 1 };
                    Self { number, whole: Some(next), is_exclusive: false }
                }
                whole => Self { number, whole, is_exclusive },
            })
        };
        match (one(inclusive, false), one(exclusive, true)) {
            (Some(one), Some(other)) => Some(one.tighter(other, end)),
            (one, other) => one.or(other),
        }
    }

    /// The one of both that leaves less; the first where they are equal.
    fn tighter(self, other: Self, end: Ordering) -> Self {
        let order = match (self.whole, other.whole) {
            (Some(own), Some(other)) => own.cmp(&other),
            _ => self.float().total_cmp(&other.float()),
        };
        let is_tighter = order == end || order == Ordering::Equal && (self.is_exclusive || !other.is_exclusive);
        if is_tighter { self } else { other }
    }

    fn float(self) -> f64 {
        self.number.as_f64().unwrap_or(f64::NAN)
    }

    fn show(self) -> String {
        let number = self.whole.map_or_else(|| self.number.to_string(), |whole| whole.to_string());
        format!("{number}{}", if self.is_exclusive { " (exclusive)" } else { "" })
    }
}
