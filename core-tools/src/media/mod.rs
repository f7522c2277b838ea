//! Images and PDFs that are given to a model to look at: known by their bytes, made small enough.

mod kind;
mod load;
mod picture;

pub(crate) use self::load::{picture, whole};
pub use self::{
    kind::Media,
    picture::{BadPicture, Bounds, Picture, fit},
};
