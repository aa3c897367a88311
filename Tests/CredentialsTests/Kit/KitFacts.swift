import ByteCoding
import CBOR
import JSON

@testable import Credentials

/// Genuine credentials with claims of every shape, and what a person is shown of them.
enum KitFacts {
    /// An SD-JWT with these claims alone, and the names, claims, pictures and omitted claims that it must show.
    private static func make(
        _ name: String, _ claims: JSONObject, names: [String] = [], shows: [String], pictures: Int = 0, omitted: Int = 0
    ) -> KitCase {
        var sample = SDSample()
        sample.payload = [
            "iss": .string(SDSample.issuer), "iat": .int(1_735_689_600), "exp": .int(2_051_222_400),
            "vct": .string(SDSample.type),
        ]
        for claim in claims { sample.payload[claim.name] = claim.value }
        sample.disclosures = []
        sample.holderSigner = nil
        (sample.request.policy.nonce, sample.request.policy.audience) = (nil, nil)
        var made = KitCase(.sdJWT, "shows \(name)", Array(sample.text.utf8), sample.request, .genuine)
        made.shows = facts(names, shows, pictures, omitted)
        return made
    }

    private static func facts(_ names: [String], _ claims: [String], _ pictures: Int, _ omitted: Int) -> JSONObject {
        JSONObject(present: [
            "names": names.isEmpty ? .none : .some(.strings(names)), "claims": .strings(claims),
            "pictures": pictures == 0 ? .none : .some(.int(pictures)),
            "omitted": omitted == 0 ? .none : .some(.int(omitted)),
        ])
    }

    private static func text(_ value: String, _ language: String) -> JSONValue {
        .object(["value": .string(value), "language": .string(language)])
    }

    static func all() throws -> [KitCase] {
        try names() + shapes() + limits() + pictures() + subjects() + documents() + elements()
    }

    private static func documents() throws -> [KitCase] {
        var named = try MobileDocumentForgery.Setting()
        var (own, other) = (
            named.request.trust.roots[0],
            TrustedRoot(
                certificate: try CertificateSample().rootCertificate(),
                purpose: .mobileDocuments(types: [], country: nil))
        )
        (own.name, other.name) = ("Ministry", "Other")
        named.request.trust.roots = [other, own]
        var authority = KitCase(
            .mobileDocument, "shows the name of the root above the signer", named.builder.document.encoded,
            named.request, .genuine)
        authority.issuerName = "Ministry"
        var full = try MobileDocumentForgery.Setting()
        for number in 10..<14 {
            full.builder.signedItems[0].items.append(
                .init(
                    digestID: number, name: "p\(number)",
                    value: .bytes([0x89, 0x50, 0x4E, 0x47] + [UInt8](repeating: 7, count: 60))))
        }
        var pictures = KitCase(
            .mobileDocument, "shows four pictures of a document with five", full.builder.document.encoded, full.request,
            .genuine)
        pictures.shows = facts(
            ["Lovelace"],
            [
                "family_name: Lovelace", "birth_date: 1990-12-10", "issuing_country: US", "issuing_jurisdiction: US-NY",
                "p13: a PNG picture of 64 bytes",
            ].map { "\(MobileDocumentBuilder.namespace)/\($0)" }, 4, 0)
        return [authority, pictures]
    }

    /// A mobile document with one element more, and the claim that it must show of it.
    private static func elements() throws -> [KitCase] {
        func element(
            _ name: String, _ value: CBORItem, shows claims: [String], pictures: Int = 1
        ) throws -> KitCase {
            var setting = try MobileDocumentForgery.Setting()
            setting.builder.signedItems[0].items.append(.init(digestID: 9, name: "more", value: value))
            var made = KitCase(
                .mobileDocument, "shows \(name)", setting.builder.document.encoded, setting.request, .genuine)
            let place = MobileDocumentBuilder.namespace
            let usual = [
                "family_name: Lovelace", "birth_date: 1990-12-10", "issuing_country: US", "issuing_jurisdiction: US-NY",
            ]
            made.shows = facts(["Lovelace"], (usual + claims).map { "\(place)/\($0)" }, pictures, 0)
            return made
        }
        let bytes = [UInt8](repeating: 7, count: 64)
        let text = Base64URL.encode(bytes)
        return [
            try element("bytes", .bytes(bytes), shows: ["more: \(text)"]),
            try element("many bytes by their number", .bytes(bytes + [7]), shows: ["more: 65 bytes"]),
            try element(
                "a second picture in its bytes", .bytes([0x89, 0x50, 0x4E, 0x47] + bytes), shows: [], pictures: 2),
            try element(
                "a map with names of every kind",
                .ordered([
                    [.text("a"), .int(1)], [.bytes([1, 2]), .bool(true)], [.unsigned(5), .null],
                    [.int(-3), .text("b")],
                ]), shows: ["more/a: 1", "more/AQI: true", "more/5: –", "more/-3: b"]),
            try element("a list of numbers", .array([.int(1), .int(-2)]), shows: ["more/1: 1", "more/2: -2"]),
            try element(
                "a long list by its bytes", .array([CBORItem](repeating: .int(1), count: 2001)),
                shows: ["more: a value of 2004 bytes"]),
        ]
    }

    private static func names() -> [KitCase] {
        let (ada, adele) = (text("Ada", "en"), text("Adèle", "fr"))
        let (lovelace, amour) = (text("Lovelace", "en"), text("Amour", "fr"))
        return [
            make(
                "a full name before its parts",
                ["given_name": "Ada", "family_name": "Byron", "full_name": "Ada Lovelace"],
                names: ["Ada Lovelace"],
                shows: ["given_name: Ada", "family_name: Byron", "full_name: Ada Lovelace"]),
            make(
                "no full name that is an empty list",
                ["full_name": .array([]), "given_name": "Ada", "family_name": "Byron"],
                names: ["Ada Byron"], shows: ["given_name: Ada", "family_name: Byron"]),
            make("the given name alone", ["given_name": "Ada"], names: ["Ada"], shows: ["given_name: Ada"]),
            make("the family name alone", ["family_name": "Byron"], names: ["Byron"], shows: ["family_name: Byron"]),
            make(
                "a loose name before a given one", ["given_name": "Ada", "display_name": "Countess"],
                names: ["Countess"],
                shows: ["given_name: Ada", "display_name: Countess"]),
            make("no name of a claim with a number", ["name2": "Bob"], shows: ["name2: Bob"]),
            make(
                "a name with signs between its words", ["Full-Name": "Ada"], names: ["Ada"], shows: ["Full-Name: Ada"]),
            make(
                "the outermost name",
                [
                    "guardian": .object(["given_name": "Eva", "family_name": "Milbanke"]), "given_name": "Ada",
                    "family_name": "Byron",
                ], names: ["Ada Byron"],
                shows: [
                    "guardian/given_name: Eva", "guardian/family_name: Milbanke", "given_name: Ada",
                    "family_name: Byron",
                ]),
            make(
                "a family name with each language of the given name",
                ["given_name": .array([ada, adele]), "family_name": "Byron"],
                names: ["Ada Byron (en)", "Adèle Byron (fr)"],
                shows: ["given_name: Ada (en)", "given_name: Adèle (fr)", "family_name: Byron"]),
            make(
                "a given name with each language of the family name",
                ["given_name": "Ada", "family_name": .array([lovelace, amour])],
                names: ["Ada Lovelace (en)", "Ada Amour (fr)"],
                shows: ["given_name: Ada", "family_name: Lovelace (en)", "family_name: Amour (fr)"]),
            make(
                "the two parts of a name by their languages",
                ["given_name": .array([ada, adele]), "family_name": .array([amour, lovelace])],
                names: ["Ada Lovelace (en)", "Adèle Amour (fr)"],
                shows: [
                    "given_name: Ada (en)", "given_name: Adèle (fr)", "family_name: Amour (fr)",
                    "family_name: Lovelace (en)",
                ]),
        ]
    }

    private static func shapes() -> [KitCase] {
        let languages: (Int) -> JSONValue = { count in
            .array([JSONValue](repeating: ["value": "v"], count: count))
        }
        return [
            make(
                "numbers, truth values and nothing", ["age": .int(36), "adult": true, "middle_name": .null],
                shows: ["age: 36", "adult: true", "middle_name: –"]),
            make(
                "lists by their numbers, and one of one without",
                ["langs": .array(["en", "fr"]), "city": .array(["London"]), "nothing": .array([])],
                shows: ["langs/1: en", "langs/2: fr", "city: London"]),
            make(
                "texts by language in both spellings",
                [
                    "title": .array([text("Countess", "en"), ["@value": "Comtesse", "@language": "fr"]]),
                    "town": text("London", "en"), "motto": ["value": "Crede Byron"],
                ],
                shows: ["title: Countess (en)", "title: Comtesse (fr)", "town: London (en)", "motto: Crede Byron"]),
            make(
                "a list in which one is no text by language", ["parts": .array([["value": "a"], .int(7)])],
                shows: ["parts/1: a", "parts/2: 7"]),
            make(
                "64 texts by language", ["t": languages(64)], shows: [String](repeating: "t: v", count: 64)),
            make("65 texts by language as a list", ["t": languages(65)], shows: (1...65).map { "t/\($0): v" }),
        ]
    }

    private static func limits() -> [KitCase] {
        func claims(_ count: Int) -> JSONObject {
            var claims = JSONObject()
            for number in 1...count { claims["c\(number)"] = .int(number) }
            return claims
        }
        func lines(_ count: Int) -> [String] { (1...count).map { "c\($0): \($0)" } }
        func nested(_ depth: Int) -> JSONObject {
            var value: JSONValue = .int(1)
            for _ in 1..<depth { value = .object(["n": value]) }
            return ["n": value]
        }
        var more = claims(300)
        more["d"] = .object(["a": .int(1), "b": .int(2)])
        var texts = claims(299)
        texts["t"] = .array([text("a", "en"), text("b", "fr"), text("c", "de")])
        return [
            make("300 claims", claims(300), shows: lines(300)),
            make("300 claims and leaves out what comes then", more, shows: lines(300), omitted: 1),
            make("300 claims and leaves out the other languages", texts, shows: lines(299) + ["t: a (en)"], omitted: 2),
            make(
                "a claim of twelve names", nested(12),
                shows: [[String](repeating: "n", count: 12).joined(separator: "/") + ": 1"]),
            make("nothing of a claim of thirteen names", nested(13), shows: [], omitted: 1),
        ]
    }

    private static func pictures() -> [KitCase] {
        let picture: JSONValue = "data:image/png;base64,iVBORw0KGgo="
        let (long, limit) = (String(repeating: "A", count: 201), String(repeating: "A", count: 200))
        return [
            make("a picture by its address", ["seal": picture, "age": .int(36)], shows: ["age: 36"], pictures: 1),
            make("a picture by its name and length", ["portrait": .string(long)], shows: [], pictures: 1),
            make(
                "texts that are no pictures", ["face": .string(limit), "essay": .string(long), "photo": "none"],
                shows: ["face: \(limit)", "essay: \(long)", "photo: none"]),
            make("four pictures", ["photos": .array([picture, picture, picture, picture])], shows: [], pictures: 4),
            make(
                "four pictures of five", ["photos": .array([picture, picture, picture, picture, picture])], shows: [],
                pictures: 4, omitted: 1),
            make(
                "pictures in a list", ["photo": .array([.string(long)]), "more": .array([.string(long), "b"])],
                shows: ["more/1: \(long)", "more/2: b"], pictures: 1),
        ]
    }

    private static func subjects() -> [KitCase] {
        func token(_ name: String, shows: [String], names: [String] = [], _ change: (inout JWTSample) -> Void)
            -> KitCase
        {
            var sample = JWTSample()
            change(&sample)
            var made = KitCase(.jwt, "shows \(name)", Array(sample.text.utf8), sample.request, .genuine)
            made.shows = facts(names, shows, 0, 0)
            return made
        }
        func selective(_ name: String, shows: [String]) -> KitCase {
            var sample = SDSample()
            sample.header = ["alg": "ES256", "typ": "vc+sd-jwt", "kid": .string(Signer.p256.method)]
            sample.payload = JWTSample.credential
            sample.payload["credentialSubject"] = ["name": "Ada"]
            (sample.disclosures, sample.holderSigner) = ([], nil)
            sample.request = JWTSample().request
            var made = KitCase(.sdJWT, "shows \(name)", Array(sample.text.utf8), sample.request, .genuine)
            made.shows = facts(["Ada"], shows, 0, 0)
            return made
        }
        return [
            make(
                "a claim of the name of a subject beside the type", ["credentialSubject": .object(["age": .int(36)])],
                shows: ["credentialSubject/age: 36"]),
            selective("a credential of the W3C that is an SD-JWT", shows: ["name: Ada"]),
            token("two subjects", shows: ["name: Ada", "name: Eva"], names: ["Ada"]) {
                $0.payload["credentialSubject"] = .array([["name": "Ada"], ["name": "Eva"]])
            },
            token(
                "the name that an issuer claims as a claim", shows: ["age: 36", "issuer/name: Government of Utopia"]
            ) { sample in
                sample.payload["issuer"] = .object(["id": .string(Signer.p256.did), "name": "Government of Utopia"])
                sample.payload["credentialSubject"] = .object(["age": .int(36)])
            },
        ]
    }
}
