#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gets async-profiler, which the tests of Java need and no Debian package has: before the first of them, or they would be skipped."""
import languages

why = languages.why_no_async_profiler()
print(f"skip async-profiler: {why}" if why else "ok async-profiler is there")
