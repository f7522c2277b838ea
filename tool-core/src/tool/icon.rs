//! Pictures that a client may show beside a tool, as MCP has them (`Icon`, since its revision 2025-11-25).
//!
//! A model never sees them, and nothing here fetches them. Their sources are addresses that every client has to take, and
//! no others: that is looked at where an [`Icon`] is made.

use std::{borrow::Cow, fmt, ops::Deref, str::FromStr, sync::Arc};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::Value;

/// A picture for people, by its address.
///
/// MCP lets clients take `https:` and `data:` alone, and has them refuse all else (`javascript:`, `file:`, `http:`, …); so
/// an icon has one of these two. One in a declaration of somebody else's is a stranger's: a host that shows it fetches it
/// without credentials, from the server's own origin, within limits, and runs no script that an SVG has in it.
///
/// Read from JSON, an icon with another source is an error; of what else is said of it, what cannot be understood is left
/// out.
///
/// ```
/// use tool_core::tool::{Icon, IconSize, IconTheme};
///
/// let icon = Icon::new("https://example.com/icon.png")?.sizes([IconSize::pixels(48, 48)]).theme(IconTheme::Dark);
/// assert_eq!(
///     serde_json::to_value(&icon)?,
///     serde_json::json!({ "src": "https://example.com/icon.png", "sizes": ["48x48"], "theme": "dark" }),
/// );
/// assert!(Icon::new("http://example.com/icon.png").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Icon {
    src: Cow<'static, str>,
    /// The media type, e.g. `image/png`, where what is at the address does not say it, or not exactly. Every client that
    /// shows icons takes PNG and JPEG, most take SVG and WebP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<Cow<'static, str>>,
    /// The sizes that it can be shown in; empty where that is not known.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub sizes: Cow<'static, [IconSize]>,
    /// The background that it is for; `None`: any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theme: Option<IconTheme>,
}

/// A size of an icon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IconSize {
    /// Every size: a drawing, such as an SVG. Written `any`.
    Any,
    /// This one. Written `48x48`.
    Pixels {
        /// The width in pixels.
        width: u32,
        /// The height in pixels.
        height: u32,
    },
}

/// The background that an icon is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum IconTheme {
    /// A light one.
    Light,
    /// A dark one.
    Dark,
}

/// What cannot be an icon.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidIcon {
    /// Its source is none that clients may take.
    #[error(
        "`{0}` cannot be the source of an icon: give an `https://…` address or a `data:…,…` URI; clients refuse all else"
    )]
    Source(String),
    /// This is no size.
    #[error("`{0}` is not the size of an icon: write the width and the height in pixels, as `48x48`, or `any`")]
    Size(String),
}

impl Icon {
    /// The picture at this `https:` address, or in this `data:` URI. White space around it is left out.
    ///
    /// # Errors
    /// When it is neither.
    pub fn new(src: impl Into<Cow<'static, str>>) -> Result<Self, InvalidIcon> {
        let mut src = src.into();
        let trimmed = src.trim_ascii();
        if !is_source(trimmed) {
            return Err(InvalidIcon::Source(shown(trimmed)));
        }
        if trimmed.len() < src.len() {
            src = trimmed.to_owned().into();
        }
        Ok(Self { src, mime_type: None, sizes: Cow::Borrowed(&[]), theme: None })
    }

    /// A picture whose bytes go with the declaration: for servers that have no address of their own.
    ///
    /// ```
    /// use tool_core::tool::Icon;
    /// let icon = Icon::embedded("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'/>")?;
    /// assert!(icon.src().starts_with("data:image/svg+xml;base64,PHN2"));
    /// # Ok::<(), tool_core::tool::InvalidIcon>(())
    /// ```
    ///
    /// # Errors
    /// When the media type is none that a `data:` URI can have.
    pub fn embedded(mime_type: impl Into<Cow<'static, str>>, bytes: impl AsRef<[u8]>) -> Result<Self, InvalidIcon> {
        let mime_type = mime_type.into();
        // A comma would end the media type, and make text of the rest.
        if mime_type.contains(',') {
            return Err(InvalidIcon::Source(shown(&format!("data:{mime_type};base64,…"))));
        }
        let src = format!("data:{mime_type};base64,{}", STANDARD.encode(bytes));
        Ok(Self::new(src)?.mime_type(mime_type))
    }

    /// What the macro makes. A source that is none fails to compile.
    #[doc(hidden)]
    #[must_use]
    pub const fn fixed(
        src: &'static str,
        mime_type: Option<&'static str>,
        sizes: &'static [IconSize],
        theme: Option<IconTheme>,
    ) -> Self {
        let src = src.trim_ascii();
        assert!(is_source(src), "the source of an icon is an `https://…` address or a `data:…,…` URI");
        let mime_type = match mime_type {
            Some(mime_type) => Some(Cow::Borrowed(mime_type)),
            None => None,
        };
        Self { src: Cow::Borrowed(src), mime_type, sizes: Cow::Borrowed(sizes), theme }
    }

    /// Where the picture is: an `https:` address, or a `data:` URI with all of it.
    #[must_use]
    pub fn src(&self) -> &str {
        &self.src
    }

    /// Says its media type.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<Cow<'static, str>>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Says the sizes that it can be shown in.
    #[must_use]
    pub fn sizes(mut self, sizes: impl IntoIterator<Item = IconSize>) -> Self {
        self.sizes = sizes.into_iter().collect();
        self
    }

    /// Says which background it is for.
    #[must_use]
    pub fn theme(mut self, theme: IconTheme) -> Self {
        self.theme = Some(theme);
        self
    }
}

/// Whether clients may take a text as the source of an icon. What a `data:` URI holds is not looked at: it may be long,
/// and this runs in the compiler too.
const fn is_source(src: &str) -> bool {
    let (rest, is_data) = match (behind(src, "https://"), behind(src, "data:")) {
        (Some(rest), _) => (rest, false),
        (_, Some(rest)) => (rest, true),
        (None, None) => return false,
    };
    let mut at = 0;
    while at < rest.len() {
        match rest[at] {
            b',' if is_data => return true,
            b'/' | b'?' | b'#' if at == 0 && !is_data => return false,
            0..=b' ' | 0x7f => return false,
            _ => at += 1,
        }
    }
    !is_data && at > 0
}

/// What follows a scheme, which is the same in capitals.
const fn behind<'t>(text: &'t str, scheme: &str) -> Option<&'t [u8]> {
    match text.as_bytes().split_at_checked(scheme.len()) {
        Some((begin, rest)) if begin.eq_ignore_ascii_case(scheme.as_bytes()) => Some(rest),
        _ => None,
    }
}

/// As much of a text as an error shows: a `data:` URI may be long.
fn shown(text: &str) -> String {
    const SHOWN: usize = 80;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl<'de> Deserialize<'de> for Icon {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Written {
            src: String,
            #[serde(default)]
            mime_type: Value,
            #[serde(default)]
            sizes: Value,
            #[serde(default)]
            theme: Value,
        }
        let Written { src, mime_type, sizes, theme } = Written::deserialize(deserializer)?;
        let sizes = sizes.as_array().into_iter().flatten();
        let sizes: Vec<IconSize> = sizes.filter_map(|size| size.as_str()?.parse().ok()).collect();
        let mut icon = Self::new(src).map_err(D::Error::custom)?.sizes(sizes);
        icon.mime_type = mime_type.as_str().map(|mime_type| mime_type.to_owned().into());
        icon.theme = IconTheme::deserialize(theme).ok();
        Ok(icon)
    }
}

impl IconSize {
    /// So many pixels wide and high.
    #[must_use]
    pub const fn pixels(width: u32, height: u32) -> Self {
        Self::Pixels { width, height }
    }
}

impl fmt::Display for IconSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::Pixels { width, height } => write!(f, "{width}x{height}"),
        }
    }
}

impl FromStr for IconSize {
    type Err = InvalidIcon;

    fn from_str(text: &str) -> Result<Self, InvalidIcon> {
        // Rust's numbers may have a sign before them; these are digits alone.
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let side = |text: &str| text.parse::<u32>().ok().filter(|pixels| *pixels > 0 && is_number(text));
        let pixels = text.split_once('x').and_then(|(width, height)| Some(Self::pixels(side(width)?, side(height)?)));
        pixels.or((text == "any").then_some(Self::Any)).ok_or_else(|| InvalidIcon::Size(shown(text)))
    }
}

impl Serialize for IconSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for IconSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// The icons of one tool: mostly none, and read as a slice. Cloning is cheap, also where pictures are embedded.
///
/// Read from JSON, as a stranger's declaration has them, those that clients have to refuse are left out.
///
/// ```
/// use tool_core::tool::Icons;
/// let icons: Icons = serde_json::from_str(r#"[{ "src": "file:///etc/passwd" }, { "src": "https://example.com/a.png" }]"#)?;
/// assert_eq!(icons.iter().map(|icon| icon.src()).collect::<Vec<_>>(), ["https://example.com/a.png"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Icons(Option<Arc<[Icon]>>);

impl Deref for Icons {
    type Target = [Icon];

    fn deref(&self) -> &[Icon] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl FromIterator<Icon> for Icons {
    fn from_iter<I: IntoIterator<Item = Icon>>(icons: I) -> Self {
        let mut icons = icons.into_iter().peekable();
        Self(icons.peek().is_some().then(|| icons.collect()))
    }
}

impl fmt::Debug for Icons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Serialize for Icons {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Icons {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Value::deserialize(deserializer)?;
        Ok(written.as_array().into_iter().flatten().filter_map(|icon| Icon::deserialize(icon).ok()).collect())
    }
}
