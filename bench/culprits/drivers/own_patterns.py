# SPDX-License-Identifier: Apache-2.0
"""Terms of a glossary are marked in texts; each term becomes a pattern anew for each text, more than the cache of re holds."""
import re
import sys

FIXED = sys.argv[1:] == ["fixed"]
TERMS = [f"term{number}" for number in range(700)]
ALL = re.compile(r"\b(?:" + "|".join(TERMS) + r")\b")


def mark_terms(text):
    if FIXED:
        return ALL.sub(lambda found: f"<b>{found.group()}</b>", text)
    for term in TERMS:
        text = re.sub(rf"\b{term}\b", f"<b>{term}</b>", text)
    return text


def count_words(text):
    counts = {}
    for word in text.split():
        counts[word.lower().strip(".,")] = counts.get(word, 0) + 1
    return len(counts)


length = 0
for number in range(9):
    text = " ".join(f"term{(number * 31 + i) % 900} is a word," for i in range(300))
    length += len(mark_terms(text)) + sum(count_words(text) for _ in range(40))
print(length)
