#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is different on a terminal: tables as wide as it is, colour, help that fits. And what never is: pipes get the same text, always."""
import pathlib
import re
import sys
import unicodedata

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from checks import check, differs, status  # noqa: E402
from in_terminal import InTerminal  # noqa: E402
from scratch import Scratch, atys_binary  # noqa: E402

LONG_NAMES = """main;std::map<std::__cxx11::basic_string<char>, std::vector<int>>::find(std::__cxx11::basic_string<char> const&) 60
main;github.com/example/shop/internal/billing.(*InvoiceWriter).WriteAllOfThem 30
main;com.example.shop.checkout.payment.PaymentServiceFactoryBean.createPaymentService(java.lang.String) 20
main;a_function_in_c_with_a_name_that_is_longer_than_any_sensible_person_would_write_it_down 10
main;函数函数函数函数函数函数函数函数函数函数函数函数函数函数函数函数函数函数函数函数 5
"""
TABLES = ["summary long.collapsed", "diff base.collapsed new.collapsed", "list", "link spans.otlp.json --behind main"]


def cells(line: str) -> int:
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def on_terminal(scratch: Scratch, arguments: str, columns: int, **environment: str) -> tuple[str, bytes]:
    variables = {key: value for key, value in scratch.environment.items() if key not in ("NO_COLOR", "COLUMNS")}
    variables |= {"TERM": "xterm"} | environment
    with InTerminal(["sh", "-c", f"exec atys {arguments}"], 50, columns, variables, str(scratch.path)) as program:
        program.wait_for_end()
        return program.text(), program.drawn


def fits(scratch: Scratch, arguments: str, columns: int):
    def test():
        text, _ = on_terminal(scratch, arguments, columns)
        rows = [line for line in text.splitlines() if re.match(r" *[-+]?[\d.]+( \w+)? |[-+ ]*[\d.]+%|[0-9a-f]{12}\b", line)]
        wide = [line for line in rows if cells(line) > columns]
        return f"wider than {columns}: {wide[0]!r}" if wide else None if rows else f"no table: {text!r}"
    return test


def tells_names_apart(scratch: Scratch):
    text, _ = on_terminal(scratch, "summary long.collapsed", 90)
    missing = [word for word in ("map::find", "WriteAllOfThem", "createPaymentService", "a_function_in_c", "it_down") if word not in text]
    return f"{missing} are cut off: {text}" if missing else None


def narrow(scratch: Scratch):
    """Twenty columns: the share and the function are what is left."""
    text, _ = on_terminal(scratch, "summary base.collapsed --top 3", 20)
    if not re.search(r"37\.\d+% .*decom", text):
        return text
    return None


def coloured(drawn: bytes) -> bool:
    return b"\x1b[" in drawn


def colour(scratch: Scratch, wanted: bool, arguments: str, **environment: str):
    return lambda: differs(coloured(on_terminal(scratch, arguments, 100, **environment)[1]), wanted)


def in_a_pipe(scratch: Scratch):
    """Neither width nor colour, whatever the environment says."""
    plain = scratch.run("atys summary long.collapsed")
    for variables in ("COLUMNS=30", "TERM=xterm-256color NO_COLOR=", "COLUMNS=20 LINES=5 TERM=dumb"):
        if (other := scratch.run(f"{variables} atys summary long.collapsed")) != plain:
            return f"with {variables}: {other}"
    forced = scratch.run("atys summary long.collapsed --color always")[1]
    if "\x1b[1m" not in forced:
        return "--color always has no colour in a pipe"
    return differs(re.sub(r"\x1b\[\d*m", "", forced), plain[1])


def help_fits(scratch: Scratch, columns: int):
    def test():
        for verb in ("", "capture", "summary", "controller"):
            text, _ = on_terminal(scratch, f"help {verb}", columns)
            # Examples and lists are not wrapped, nor is a word.
            prose = text.split("\nEXAMPLES\n")[0]
            wide = [line for line in prose.splitlines() if cells(line) > columns and len(line.split()) > 1 and not line.startswith("  --")]
            if wide:
                return f"{verb}: {wide[0]!r}"
        return None
    return test


def main() -> int:
    with Scratch() as scratch:
        (scratch.path / "long.collapsed").write_text(LONG_NAMES)
        scratch.run("atys convert long.collapsed; atys convert base.collapsed")
        for columns in (200, 100, 80, 60, 40, 20):
            for arguments in TABLES:
                check(f"{columns} columns are enough for atys {arguments}", fits(scratch, arguments, columns))
        check("what tells names apart is not cut off", lambda: tells_names_apart(scratch))
        check("twenty columns have the share and the function", lambda: narrow(scratch))
        check("a terminal gets colour", colour(scratch, True, "summary base.collapsed"))
        check("NO_COLOR is honoured", colour(scratch, False, "summary base.collapsed", NO_COLOR="1"))
        check("an empty NO_COLOR says nothing", colour(scratch, True, "summary base.collapsed", NO_COLOR=""))
        check("TERM=dumb has no colour", colour(scratch, False, "summary base.collapsed", TERM="dumb"))
        check("--color never", colour(scratch, False, "summary base.collapsed --color never"))
        check("--color always is stronger than NO_COLOR", colour(scratch, True, "summary base.collapsed --color always", NO_COLOR="1"))
        check("JSON has no colour", colour(scratch, False, "summary base.collapsed --json"))
        check("pipes get what they always got", lambda: in_a_pipe(scratch))
        for columns in (100, 80, 40):
            check(f"help fits {columns} columns", help_fits(scratch, columns))
        check("doctor fits 60 columns", lambda: differs([line for line in on_terminal(scratch, "doctor", 60)[0].splitlines()
                                                        if cells(line) > 60 and not re.search("enable:|or:|fix first", line)], []))
    return status()


if __name__ == "__main__":
    sys.exit(main())
