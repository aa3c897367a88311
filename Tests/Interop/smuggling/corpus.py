"""All cases of the suite. Nothing here is random: the same program gives the same corpus in the same order."""

import collections

import framing
import syntax

PARTS = (
    framing.by_names, framing.by_lengths, framing.by_codings, framing.by_decorations, syntax.by_line_ends,
    syntax.by_folds, syntax.by_methods, syntax.by_targets, syntax.by_versions, framing.by_chunk_sizes,
    framing.by_chunk_ends, framing.by_trailers, syntax.by_hosts, syntax.by_hops, syntax.by_upgrades, syntax.by_bytes,
    syntax.by_sizes, framing.by_cuts,
)


def corpus():
    cases = [case for part in PARTS for case in part()]
    assert len(cases) >= 3000 and len(framing.header_names()) >= 150, len(cases)
    return cases


if __name__ == "__main__":
    found = corpus()
    print(len(found), "cases,", len({case.raw for case in found}), "of them different")
    print(len(framing.header_names()), "names of fields")
    print(dict(collections.Counter(case.expected for case in found)))
