# SPDX-License-Identifier: Apache-2.0
"""The repository's own files, for the checks beside this file; and their common command line."""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOT_OURS = {".git", "build", "node_modules", "__pycache__"}


def tracked_files(root: pathlib.Path = ROOT) -> list[pathlib.Path]:
    """What git has or would add; where there is no git (an unpacked archive), everything but build products."""
    try:
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "-co", "--exclude-standard"],
                                capture_output=True, check=True).stdout.decode()
        paths = [root / name for name in listed.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        paths = [path for path in root.rglob("*") if not NOT_OURS & set(path.relative_to(root).parts)]
    return sorted(path for path in paths if path.is_file() and not path.is_symlink())


def run(check, broken: dict[str, str], sound: dict[str, str]) -> None:
    """`check(root)` yields complaints. With --self-test it has to complain of each of the `broken` files alone, given the
    `sound` ones, and of nothing else; without arguments it looks at the repository."""
    if sys.argv[1:] == ["--self-test"]:
        wrong = [f"does not complain of {name}" for name in broken if not complaints_of(check, {**sound, name: broken[name]})]
        wrong += [f"complains of sound files: {text}" for text in complaints_of(check, sound)]
    else:
        wrong = list(check(ROOT))
    for text in wrong:
        print(text)
    sys.exit(1 if wrong else 0)


def complaints_of(check, files: dict[str, str]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return list(check(root))
