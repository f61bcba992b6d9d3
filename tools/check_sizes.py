#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that files and functions stay small enough to read: a file of 400 lines is mentioned, one of 800 and a function of 100
are refused."""
import ast
import re

from tracked_files import run, tracked_files

WARN_FILE, MAX_FILE, MAX_FUNCTION = 400, 800, 100
MAX_OF = {"src/profile/profile.h": 150}  # the page that newcomers read
SOURCES = {".cpp", ".c", ".h", ".py", ".sh", ".ts", ".js", ".mjs", ".css", ".cmake"}

# What may hold braces that are none: raw strings, comments, strings, characters (but not the ' of 1'000), macros.
NOT_CODE = re.compile(
    r'R"([^\s()\\]*)\(.*?\)\1"|/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\''
    r"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.DOTALL | re.MULTILINE)
CONTAINER = re.compile(r"^\s*(template\s*<.*>\s*)?(inline\s+)?(namespace|class|struct|union|enum|extern)\b", re.DOTALL)


def blank(match) -> str:
    """Its line breaks; of a string or character also a mark that something was there. A comment or a macro leaves nothing: what
    stands before `namespace` is then no part of that head."""
    is_value = match.group(0).lstrip()[0] not in "/#"
    return ('"' if is_value else "") + re.sub(r"[^\n]", "", match.group(0))


def cpp_functions(text: str):
    """Yields (first line, lines, head) of each function body: a brace pair whose head has a parameter list and that is in
    no other function. Tables of data may be as long as they like."""
    code = NOT_CODE.sub(blank, text)
    line, head, open_braces = 1, "", []  # open_braces: (what, line, head)
    for character in code:
        line += character == "\n"
        if character == "{":
            inside = open_braces[-1][0] if open_braces else "container"
            if inside != "container":
                what = "inner"
            elif CONTAINER.match(head):
                what = "container"
            else:  # an empty head follows the braces of a member in an initialiser list
                what = "function" if ")" in head or not head.strip() else "data"
            open_braces.append((what, line, head.strip()))
            head = ""
        elif character == "}" and open_braces:
            what, first, name = open_braces.pop()
            if what == "function":
                yield first, line - first + 1, name
            head = ""
        elif character == ";" or (character == ":" and re.search(r"\b(public|private|protected)\s*$", head)):
            head = ""
        else:
            head += character


def python_functions(text: str):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno - node.lineno + 1, node.name


def check(root):
    for path in tracked_files(root):
        name = str(path.relative_to(root))
        if path.suffix not in SOURCES:
            continue
        text = path.read_text(errors="replace")
        lines = text.count("\n")
        if lines > MAX_OF.get(name, MAX_FILE):
            yield f"{name}: {lines} lines; the most is {MAX_OF.get(name, MAX_FILE)}"
        elif lines > WARN_FILE:
            print(f"note: {name} has {lines} lines; is it one concept?")
        functions = {".cpp": cpp_functions, ".c": cpp_functions, ".h": cpp_functions, ".py": python_functions}.get(path.suffix)
        for first, length, head in functions(text) if functions else ():
            if length > MAX_FUNCTION:
                yield f"{name}: a function of {length} lines, the most is {MAX_FUNCTION}: {' '.join(head.split())[-60:]}"


LONG_BODY = "  x();\n" * 101
USUAL_HEAD = "// SPDX-License-Identifier: Apache-2.0\n// What it is.\n#include <a.h>\n\n#include \"b.h\"\n\n"
SOUND = {
    "src/a.cpp": "namespace a {\nclass B {\n public:\n  B() : x_{1} {\n    f(1'000, '{');\n  }\n" + "  int f();\n" * 120 + "};\n}\n"
                 + "const int kTable[] = {\n" + "  1,\n" * 120 + "};\n" + 'auto s = R"({)";  // {\n' + "void g() {}\n" * 120,
    "tools/a.py": "X = [\n" + "    1,\n" * 120 + "]\n",
}
BROKEN = {
    "src/long_file.cpp": "\n" * 801,
    "src/profile/profile.h": "\n" * 151,
    "src/function.cpp": "namespace a {\nint f(int x) {\n" + LONG_BODY + "}\n}\n",
    "src/as_usual.cpp": USUAL_HEAD + "namespace a {\nnamespace {\n// Why.\nint f(int x) {\n" + LONG_BODY + "}\n}  // namespace\n}\n",
    "src/after_macro.h": "#pragma once\n#define A(x) \\\n  { x }\nnamespace a {\ninline int f() {\n" + LONG_BODY + "}\n}\n",
    "src/kernel.bpf.c": USUAL_HEAD + "static int f(void)\n{\n" + LONG_BODY + "}\n",
    "src/constructor.cpp": "A::A(int x) : x_{x} {\n" + LONG_BODY + "}\n",
    "src/method.h": "class A {\n public:\n  void f() const {\n" + LONG_BODY + "  }\n};\n",
    "tools/function.py": "def f():\n" + "    x()\n" * 101,
}
if __name__ == "__main__":
    run(check, BROKEN, SOUND)
