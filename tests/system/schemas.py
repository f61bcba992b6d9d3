#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the verbs print with --json fits the schema that `atys schema` prints for them, also when they fail."""
import json
import pathlib
import sys

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from scratch import Scratch  # noqa: E402

CALLS = [
    ("summary", "base.collapsed"), ("summary", "base.collapsed --form tree --max-tokens 500"), ("summary", "base.collapsed --form paths"),
    ("summary", "nosuchfile"), ("diff", "base.collapsed new.collapsed"), ("diff", "base.collapsed nosuchfile"),
    ("summary", "base.collapsed --ledger $(atys ledger new --tokens 5000)"), ("summary", "base.collapsed --ledger $(atys ledger new --tokens 5)"),
    ("diff", "base.collapsed new.collapsed --ledger $(atys ledger new)"),
    ("ledger", "new --captures 3 --call-tokens 500"), ("ledger", "show $(atys ledger new)"), ("ledger", "close $(atys ledger new)"),
    ("ledger", "show 0123456789abcdef"),
    ("flame", "base.collapsed -o x.html"), ("convert", "base.collapsed -o x.pb.gz"), ("convert", "base.collapsed"),
    ("merge", "base.collapsed new.collapsed"), ("list", ""), ("show", "base.collapsed"), ("remove", "abcdef"),
    ("diff", "base.collapsed,base.collapsed new.collapsed,new.collapsed --per run"),
    ("compare", "--max-runs 7 --profile-runs 0 true true"), ("compare", "--max-runs 7 --profile-runs 2 'sort base.collapsed' 'sort new.collapsed'"),
    ("compare", "true false"), ("doctor", ""), ("detect", "$$"), ("detect", "999999999"), ("detect", "--service nosuch-service"),
    ("services", "--controller http://127.0.0.1:1"), ("nodes", "--controller http://127.0.0.1:1"), ("task", "list --controller http://127.0.0.1:1"),
]


def main():
    failed = 0
    with Scratch() as scratch:
        for verb, arguments in CALLS:
            schema = json.loads(scratch.run(f"atys schema {verb}")[1])
            jsonschema.Draft202012Validator.check_schema(schema)
            answer = json.loads(scratch.run(f"atys {verb} {arguments} --json 2>/dev/null")[1])
            # An answer is either of the verb's form or an error: a form that accepts anything would hide a mistake.
            wrong = {"unexpected": 1}
            problems = [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(answer)]
            if jsonschema.Draft202012Validator(schema).is_valid(wrong):
                problems.append("the schema accepts anything")
            failed += bool(problems)
            print(f"not ok {verb} {arguments}: {problems[0]}" if problems else f"ok {verb} {arguments}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
