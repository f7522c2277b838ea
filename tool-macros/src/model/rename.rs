//! `rename_all`: serde's rules.

/// A way to write names.
#[derive(Clone, Copy)]
pub(crate) enum RenameRule {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

impl RenameRule {
    pub(crate) const NAMES: [&str; 8] = [
        "lowercase",
        "UPPERCASE",
        "PascalCase",
        "camelCase",
        "snake_case",
        "SCREAMING_SNAKE_CASE",
        "kebab-case",
        "SCREAMING-KEBAB-CASE",
    ];

    pub(crate) fn named(name: &str) -> Option<Self> {
        const RULES: [RenameRule; 8] = [
            RenameRule::Lower,
            RenameRule::Upper,
            RenameRule::Pascal,
            RenameRule::Camel,
            RenameRule::Snake,
            RenameRule::ScreamingSnake,
            RenameRule::Kebab,
            RenameRule::ScreamingKebab,
        ];
        Self::NAMES.iter().position(|known| *known == name).map(|index| RULES[index])
    }

    /// A parameter's name, which is in snake case, in this way.
    pub(crate) fn apply(self, name: &str) -> String {
        match self {
            Self::Lower | Self::Snake => name.to_lowercase(),
            Self::Upper | Self::ScreamingSnake => name.to_uppercase(),
            Self::Pascal => super::pascal(name),
            Self::Camel => {
                let pascal = super::pascal(name);
                let mut letters = pascal.chars();
                letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
            }
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_uppercase().replace('_', "-"),
        }
    }
}
