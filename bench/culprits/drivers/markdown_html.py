# SPDX-License-Identifier: Apache-2.0
"""A document with all that Markdown has, and many lines of raw HTML."""
import markdown

PARTS = "# Head {n}\n\nSome *words* and `code` with [a link](http://example.com/{n}).\n\n* one\n* two\n\n1. a\n2. b\n\n> quoted\n\n" \
        "    code block\n\n| a | b |\n|---|---|\n| {n} | 2 |\n\nTerm\n:   Definition\n\nText with a note[^{n}].\n\n[^{n}]: The note.\n\n"
EXTENSIONS = ["tables", "footnotes", "def_list", "toc", "attr_list", "abbr", "admonition", "sane_lists", "smarty", "fenced_code"]


def articles(count):
    return sum(len(markdown.markdown(PARTS.replace("{n}", str(n)) * 12, extensions=EXTENSIONS)) for n in range(count))


def export(lines):
    return len(markdown.markdown("".join(f"<div>line {n}</div>\n\n" for n in range(lines))))


print(articles(12), export(2600))
