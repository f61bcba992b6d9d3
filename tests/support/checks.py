# SPDX-License-Identifier: Apache-2.0
"""Lines "ok NAME" and "not ok NAME: WHY" of a test program, and its exit status."""
LONGEST = 600
_failed = 0


def report(name: str, why) -> None:
    """None: it holds."""
    global _failed
    _failed += why is not None
    print(f"ok {name}" if why is None else f"not ok {name}: {' '.join(str(why).split())[:LONGEST]}", flush=True)


def check(name: str, test) -> None:
    """Runs `test`; what it returns, or an exception, is the reason of a failure."""
    try:
        report(name, test())
    except Exception as error:  # whatever goes wrong is a result
        report(name, f"{type(error).__name__}: {error}")


def differs(got, wanted) -> str | None:
    return None if got == wanted else f"{got!r} instead of {wanted!r}"


def status() -> int:
    return 1 if _failed else 0
