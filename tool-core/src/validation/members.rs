//! The members of an object as text, so that what fits can be kept to the letter.

use std::{borrow::Cow, collections::HashSet};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

/// How many repeated members are looked for.
const REPEATED: usize = 50;
/// Objects with more members than this are searched by hash.
const FEW: usize = 16;

/// The members of a JSON object in order, repeated ones too. No members, where the text is no object.
pub(super) fn members(text: &str) -> Vec<(String, &RawValue)> {
    struct Members;
    impl<'de> Visitor<'de> for Members {
        type Value = Vec<(String, &'de RawValue)>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some(member) = map.next_entry()? {
                members.push(member);
            }
            Ok(members)
        }
    }
    serde_json::Deserializer::from_str(text).deserialize_map(Members).unwrap_or_default()
}

/// JSON pointers, below `at`, of members that stand twice in one object: a value tree no longer shows them.
pub(super) fn repeated(at: String, text: &str) -> Vec<String> {
    let mut search = Search { at, found: Vec::new() };
    let _ = Node(&mut search).deserialize(&mut serde_json::Deserializer::from_str(text));
    search.found
}

struct Search {
    /// The pointer to the place that is being read.
    at: String,
    found: Vec<String>,
}

impl Search {
    fn below<T>(&mut self, name: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.at.len();
        self.at.push('/');
        self.at.push_str(&escape(name));
        let read = read(self);
        self.at.truncate(length);
        read
    }

    fn note(&mut self) {
        if self.found.len() < REPEATED && !self.found.contains(&self.at) {
            self.found.push(self.at.clone());
        }
    }
}

/// The names an object has had so far.
#[derive(Default)]
struct Seen<'de> {
    few: Vec<Cow<'de, str>>,
    many: HashSet<Cow<'de, str>>,
}

impl<'de> Seen<'de> {
    /// Whether the name is new.
    fn insert(&mut self, name: Cow<'de, str>) -> bool {
        if self.few.contains(&name) {
            return false;
        }
        if self.few.len() < FEW {
            self.few.push(name);
            return true;
        }
        self.many.insert(name)
    }
}

/// A name, borrowed from the text where it has no escapes.
struct Name<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Names;
        impl<'de> Visitor<'de> for Names {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
                Ok(Name(name.into()))
            }

            fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
                Ok(Name(name.to_owned().into()))
            }
        }
        deserializer.deserialize_str(Names)
    }
}

struct Node<'s>(&'s mut Search);

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = Seen::default();
        while let Some(Name(name)) = map.next_key()? {
            self.0.below(&name.clone(), |search| {
                if !seen.insert(name) {
                    search.note();
                }
                map.next_value_seed(Node(search))
            })?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let mut index = 0_usize;
        while self.0.below(&index.to_string(), |search| seq.next_element_seed(Node(search)))?.is_some() {
            index += 1;
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// A name as a part of a JSON pointer.
pub(super) fn escape(name: &str) -> Cow<'_, str> {
    if name.contains(['~', '/']) { name.replace('~', "~0").replace('/', "~1").into() } else { name.into() }
}
