//! Ranks short texts by the words they share with a query: BM25, exact, in a fixed order.
//!
//! The crates for it hash words to 32 bits and add in single precision; for some hundred tools a table of words does.

use std::collections::HashMap;

/// How soon a word that is said again counts no more, and how much longer texts count less: Lucene's figures.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// No more words of a query are looked up.
const QUERY_WORDS: usize = 256;

/// Texts by the words in them.
pub(super) struct Index {
    /// In which texts a word is, and how often.
    postings: HashMap<String, Vec<(usize, f64)>>,
    lengths: Vec<f64>,
    average: f64,
}

impl Index {
    pub(super) fn new(texts: impl Iterator<Item = String>) -> Self {
        let mut postings: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        let mut lengths = Vec::new();
        for (at, text) in texts.enumerate() {
            let words = words(&text);
            #[expect(clippy::cast_precision_loss, reason = "nobody writes 2^53 words about a tool")]
            lengths.push(words.len() as f64);
            for word in words {
                let places = postings.entry(word).or_default();
                match places.last_mut() {
                    Some((last, count)) if *last == at => *count += 1.0,
                    _ => places.push((at, 1.0)),
                }
            }
        }
        let average = lengths.iter().sum::<f64>() / count(lengths.len()).max(1.0);
        Self { postings, lengths, average }
    }

    /// The texts that share a word with the query, best first; of equals, the first first.
    pub(super) fn search(&self, query: &str) -> Vec<usize> {
        let mut wanted = words(query);
        wanted.truncate(QUERY_WORDS);
        wanted.sort();
        wanted.dedup();
        let mut scores = vec![0.0; self.lengths.len()];
        for places in wanted.iter().filter_map(|word| self.postings.get(word)) {
            let (all, with) = (count(self.lengths.len()), count(places.len()));
            let rarity = ((all - with + 0.5) / (with + 0.5)).ln_1p();
            for (at, often) in places {
                let length = 1.0 - B + B * self.lengths[*at] / self.average;
                scores[*at] += rarity * often * (K1 + 1.0) / (often + K1 * length);
            }
        }
        let mut found: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] > 0.0).collect();
        // A stable sort: equals stay in order.
        found.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        found
    }
}

#[expect(clippy::cast_precision_loss, reason = "there are fewer than 2^53 tools")]
fn count(number: usize) -> f64 {
    number as f64
}

/// The words of a text in lower case: names are split at `_`, `-` and before capitals, and are there whole as well.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for name in text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')) {
        let start = words.len();
        for part in name.split(['_', '-']) {
            let mut word = String::new();
            let mut was_small = false;
            for c in part.chars() {
                if c.is_uppercase() && was_small {
                    push(&mut words, std::mem::take(&mut word));
                }
                was_small = c.is_lowercase() || c.is_numeric();
                word.extend(c.to_lowercase());
            }
            push(&mut words, word);
        }
        if words.len() > start + 1 {
            push(&mut words, crate::suggest::fold(name));
        }
    }
    words
}

/// Takes a word without the plural's `s`: who looks for `issues` finds `create_issue`.
fn push(words: &mut Vec<String>, mut word: String) {
    if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") {
        word.pop();
    }
    if !word.is_empty() {
        words.push(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words() {
        assert_eq!(words("apply_patch"), ["apply", "patch", "applypatch"]);
        assert_eq!(words("readFile2 and HTTPServer"), ["read", "file2", "readfile2", "and", "httpserver"]);
        assert_eq!(words("issues, class _ --"), ["issue", "class"]);
        assert!(words(" \n").is_empty());
    }

    #[test]
    fn rare_words_and_short_texts_count_more() {
        let texts = ["read a file", "write a file", "delete a file for good, with all that is in it", "file"];
        let index = Index::new(texts.iter().map(ToString::to_string));
        assert_eq!(index.search("delete file"), [2, 3, 0, 1]);
        assert_eq!(index.search("a"), [0, 1, 2]);
        assert!(index.search("nothing").is_empty());
        assert!(Index::new(std::iter::empty()).search("file").is_empty());
    }
}
