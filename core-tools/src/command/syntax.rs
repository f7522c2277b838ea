//! A script as a tree, where it can be read for certain.
//!
//! The grammar is tree-sitter's for bash. What it lets pass that a shell might read otherwise is refused here: every byte
//! of the script has to be in a leaf of the tree, or be a blank, a line break or a continued line.

use std::ops::ControlFlow;

use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

/// The longest script that is read. No more fits into an argument of a program on Linux.
pub(super) const MOST_BYTES: usize = 128 * 1024;

/// How deep constructs may stand in each other.
const MOST_DEPTH: usize = 200;

/// How many nodes a tree may have: all that comes after takes time by their number.
const MOST_NODES: usize = 20_000;

/// How many constructs of one kind may be open at once, by a look that knows nothing of quotes; and how many there may be of
/// those whose end it cannot tell.
const MOST_OPEN: usize = 1_000;

/// How often the parser may report progress, each time after some hundred steps of its machine, beside once for 32 bytes.
const MOST_REPORTS: usize = 1_000;

/// The tree of a script; `None` where it is too long or too deep, takes too long to read, or cannot be read for certain.
pub(super) fn parse(script: &str) -> Option<Tree> {
    if script.len() > MOST_BYTES || script.contains('\0') || !is_shallow(script) {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    let most = MOST_REPORTS + script.len() / 32;
    let mut reports = 0_usize;
    let mut progress = |state: &ParseState| {
        reports += 1;
        // What is wrong stays so; to make the best of it takes the grammar's machine ever longer.
        if reports > most || state.has_error() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = script.as_bytes();
    let tree = parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))?;
    let root = tree.root_node();
    (!root.has_error() && root.descendant_count() <= MOST_NODES && is_plain(&tree, script)).then_some(tree)
}

/// Whether no more is open at once than a script that people read has. Where a script ends in the middle of many constructs,
/// the grammar's machine looks for its mistake for as long as it likes, and asks nobody.
fn is_shallow(script: &str) -> bool {
    let (mut brackets, mut braces, mut blocks) = (0_usize, 0_usize, 0_usize);
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let bytes = script.as_bytes();
    let mut start = 0;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' => brackets += 1,
            b')' => brackets = brackets.saturating_sub(1),
            b'{' => braces += 1,
            b'}' => braces = braces.saturating_sub(1),
            _ => {}
        }
        if is_word(*byte) {
            if !bytes.get(at + 1).is_some_and(|next| is_word(*next)) {
                match &bytes[start..=at] {
                    b"if" | b"for" | b"while" | b"until" | b"case" | b"select" => blocks += 1,
                    b"fi" | b"done" | b"esac" => blocks = blocks.saturating_sub(1),
                    _ => {}
                }
            }
        } else {
            start = at + 1;
        }
        if brackets.max(braces).max(blocks) > MOST_OPEN {
            return false;
        }
    }
    let count = |signs: &[u8]| bytes.iter().filter(|byte| signs.contains(byte)).count();
    // What is joined by these stays open as well, to the end of all of it.
    script.matches("<<").count() <= MOST_OPEN
        && count(b"`") <= MOST_OPEN
        && count(b"|&") <= 2 * MOST_OPEN
        && count(b"{}") <= 4 * MOST_OPEN
}

/// Whether the tree accounts for every byte, and is not too deep.
fn is_plain(tree: &Tree, script: &str) -> bool {
    let mut read_to = 0;
    accounts(tree.root_node(), script, false, 0, &mut read_to) && is_gap(script, read_to, script.len())
}

/// `in_text`: blanks are content there, which the grammar keeps in no leaf.
fn accounts(node: Node<'_>, script: &str, in_text: bool, depth: usize, read_to: &mut usize) -> bool {
    if depth > MOST_DEPTH || !in_text && !is_gap(script, *read_to, node.start_byte()) {
        return false;
    }
    *read_to = (*read_to).max(node.start_byte());
    let mut is_fine = true;
    if node.child_count() == 0 {
        is_fine = in_text || is_leaf_plain(node, script);
    } else {
        let in_text = match node.kind() {
            "command_substitution" | "process_substitution" => false,
            "string" | "heredoc_body" | "expansion" | "translated_string" | "arithmetic_expansion" => true,
            _ => in_text,
        };
        let mut cursor = node.walk();
        let mut children = node.children(&mut cursor);
        is_fine &= children.all(|child| accounts(child, script, in_text, depth + 1, read_to));
    }
    *read_to = (*read_to).max(node.end_byte());
    is_fine
}

/// Blanks, line breaks and continued lines. A continued line without a blank beside it does not end a word.
fn is_gap(script: &str, from: usize, to: usize) -> bool {
    if from >= to {
        return true;
    }
    let gap = &script[from..to];
    let blanks = gap.replace("\\\n", "");
    blanks.chars().all(|c| matches!(c, ' ' | '\t' | '\n')) && !(blanks.is_empty() && from > 0 && to < script.len())
}

/// Whether a leaf is read by every shell as the grammar reads it.
fn is_leaf_plain(node: Node<'_>, script: &str) -> bool {
    let text = &script[node.byte_range()];
    match node.kind() {
        "word" => is_word_plain(text),
        // Only at the start of a word does one begin.
        "comment" => {
            let before = script[..node.start_byte()].chars().next_back();
            before.is_none_or(|c| " \t\n;&|()".contains(c)) && !text.contains('\n')
        }
        "heredoc_body" => true,
        _ => !text.contains('\r') || text.starts_with(['\'', '"', '$']),
    }
}

fn is_word_plain(text: &str) -> bool {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' | ';' | '&' | '|' | '(' | ')' | '<' | '>' | '`' | '"'
            | '\'' => {
                return false;
            }
            _ => {}
        }
    }
    true
}

/// The delimiter of a here-document, without its quotes, and whether they were there: its text then is as it stands.
pub(super) fn delimiter(start: &str) -> (String, bool) {
    let is_quoted = start.contains(['\'', '"', '\\']);
    (start.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect(), is_quoted)
}

/// Whether a shell finds the end of a here-document where the grammar does.
pub(super) fn ends_there(body: &str, delimiter: &str, strips_tabs: bool) -> bool {
    !body.lines().any(|line| {
        let line = if strips_tabs { line.trim_start_matches('\t') } else { line };
        line == delimiter
    })
}
