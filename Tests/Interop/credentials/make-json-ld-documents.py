#!/usr/bin/env python3
"""Makes JSON-LD documents that a seed decides, each with contexts of its own, and says which canonical statements the package
PyLD makes of each: null, with the fault, where it refuses the document.

Left out is what the package is known to do otherwise: it writes language tags in lower case, fails on `@vocab` and
`@language` that are null, nests sets inside lists, escapes control characters in another way, and takes `@propagate` from the first of several
contexts alone.

Usage: make-json-ld-documents.py COUNT SEED >documents.json
"""

import json
import random
import re
import sys
import time

from pyld import jsonld

random.seed(int(sys.argv[2]))
XSD = "http://www.w3.org/2001/XMLSchema#"
TEXTS = ["Ada", "", "Zoë", "a\"b\\c", "東京", "line\nline\ttab", "😀", "</script>", "x y"]
NAMES = [f"t{i}" for i in range(8)]
TYPES = ["TypeA", "TypeB", "urn:x:TypeC"]
contexts = {}
# Differences of the package: names and language tags that are not well formed are written; a key of a map by identifier that
# is another name of a keyword is taken for an identifier; statements that name a node twice are counted twice, as are equal ones.
ILL_FORMED = re.compile(
    r"(?m)(?:^| )<[^> ]*[\x00-\x20\"\\{}|^`<][^>]*>|\"@(?![a-zA-Z]+(?:-[a-zA-Z0-9]+)* )|"
    r"^(_:\S+) (?:\S+ |.* )\1 |(_:\S+) \2 \.$|<https://base.example/(?:id|type|value)>")


def load(url, options):
    return {"contentType": "application/ld+json", "contextUrl": None, "documentUrl": url, "document": contexts[url]}


def identifier():
    return random.choice(["urn:x:", "https://x.example/"]) + str(random.randrange(9))


def term(depth, name):
    kind = random.randrange(12)
    iri = random.choice(["urn:v:", "https://v.example/#", "p:"]) + random.choice("abcdef")
    if kind < 3:
        return iri
    if kind == 3:
        return random.choice([None, {"@id": iri, "@language": random.choice(["en", None])}])
    definition = {"@id": iri}
    if kind < 7:
        definition["@type"] = random.choice(
            ["@id", "@vocab", "@json", "@none", XSD + "integer", XSD + "double", XSD + "dateTime", "p:kind"])
    elif kind < 10:
        definition["@container"] = random.choice(
            ["@list", "@set", "@language", "@index", "@id", "@type", "@graph", ["@graph", "@id"], ["@graph", "@index"],
             ["@list"], ["@index", "@set"]])
    if depth > 0 and random.random() < 0.3:
        definition["@context"] = context(depth - 1, name)
    return definition


def context(depth, without=None):
    made = {"@version": 1.1, "p": "https://p.example/ns#"}
    if random.random() < 0.15:
        made["@vocab"] = random.choice(["urn:vocab:", "https://vocab.example/"])
    if random.random() < 0.1:
        made["@language"] = random.choice(["en", "de-at"])
    if random.random() < 0.05:
        made["@protected"] = True
    if depth < 2 and random.random() < 0.1:
        made["@propagate"] = random.random() < 0.5
    if random.random() < 0.5:
        made.update({"id": "@id", "type": "@type", "value": "@value"})
    for name in random.sample(NAMES, random.randrange(1, 6)):
        # The package takes a term's context twice where it defines the term again.
        if name != without:
            made[name] = term(depth, name)
    for name in TYPES[:2]:
        if random.random() < 0.5 and name != without:
            made[name] = {"@id": "urn:type:" + name}
            if depth > 0 and random.random() < 0.6:
                made[name]["@context"] = context(depth - 1, name)
    return made


def scalar():
    return random.choice([random.choice(TEXTS), random.randrange(-1000, 1 << 40), True, False, 1.5, -0.25, 1e21, 7.0,
                          identifier(), "TypeA", "t1"])


def value(depth, in_list=False):
    kind = random.randrange(11 if depth > 0 else 6)
    if in_list and kind in (6, 7, 8):
        kind = 9
    if kind < 4:
        return scalar()
    if kind == 4:
        return random.choice([{"@value": scalar()}, {"@value": "x", "@language": "en-gb"}, {"@id": identifier()},
                              {"@value": "7", "@type": XSD + "integer"}, None])
    if kind == 5:
        return {random.choice(["en", "de"]): random.choice(TEXTS)}
    if kind == 6:
        return {"@list": [value(depth - 1, True) for _ in range(random.randrange(3))]}
    if kind == 7:
        return {"@set": [value(depth - 1) for _ in range(random.randrange(3))]}
    if kind == 8:
        return [value(depth - 1) for _ in range(random.randrange(4))]
    return node(depth - 1)


def node(depth):
    made = {}
    if random.random() < 0.15:
        made["@context"] = context(0)
    if random.random() < 0.4:
        made[random.choice(["@id", "@id", "id"])] = random.choice([identifier(), "_:b" + str(random.randrange(3))])
    if random.random() < 0.4:
        made[random.choice(["@type", "@type", "type"])] = random.choice([random.choice(TYPES), random.sample(TYPES, 2)])
    for name in random.sample(NAMES + ["urn:free:a", "p:b", "unknown"], random.randrange(1, 5)):
        made[name] = value(depth)
    if random.random() < 0.05:
        made["@graph"] = [node(0)]
    return made


def names_list(value):
    """True when a list has a name or type, which the package gives to lists in maps, and no list can have."""
    if isinstance(value, list):
        return any(names_list(element) for element in value)
    if not isinstance(value, dict):
        return False
    return "@list" in value and len(value) > 1 or any(names_list(member) for member in value.values())


def main():
    made, seconds, failed = [], 0, 0
    while len(made) < int(sys.argv[1]):
        contexts.clear()
        urls = [f"https://contexts.example/{i}" for i in range(random.randrange(1, 3))]
        for url in urls:
            contexts[url] = {"@context": context(2)}
        document = {"@context": urls, **node(3)}
        document["@context"] = urls
        start, fault = time.process_time(), None
        try:
            quads = jsonld.normalize(document, {
                "algorithm": "URDNA2015", "format": "application/n-quads", "documentLoader": load, "base": "https://base.example/"})
        except jsonld.JsonLdError as error:
            while isinstance(error.__cause__, jsonld.JsonLdError):
                error = error.__cause__
            quads, fault = None, error.code or repr(error.__cause__)
        except (KeyError, TypeError, AttributeError, ValueError):
            # The package fails on a document that it should read or refuse.
            failed += 1
            continue
        if quads is not None:
            lines = quads.splitlines(keepends=True)
            if len(set(lines)) < len(lines):
                continue
            if ILL_FORMED.search(quads) or names_list(jsonld.expand(document, {"documentLoader": load, "base": "https://base.example/"})):
                continue
        seconds += time.process_time() - start
        made.append({"document": document, "contexts": dict(contexts), "quads": quads, "fault": fault})
    json.dump({"seconds": seconds, "failed": failed, "documents": made}, sys.stdout)


main()
