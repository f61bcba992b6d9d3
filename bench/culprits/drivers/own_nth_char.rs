// SPDX-License-Identifier: Apache-2.0
// A text is looked at character by character, each found by counting from the start.
fn char_at(text: &str, chars: &[char], position: usize, fixed: bool) -> char {
    if fixed {
        return chars[position];
    }
    text.chars().nth(position).unwrap()
}

fn longest_palindrome(text: &str, fixed: bool) -> usize {
    let chars: Vec<char> = text.chars().collect();
    let mut longest = 0;
    for middle in 0..chars.len() {
        let mut reach = 0;
        while reach < middle && middle + reach + 1 < chars.len()
            && char_at(text, &chars, middle - reach - 1, fixed) == char_at(text, &chars, middle + reach + 1, fixed)
        {
            reach += 1;
        }
        longest = longest.max(2 * reach + 1);
    }
    longest
}

fn words(text: &str) -> usize {
    let mut counts = std::collections::BTreeMap::new();
    for word in text.split('e') {
        *counts.entry(word.to_uppercase()).or_insert(0) += 1;
    }
    counts.len()
}

fn main() {
    let fixed = std::env::args().nth(1).as_deref() == Some("fixed");
    let text: String = (0..20_000u64).map(|i| ['a', 'b', 'é', 'd', 'e'][(i * i * 2654435761 >> 7) as usize % 5]).collect();
    let found: usize = (0..200).map(|_| words(&text)).sum();
    println!("{} {found}", longest_palindrome(&text, fixed));
}
