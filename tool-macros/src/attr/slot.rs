//! A key's value, taken once.

use proc_macro2::Ident;

use crate::errors::Errors;

/// The value of a key that may be given once.
pub(crate) struct Slot<T> {
    value: Option<(Ident, T)>,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self { value: None }
    }
}

impl<T> Slot<T> {
    /// Takes the key's value, or reports that the key is here twice.
    pub(crate) fn set(&mut self, key: Ident, value: T, errors: &mut Errors) {
        if self.value.is_some() {
            errors.at(&key, format!("`{key}` is given twice"), "remove one of the two");
        } else {
            self.value = Some((key, value));
        }
    }

    /// The value.
    pub(crate) fn get(&self) -> Option<&T> {
        self.value.as_ref().map(|(_, value)| value)
    }

    /// The key as it stands in the source.
    pub(crate) fn key(&self) -> Option<&Ident> {
        self.value.as_ref().map(|(key, _)| key)
    }
}
