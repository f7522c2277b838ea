//! Values by type.

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    sync::Arc,
};

/// One value of each type.
#[derive(Default, Clone)]
pub(crate) struct States {
    values: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
}

impl States {
    pub(crate) fn insert<T: Any + Send + Sync>(&mut self, value: T) {
        self.values.insert(TypeId::of::<T>(), Arc::new(value));
    }

    pub(crate) fn get<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.values.get(&TypeId::of::<T>()).and_then(|value| (&**value as &dyn Any).downcast_ref())
    }

    pub(crate) fn contains(&self, type_id: TypeId) -> bool {
        self.values.contains_key(&type_id)
    }

    /// The value of a type, made when it is first wanted.
    pub(crate) fn get_or_default<T: Any + Send + Sync + Default>(&mut self) -> Arc<T> {
        let value = self.values.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default())).clone();
        // The key is the type, so the value is of it.
        value.downcast().unwrap_or_default()
    }
}
