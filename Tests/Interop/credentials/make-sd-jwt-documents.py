#!/usr/bin/env python3
"""Makes SD-JWTs of claims that a seed decides with the package sd-jwt, and says what the package reads in each.

Usage: make-sd-jwt-documents.py COUNT SEED >documents.json
"""

import json
import random
import sys

from jwcrypto.jwk import JWK
from sd_jwt.common import SDObj
from sd_jwt.holder import SDJWTHolder
from sd_jwt.issuer import SDJWTIssuer
from sd_jwt.verifier import SDJWTVerifier

random.seed(int(sys.argv[2]))
TEXTS = ["Ada", "", "Zoë", "a\"b\\c", "東京", "line\nline", "😀", "</script>"]


def value(depth):
    """A value for the issuer, with names and elements that the holder may withhold, and what the holder shows of it."""
    kind = random.randrange(4 if depth == 0 else 6)
    if kind < 4:
        return random.choice([random.choice(TEXTS), random.randrange(-1000, 1 << 40), True, False, None, 1.5]), True
    if kind == 4:
        parts = [value(depth - 1) for _ in range(random.randrange(4))]
        hidden = [random.random() < 0.5 for _ in parts]
        return ([SDObj(v) if h else v for (v, _), h in zip(parts, hidden)],
                [random.random() < 0.5 and s if h else s for (_, s), h in zip(parts, hidden)])
    return members(depth - 1, "m")


def members(depth, prefix):
    claims, shown = {}, {}
    for i in range(random.randrange(1, 6)):
        name = prefix + str(i) + random.choice(["", "é", " x", "/~"])
        part, visible = value(depth)
        is_hidden = random.random() < 0.6
        claims[SDObj(name) if is_hidden else name] = part
        shown[name] = visible if not is_hidden or random.random() < 0.6 else False
    return claims, shown


def main():
    issuer_key = JWK.generate(kty="EC", crv="P-256")
    result = []
    for index in range(int(sys.argv[1])):
        claims, shown = members(3, "c")
        claims.update({"iss": "https://issuer.example", "vct": "https://issuer.example/vct", "exp": 2051222400})
        issuer = SDJWTIssuer(claims, issuer_key, add_decoy_claims=random.random() < 0.3,
                             extra_header_parameters={"typ": "dc+sd-jwt"})
        text = issuer.sd_jwt_issuance
        try:
            holder = SDJWTHolder(text)
            holder.create_presentation(shown)
            text = holder.sd_jwt_presentation
        except ValueError:
            # The package cannot withhold an array whole whose elements can be withheld too: here all is shown.
            pass
        read = SDJWTVerifier(text, lambda issuer, header={}: issuer_key).get_verified_payload()
        result.append({"token": text, "verified": read})
    json.dump({"key": issuer_key.export_public(as_dict=True), "documents": result}, sys.stdout)


main()
