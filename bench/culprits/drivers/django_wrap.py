# SPDX-License-Identifier: Apache-2.0
"""A long paragraph without line ends is wrapped."""
from django.utils.text import wrap

TEXT = "ab cd efg hi " * 70000
print(sum(len(wrap(TEXT, width)) for width in (9, 10)))
