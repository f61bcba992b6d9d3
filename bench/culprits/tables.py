# SPDX-License-Identifier: Apache-2.0
"""The tables of a run."""
import statistics

from atys import CAPS, DEFAULT, forms
import peers


FIRST_ROWS = 5
HEAD = ["named", f"in the first {FIRST_ROWS} rows", "row, median",
        "tokens, median", "most", "tokens until named, median", "fewer than raw, median"]


def cell(found):
    return f"{found['row'] or '–'} / {found['tokens']}" if found else ""


def table(head, rows):
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")
    print()


def both(results, cases):
    return [(case, results[case.id]) for case in cases if case.id in results]


def share(count, whole):
    return f"{count} of {whole} ({100 * count / whole:.0f} %)" if whole else ""


def figures(found, raw):
    rows = [one["row"] for one in found if one["row"]]
    fewer = [1 - one["tokens"] / other for one, other in zip(found, raw) if other]
    return [share(len(rows), len(found)), share(sum(row <= FIRST_ROWS for row in rows), len(found)), statistics.median(rows) if rows else "",
            round(statistics.median(one["tokens"] for one in found)), max(one["tokens"] for one in found),
            round(statistics.median(one["until"] for one in found if one["row"])) if rows else "",
            f"{100 * statistics.median(fewer):.1f} %" if fewer else ""]


def show_cases(results, cases):
    print("## The programs (CPU seconds)\n")
    table(["case", "language", "kind", "depth", "slow", "fixed", "speed-up", "samples"],
          [[case.id, case.language, f"{case.package} {case.slow} → {case.fixed}" if case.real() else "own", case.depth, result.get("slow_s", ""),
            result.get("fixed_s", ""), result.get("speedup", ""), result.get("samples", "")] for case, result in both(results, cases)])


def show_forms(results):
    print("## Forms and caps\n")
    rows = []
    for form in forms():
        for cap in CAPS:
            key = f"{form} {cap or 'none'}"
            pairs = [(result["found"][key], result["found"]["raw none"]["tokens"]) for result in results.values() if key in result["found"]]
            if pairs:
                rows.append([form, cap or "none", *figures(*zip(*pairs))])
    table(["form", "cap", *HEAD], rows)


def show_peers(results):
    print("## Beside others (pprof: of our profile; the last rows: the default form on the same programs)\n")
    rows = []
    for name in peers.PEERS:
        chosen = [result["found"] for result in results.values() if name in result["found"]]
        if chosen:
            raw = [found["raw none"]["tokens"] for found in chosen]
            rows.append([name, *figures([found[name] for found in chosen], raw)])
            rows.append([f"atys, cap 1000, where {name}", *figures([found[f"{DEFAULT} 1000"] for found in chosen], raw)])
    table(["profiler", *HEAD], rows)


def show_each(results):
    print("## Each program: row of the culprit / tokens of the answer (cap 1000; raw and others: none)\n")
    names = forms()
    rows = [[name, *(cell(result["found"].get(f"{form} {'none' if form == 'raw' else 1000}")) for form in names),
             *(cell(result["found"].get(peer)) for peer in peers.PEERS)] for name, result in results.items()]
    table(["case", *names, *peers.PEERS], rows)


def show_aims(results):
    chosen = [result["found"] for result in results.values()]
    hits = sum(bool(found[f"{DEFAULT} 1000"]["row"]) and found[f"{DEFAULT} 1000"]["row"] <= FIRST_ROWS and found[f"{DEFAULT} 1000"]["tokens"] <= 1000
               for found in chosen)
    ours, raw = sum(found[f"{DEFAULT} 1000"]["tokens"] for found in chosen), sum(found["raw none"]["tokens"] for found in chosen)
    print(f"Aims: culprit in the first {FIRST_ROWS} rows of the default form at no more than 1,000 tokens: {share(hits, len(chosen))}, aim 95 %; "
          f"tokens: {ours} against {raw} raw, {100 * (1 - ours / raw):.1f} % fewer, aim 99 %.")
