#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the paths, links and symbols that our *.md files name exist. Documents name places by path and symbol, never by
line number: lines move."""
import itertools
import re

from tracked_files import run, tracked_files

# Names of others that look like symbols of ours.
FOREIGN = {"AddressSanitizer", "ThreadSanitizer", "UndefinedBehaviorSanitizer", "ClickHouse", "GitHub", "JavaScript", "TypeScript",
           "GoogleTest", "OpenTelemetry", "PascalCase", "WarningsAsErrors"}
CODE_ENDINGS = (".h", ".cpp", ".cmake", ".in")
FILE_ENDINGS = CODE_ENDINGS + (".py", ".sh", ".md", ".txt", ".ts", ".mjs", ".json")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
QUOTED = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"\.?[\w.*{},-]+(/[\w.*{},-]+)*/?")
SYMBOL = re.compile(r"(?:\w+::)+~?\w+(?:\(\))?|[a-z_]\w*\(\)|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+|k[A-Z]\w+")
PLACEHOLDER = re.compile(r"(?<![A-Za-z])[A-Z]{2,}(?![a-z])|^x[._]|<|…|\.\.\.")  # NAME, x_test.cpp, <case>
LINE_NUMBER = re.compile(r"\.\w+:\d+|#L\d+")


def without_fences(text: str) -> str:
    return re.sub(r"^( *)```.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE)


def expand(path: str) -> list[str]:
    """a/{b,c}.h names two files."""
    parts = [part[1:-1].split(",") if part.startswith("{") else [part] for part in re.split(r"(\{[^}]*\})", path)]
    return ["".join(choice) for choice in itertools.product(*parts)]


class Repository:
    def __init__(self, root):
        self.root, self.files = root, tracked_files(root)
        self.names = {path.name for path in self.files}
        sources = [path for path in self.files if path.suffix != ".md"]
        self.words = set(re.findall(r"\w+", "\n".join(path.read_text(errors="replace") for path in sources)))

    def has(self, name: str, folders) -> bool:
        return any((folder / name).exists() or any(folder.glob(name)) for folder in folders)

    def complaint_of_path(self, token: str, folders) -> str | None:
        first = token.split("/")[0]
        looks_like_ours = token.endswith(FILE_ENDINGS) or any((folder / first).is_dir() for folder in folders)
        if "/" not in token:
            wrong = token.endswith(CODE_ENDINGS) and not re.search(r"[*{]", token) and token not in self.names
        else:
            wrong = looks_like_ours and first != "build" and not all(self.has(name, folders) for name in expand(token.rstrip("/")))
        return f"`{token}` does not exist" if wrong else None

    def complaint_of_token(self, token: str, folders) -> str | None:
        if LINE_NUMBER.search(token):
            return f"`{token}` is a line number: name the symbol"
        if PLACEHOLDER.search(token):
            return None
        if SYMBOL.fullmatch(token):
            word = re.findall(r"\w+", token)[-1]
            known = token.startswith("std::") or word in self.words or word in FOREIGN
            return None if known else f"`{token}` is nowhere in the sources"
        return self.complaint_of_path(token, folders) if PATH.fullmatch(token) else None


def check(root):
    repository = Repository(root)
    for document in (path for path in repository.files if path.suffix == ".md"):
        text = without_fences(document.read_text())
        folders = [root, root / "src", document.parent]
        complaints = [repository.complaint_of_token(token, folders) for token in QUOTED.findall(text)]
        for target in LINK.findall(text):
            if not re.match(r"[a-z]+:|#", target):
                place, _, fragment = target.partition("#")
                if re.fullmatch(r"L\d+.*", fragment):
                    complaints.append(f"{target} is a line number: name the symbol")
                elif not (document.parent / place).exists():
                    complaints.append(f"the link {target} leads nowhere")
        yield from (f"{document.relative_to(root)}: {complaint}" for complaint in complaints if complaint)


SOUND = {
    "src/base/result.h": "class Result { void take(); };\nconst int kLimit = 1;\nstruct TwoHumps {};\n",
    "src/base/result.cpp": "",
    "README.md": "[a](src/base/result.h) [b](https://x.y/z#L3) `base/result.{h,cpp}` `result.h` `Result::take()` `kLimit` `TwoHumps` "
                 "`src/*/result.h` `application/json` `out.html` `std::nothing()` `src/format/NAME/x.h`\n```\n`src/none.h`\n```\n",
}
BROKEN = {f"docs/{number}.md": text + "\n" for number, text in enumerate([
    "[a](../src/none.h)", "[a](../src/base/result.h#L3)", "`src/base/none.h`", "`base/none/`", "`base/result.{h,cc}`", "`none.h`",
    "`src/base/result.h:12`", "`Result::none()`", "`none()`", "`kNone`", "`NotHere`", "`lost/folder/x.md`"])}
if __name__ == "__main__":
    run(check, BROKEN, SOUND)
