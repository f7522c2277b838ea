//! A key's value, taken once.

use proc_macro2::Ident;

use crate::errors::Errors;

/// The value of a key that may be given once. A key with a value that makes no sense has been given all the same.
pub(crate) struct Slot<T> {
    key: Option<Ident>,
    value: Option<T>,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self { key: None, value: None }
    }
}

impl<T> Slot<T> {
    /// Takes the key and its value, or reports that the key is here twice.
    pub(crate) fn set(&mut self, key: Ident, value: Option<T>, errors: &mut Errors) {
        if self.key.is_some() {
            errors.at(&key, format!("`{key}` is given twice"), "remove one of the two");
        } else {
            *self = Self { key: Some(key), value };
        }
    }

    /// The value itself.
    pub(crate) fn take(self) -> Option<T> {
        self.value
    }

    /// The value.
    pub(crate) fn get(&self) -> Option<&T> {
        self.value.as_ref()
    }

    /// The key as it stands in the source.
    pub(crate) fn key(&self) -> Option<&Ident> {
        self.key.as_ref()
    }
}

impl<T: Clone> Slot<T> {
    /// Takes over what another slot has, where this one was not given.
    pub(crate) fn inherit(&mut self, other: &Self) {
        if self.key.is_none() {
            *self = Self { key: other.key.clone(), value: other.value.clone() };
        }
    }
}
