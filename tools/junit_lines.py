#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints ctest's JUnit report as result lines (`ok NAME`, `not ok NAME: why`, `skip NAME: why`) for `check`."""
import sys
import xml.etree.ElementTree as xml


def skip_reason(output: str) -> str:
    """The text that GTEST_SKIP() was given: the line after the place it came from."""
    lines = [line.strip() for line in output.splitlines()]
    for number, line in enumerate(lines[:-1]):
        if line.endswith("Skipped"):
            return lines[number + 1]
    return "says no reason"


def main(path: str) -> int:
    try:
        cases = xml.parse(path).getroot().iter("testcase")
    except (OSError, xml.ParseError) as error:
        print(f"not ok ctest: no report: {error}")
        return 1
    failed = 0
    for case in cases:
        name, status = case.get("name").split("  # GetParam")[0], case.get("status")
        output = case.findtext("system-out") or ""
        if status == "run":
            print(f"ok {name}")
        elif status in ("notrun", "disabled"):
            print(f"skip {name}: {skip_reason(output)}")
        else:
            failed += 1
            failure = case.find("failure")
            print(output)
            print(f"not ok {name}: {failure is not None and failure.get('message') or 'see above'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
