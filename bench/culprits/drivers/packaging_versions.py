# SPDX-License-Identifier: Apache-2.0
"""The releases of many packages are sorted and filtered."""
from packaging.specifiers import SpecifierSet
from packaging.version import Version

TEXTS = [f"{a}.{b}.{c}{end}" for a in range(6) for b in range(12) for c in range(15) for end in ("", "rc1", ".post2", ".dev3")]
found = 0
for turn in range(16):
    versions = sorted(Version(text) for text in TEXTS)
    found += sum(1 for _ in SpecifierSet(f">={turn % 5}.2,<5.9,!=3.1.4").filter(TEXTS[:600])) + len(versions)
print(found)
