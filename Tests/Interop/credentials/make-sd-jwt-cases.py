#!/usr/bin/env python3
"""Makes tokens of the SD-JWT recipes with the package sd-jwt, for the test that SYMBOLON_SD_JWT_CASES names the file of.

Usage: make-sd-jwt-cases.py FOLDER-OF-RECIPES >cases.json
Needs sd-jwt 0.10.4 from PyPI. Each case has its token, the claims that must come out, nonce and audience.
"""

import json
import sys
from pathlib import Path

from jwcrypto.jwk import JWK
from sd_jwt.holder import SDJWTHolder
from sd_jwt.issuer import SDJWTIssuer
from sd_jwt.verifier import SDJWTVerifier
from sd_jwt.utils.demo_utils import load_yaml_settings
from sd_jwt.utils.yaml_specification import load_yaml_specification


def as_published(text, form, recipe):
    """The package writes the JSON form of a draft; RFC 9901, section 8, has the disclosures in the header."""
    if form != "json":
        return text
    token = json.loads(text)
    header = {name: token.pop(name) for name in ["disclosures", "kb_jwt"] if name in token}
    if "general" in recipe:
        payload = token.pop("payload")
        return json.dumps({"payload": payload, "signatures": [{**token, "header": header}]})
    return json.dumps({**token, "header": header})


def case(settings, path):
    given = settings["key_settings"]
    issuer_keys = [JWK(**key) for key in given.get("issuer_keys") or [given["issuer_key"]]]
    holder_key = JWK(**given["holder_key"])
    recipe = load_yaml_specification(path)
    identifiers, is_bound = settings["identifiers"], recipe.get("key_binding", False)
    claims = {}
    if recipe.get("include_default_claims", True):
        claims = {"iss": identifiers["issuer"], "iat": settings["iat"], "exp": settings["exp"]}
    claims.update(recipe["user_claims"])
    form = recipe.get("serialization_format", "compact")
    SDJWTIssuer.unsafe_randomness = True
    issuer = SDJWTIssuer(
        claims,
        issuer_keys if form == "json" and len(issuer_keys) > 1 else issuer_keys[0],
        holder_key if is_bound else None,
        add_decoy_claims=recipe.get("add_decoy_claims", False),
        serialization_format=form,
        extra_header_parameters=recipe.get("extra_header_parameters", {}),
    )
    holder = SDJWTHolder(issuer.sd_jwt_issuance, serialization_format=form)
    holder.create_presentation(
        recipe["holder_disclosed_claims"],
        settings["key_binding_nonce"] if is_bound else None,
        identifiers["verifier"] if is_bound else None,
        holder_key if is_bound else None,
    )
    verifier = SDJWTVerifier(
        holder.sd_jwt_presentation,
        lambda issuer, header={}: issuer_keys[0],
        identifiers["verifier"] if is_bound else None,
        settings["key_binding_nonce"] if is_bound else None,
        serialization_format=form,
    )
    return {
        "name": f"{path.parent.parent.name}/{path.parent.name}",
        "token": as_published(holder.sd_jwt_presentation, form, path.parent.name),
        "expected": recipe.get("expect_verified_user_claims"),
        "verified": verifier.get_verified_payload(),
        "issuer": claims.get("iss"),
        "keys": [key.export_public(as_dict=True) for key in issuer_keys],
        "bound": is_bound,
        "nonce": settings["key_binding_nonce"],
        "audience": identifiers["verifier"],
    }


def main():
    cases = []
    for name in ["examples", "tests/testcases"]:
        folder = Path(sys.argv[1]) / name
        settings = load_yaml_settings(folder / "settings.yml")
        cases += [case(settings, path) for path in sorted(folder.glob("*/specification.yml"))]
    json.dump(cases, sys.stdout, default=str)


main()
