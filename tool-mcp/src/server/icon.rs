//! Icons as the protocol has them.

use rmcp::model;
use tool_core::tool::{Icon, IconTheme};

/// Those of one thing; `None` where there are none, which is how the protocol says it.
pub(super) fn icons(icons: impl IntoIterator<Item = Icon>) -> Option<Vec<model::Icon>> {
    let icons: Vec<_> = icons.into_iter().map(|icon| written(&icon)).collect();
    (!icons.is_empty()).then_some(icons)
}

fn written(icon: &Icon) -> model::Icon {
    let mut written = model::Icon::new(icon.src());
    written.mime_type = icon.mime_type.as_deref().map(str::to_owned);
    written.sizes = (!icon.sizes.is_empty()).then(|| icon.sizes.iter().map(ToString::to_string).collect());
    written.theme = match icon.theme {
        Some(IconTheme::Light) => Some(model::IconTheme::Light),
        Some(IconTheme::Dark) => Some(model::IconTheme::Dark),
        _ => None,
    };
    written
}
