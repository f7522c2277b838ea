//! The prebuilt tools.
