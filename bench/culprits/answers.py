# SPDX-License-Identifier: Apache-2.0
"""What a reader of an answer finds in it: whether it names the culprit, in which row, and what the answer costs in tokens."""
import dataclasses
import json
import re
import subprocess

from programs import WORK, once, run


@dataclasses.dataclass
class Found:
    """A culprit in a text: `row` is 1 for the first, None where it is not named; `until` is the tokens up to the end of that row."""
    row: int | None
    tokens: int
    until: int | None = None


def names(case, line):
    """Whether a line names a culprit: by its whole name, or, where it says the file too, by the last part of it."""
    said = set(case.culprits)
    if case.file and case.file in line:
        said |= {re.split(r"[.:]", name)[-1] for name in case.culprits}
    return any(re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", line) for name in said)


# What an answer says beside its rows.
BESIDE = ("#", "note:", "ends in ", "self% ", "total% ", "calls (", "names, paths ", "charged: ")


def is_row(line, collapsed):
    """Tables and paths have percentages, short answers begin with the number alone."""
    return bool(line.strip()) if collapsed else bool(re.search(r"\d%", line) or re.match(r" *<?\d[\d.]* ", line))


def rows_of(text, collapsed=False):
    """(row number, line), with None for what stands beside the rows; what does not start a row (a source line, say) belongs to the one above."""
    number, in_table = 0, collapsed or "flat%" not in text  # what pprof says above its table has percentages too
    for at, line in enumerate(text.split("\n")):
        if not collapsed and line.startswith(("next:", "… ")):
            return
        if not in_table or (not collapsed and (at == 0 or line.lstrip().startswith(BESIDE))):
            in_table = in_table or "flat%" in line
            yield None, line
            continue
        number += is_row(line, collapsed)
        yield number, line


def elsewhere(case, line):
    """The row says a file, and it is not the culprit's; long paths are shortened in the middle."""
    files = re.findall(r"[\w.+$@-]+\.(?:py|js|cjs|mjs|java|go|rs|c|cc|cpp|h|hpp)(?=:\d)", line)
    return bool(case.file and files) and not any(case.file.endswith(file) for file in files)


def first_row(case, text, collapsed=False):
    """The row that first names a culprit, and the length of the text up to its end."""
    length = 0
    for number, line in rows_of(text, collapsed):
        length += len(line) + 1
        if number is not None and names(case, line) and not elsewhere(case, line):
            return max(number, 1), length
    return None, None


class Tokens:
    """Tokens of o200k_base as gpt-tokenizer of npm counts them; a quarter of the characters where it cannot be had (`exact` says so)."""

    def __init__(self):
        def install(folder):
            (folder / "package.json").write_text("{}")
            run(["npm", "install", "--silent", "--no-audit", "--no-fund", "gpt-tokenizer@3"], folder)
            (folder / "count.js").write_text(
                "const {countTokens} = require('gpt-tokenizer/encoding/o200k_base');\n"
                "const lines = require('readline').createInterface({input: process.stdin});\n"
                "lines.on('line', line => console.log(countTokens(JSON.parse(line), {disallowedSpecial: new Set()})));\n")
        try:
            folder = once(WORK / "tokenizer", install)
            self.process = subprocess.Popen(["node", str(folder / "count.js")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self.exact = self.count("one two") == 2
        except (OSError, RuntimeError, ValueError) as why:
            print(f"tokens are characters / 4: {why}")
            self.process, self.exact = None, False

    def count(self, text):
        if not self.process:
            return (len(text) + 3) // 4
        self.process.stdin.write(json.dumps(text) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())


def judge(case, text, tokens, collapsed=False):
    row, length = first_row(case, text, collapsed)
    return Found(row, tokens.count(text), tokens.count(text[:length]) if row else None)
