import Credentials
import CryptoSuite
import JSON
import Testing

@testable import Presentations

@Suite struct QueryTests {
    private func queries(dcql text: String) throws(PresentationError) -> [CredentialQuery] {
        guard let object = (try? JSONValue(parsing: text))?.object else { return [] }
        return try DCQLReader.queries(object)
    }

    private func queries(definition text: String) throws(PresentationError) -> [CredentialQuery] {
        guard let object = (try? JSONValue(parsing: text))?.object else { return [] }
        return try PresentationDefinitionReader.queries(object)
    }

    @Test func `a DCQL query gives formats, types, paths and values`() throws {
        let text = """
            {"credentials": [{"id": "a", "format": "dc+sd-jwt", "meta": {"vct_values": ["x", "y"]},
              "claims": [{"path": ["address", null, 0, "street"], "values": ["Long", 3]}]}]}
            """
        let query = try queries(dcql: text)[0]
        #expect(query.takes(.sdJWT, types: ["y"]))
        #expect(!query.takes(.sdJWT, types: ["z"]))
        #expect(!query.takes(.jwt, types: ["y"]))
        #expect(query.claims.map(\.name) == ["address.*.0.street"])
        let claims: JSONValue = ["address": [[["street": "Long"]], [["street": "Short"]]]]
        #expect(query.missing(in: claims).isEmpty)
        #expect(query.missing(in: ["address": [[["street": "Short"]]]]).count == 1)
    }

    @Test(
        arguments: [
            (#"{}"#, .requestMalformed), (#"{"credentials": [{}]}"#, .requestMalformed),
            (#"{"credentials": [{"id": "a", "format": "mso_mdoc"}]}"#, .requestUnsupported),
            (#"{"credentials": [{"id": "a b", "format": "dc+sd-jwt"}]}"#, .requestMalformed),
            (#"{"credentials": [{"id": "a", "format": "dc+sd-jwt", "claim_sets": []}]}"#, .requestMalformed),
            (#"{"credentials": [{"id": "a", "format": "dc+sd-jwt", "claim_sets": [["x"]]}]}"#, .requestMalformed),
            (#"{"credentials": [{"id": "a", "format": "dc+sd-jwt", "claims": [{}]}]}"#, .requestMalformed),
            (#"{"credentials": [{"id": "a", "format": "dc+sd-jwt", "claims": [{"path": [-1]}]}]}"#, .requestMalformed),
        ] as [(String, PresentationError.Code)])
    func `a DCQL query that is malformed or not supported is refused`(text: String, code: PresentationError.Code) {
        #expect(throws: PresentationError(code, "")) { try queries(dcql: text) }
    }

    @Test func `any claim set of a DCQL query suffices, and the first that a credential has is shown`() throws {
        let text = """
            {"credentials": [{"id": "a", "format": "dc+sd-jwt", "claim_sets": [["birth"], ["over", "country"]],
              "claims": [{"id": "birth", "path": ["birthdate"]}, {"id": "over", "path": ["over18"]},
                         {"id": "country", "path": ["country"]}]}]}
            """
        let query = try queries(dcql: text)[0]
        let both: JSONValue = ["over18": true, "country": "DE"]
        #expect(query.missing(in: both).isEmpty)
        #expect(query.shown(of: both).map(\.name) == ["over18", "country"])
        #expect(query.shown(of: ["birthdate": "x", "over18": true, "country": "DE"]).map(\.name) == ["birthdate"])
        #expect(query.missing(in: ["over18": true]).count == 1)
    }

    /// A request for credentials a, b and c in sets.
    private func request(sets: String) throws -> PresentationRequest {
        let queries = ["a", "b", "c"].map { #"{"id": "\#($0)", "format": "jwt_vc_json"}"# }.joined(separator: ",")
        let file = #"{"dcql_query": {"credentials": [\#(queries)], "credential_sets": \#(sets)}}"#
        return try Samples.parsed(
            PresentationRequestWriter(file: Array(file.utf8))
                .request(verifierKey: Samples.channel.verifierKey, nonce: Samples.nonce, key: nil))
    }

    @Test func `each required credential set is answered with the first option that the wallet has`() throws {
        let request = try request(
            sets: #"[{"options": [["a", "b"], ["c"]]}, {"options": [["b"]], "required": false}]"#)
        #expect(request.answered(fitting: ["a", "b", "c"]) == ["a", "b"])
        #expect(request.answered(fitting: ["a", "c"]) == ["c"])
        #expect(request.answered(fitting: ["a"]) == nil)
    }

    @Test func `if every credential set is optional, the first option that the wallet has is the answer`() throws {
        let request = try request(sets: #"[{"options": [["a"], ["b"]], "required": false}]"#)
        #expect(request.answered(fitting: ["b", "c"]) == ["b"])
        #expect(request.answered(fitting: ["c"]) == nil)
    }

    @Test(arguments: ["[]", "{}", #"[{}]"#, #"[{"options": []}]"#, #"[{"options": [[]]}]"#, #"[{"options": [["d"]]}]"#])
    func `malformed credential sets of a DCQL query are refused`(sets: String) {
        #expect(throws: PresentationError(.requestMalformed, "")) { try request(sets: sets) }
    }

    @Test(
        arguments: [
            ("Card", "IdCard", true), ("^Card$", "IdCard", false), ("^Id", "IdCard", true), ("Card$", "Cards", false),
            ("^a\\\\.b$", "a.b", true), ("^a\\\\.b$", "axb", false), ("^a.b$", "axb", true), ("^(a|bc)$", "bc", true),
            ("^(a|bc)$", "b", false), ("", "x", true),
        ])
    func `a filter pattern of literals, anchors and alternatives matches text`(
        pattern: String, text: String, isMet: Bool
    ) throws {
        let definition =
            #"{"input_descriptors": [{"id": "a", "constraints": {"fields": [{"path": ["$.a"], "filter": {"type": "string", "#
            + #""pattern": "\#(pattern)"}}]}}]}"#
        let query = try queries(definition: definition)[0]
        #expect(query.missing(in: ["a": .string(text)]).isEmpty == isMet)
    }

    @Test func `a claim path through vc also finds the claims of a credential without that member`() throws {
        let text = #"{"input_descriptors": [{"id": "a", "constraints": {"fields": [{"path": ["$.vc.type[*]"]}]}}]}"#
        let query = try queries(definition: text)[0]
        #expect(query.missing(in: ["type": ["Card"]]).isEmpty)
        #expect(query.missing(in: ["vc": ["type": ["Card"]]]).isEmpty)
    }

    @Test(
        arguments: [
            ("$.a.b", "a.b"), ("$['a']['b c']", "a.b c"), ("$.a[0]", "a.0"), ("$.a[*].b", "a.*.b"), ("$", nil),
            ("a", nil), ("x.a", nil), ("$x0]", nil), ("$.", nil), ("$..a", nil), ("$.*", nil), ("$[", nil),
            ("$[x]", nil), ("$[-1]", nil), ("", nil),
        ] as [(String, String?)])
    func `a JSONPath of the supported forms is read, and any other is not`(text: String, expected: String?) {
        #expect(PresentationDefinitionReader.path(text)?.description == expected)
    }

    @Test func `filters of a presentation definition match by value, range, type and element`() throws {
        let text = """
            {"input_descriptors": [{"id": "a", "constraints": {"fields": [
              {"path": ["$.n"], "filter": {"type": "number", "minimum": 2, "maximum": 4}},
              {"path": ["$.t", "$.type"], "filter": {"type": "array", "contains": {"const": "Card"}}},
              {"path": ["$.e"], "filter": {"enum": ["x", "y"]}, "optional": true}]}}]}
            """
        let query = try queries(definition: text)[0]
        #expect(query.missing(in: ["n": 2, "type": ["Card"]]).isEmpty)
        #expect(query.missing(in: ["n": 4, "t": ["A", "Card"]]).isEmpty)
        #expect(query.missing(in: ["n": 5, "type": ["Card"]]).map(\.name) == ["n"])
        #expect(query.missing(in: ["n": "3", "type": "Card"]).map(\.name) == ["n", "t"])
    }

    @Test func `query paths, ids, patterns and texts are accepted at their limits, and not one past them`() throws {
        let path = { (count: Int) in "$." + String(repeating: "a", count: count - 2) }
        #expect(PresentationDefinitionReader.path(path(256)) != nil)
        #expect(PresentationDefinitionReader.path(path(257)) == nil)
        #expect(ClaimPath(members: Array(repeating: "a", count: 16)) != nil)
        #expect(ClaimPath(members: Array(repeating: "a", count: 17)) == nil)
        #expect(TextPattern(String(repeating: "a", count: 256)) != nil)
        #expect(TextPattern(String(repeating: "a", count: 257)) == nil)
        let pattern = try #require(TextPattern("x$"))
        #expect(pattern.isFound(in: String(repeating: "x", count: 65_536)))
        #expect(!pattern.isFound(in: String(repeating: "x", count: 65_537)))
        func definition(id count: Int, paths: Int) -> String {
            let paths = Array(repeating: #""$.a""#, count: paths).joined(separator: ",")
            let id = String(repeating: "a", count: count)
            return
                #"{"input_descriptors": [{"id": "\#(id)", "constraints": {"fields": [{"path": [\#(paths)]}]}}]}"#
        }
        #expect(try queries(definition: definition(id: 64, paths: 16))[0].claims[0].paths.count == 16)
        for (count, paths, code) in [
            (0, 1, .requestMalformed), (65, 1, .requestMalformed), (1, 17, .requestUnsupported),
        ]
            as [(Int, Int, PresentationError.Code)]
        {
            #expect(throws: PresentationError(code, "")) {
                try queries(definition: definition(id: count, paths: paths))
            }
        }
        func dcql(sets count: Int) -> String {
            let sets = Array(repeating: #"["a"]"#, count: count).joined(separator: ",")
            return
                #"{"credentials": [{"id": "a", "format": "ldp_vc", "claims": [{"id": "a", "path": ["a"]}], "claim_sets": [\#(sets)]}]}"#
        }
        #expect(try queries(dcql: dcql(sets: 16))[0].claimSets.count == 16)
        #expect(throws: PresentationError(.requestMalformed, "")) { try queries(dcql: dcql(sets: 17)) }
    }

    @Test func `only a claim path through vc is also tried without its first member`() throws {
        let text = #"{"input_descriptors": [{"id": "a", "constraints": {"fields": [{"path": ["$.x.type"]}]}}]}"#
        #expect(try queries(definition: text)[0].missing(in: ["type": "Card"]).count == 1)
    }

    @Test(arguments: ["^a)$", "^(a$", "(a", "a)", "a\\", "\\d"])
    func `a filter pattern with an unclosed group or a character class is not supported`(pattern: String) {
        #expect(TextPattern(pattern) == nil)
    }

    @Test func `a required credential set is answered, whatever optional set precedes it`() throws {
        let request = try request(
            sets: #"[{"options": [["c"]], "required": false}, {"options": [["a"]]}]"#)
        #expect(request.answered(fitting: ["a", "c"]) == ["a"])
        #expect(request.answered(fitting: ["c"]) == nil)
    }

    @Test func `filters of a presentation definition nest three deep, and deeper ones are not supported`() throws {
        func definition(nested count: Int) -> String {
            let filter = (0..<count).reduce(#"{"const": "x"}"#) { inner, _ in #"{"contains": \#(inner)}"# }
            return
                #"{"input_descriptors": [{"id": "a", "constraints": {"fields": [{"path": ["$.a"], "filter": \#(filter)}]}}]}"#
        }
        let query = try queries(definition: definition(nested: 3))[0]
        #expect(query.missing(in: ["a": [[["x"]]]]).isEmpty)
        #expect(query.missing(in: ["a": [["x"]]]).count == 1)
        #expect(throws: PresentationError(.requestUnsupported, "")) {
            try queries(definition: definition(nested: 4))
        }
    }

    @Test(
        arguments: [
            (#"{}"#, .requestMalformed), (#"{"input_descriptors": [{}]}"#, .requestMalformed),
            (
                #"{"input_descriptors": [{"id": "a", "constraints": {"fields": [{"path": ["$.a"], "filter": []}]}}]}"#,
                .requestMalformed
            ),
            (#"{"input_descriptors": [], "submission_requirements": []}"#, .requestUnsupported),
            (#"{"input_descriptors": [{"id": "a", "format": {"mso_mdoc": {}}}]}"#, .requestUnsupported),
            (#"{"input_descriptors": [{"id": "a", "constraints": {"fields": [{}]}}]}"#, .requestMalformed),
            (
                #"{"input_descriptors": [{"id": "a", "constraints": {"fields": [{"path": ["$..a"]}]}}]}"#,
                .requestUnsupported
            ),
            (
                #"{"input_descriptors": [{"id": "a", "constraints": {"fields": [{"path": ["$.a"], "filter": {"pattern": "x+"}}]}}]}"#,
                .requestUnsupported
            ),
            (
                #"{"input_descriptors": [{"id": "a", "constraints": {"limit_disclosure": "required"}}]}"#,
                .requestUnsupported
            ),
            (
                #"{"input_descriptors": [{"id": "a", "constraints": {"subject_is_issuer": "required"}}]}"#,
                .requestUnsupported
            ),
        ] as [(String, PresentationError.Code)])
    func `a presentation definition that is malformed or not supported is refused`(
        text: String, code: PresentationError.Code
    ) {
        #expect(throws: PresentationError(code, "")) { try queries(definition: text) }
    }

    @Test func `request presets are separated by commas and deduplicated, and an unknown one is refused`() throws {
        #expect(try ClaimPreset.list("age-over-18,name,name,over-18") == [.ageOver18, .name])
        let refusal = #expect(throws: PresentationError(.requestPreset, "")) { try ClaimPreset.list("over-19") }
        #expect(refusal?.reason.contains("over-16, over-18, over-21, name,") == true)
        #expect(throws: PresentationError(.requestPreset, "")) { try ClaimPreset.list("name,") }
        #expect(throws: PresentationError(.requestPreset, "")) { try ClaimPreset.list("shoe-size") }
    }

    @Test(arguments: ClaimPreset.allCases)
    func `each request preset makes a request that the parser accepts`(preset: ClaimPreset) throws {
        #expect(try Samples.parsed(Samples.request([preset])).queries.count == 1)
    }

    @Test func `a request file may hold a whole request, a DCQL query or a presentation definition`() throws {
        let definition = ClaimPreset.definition(of: [.name])
        let dcql: JSONValue = ["credentials": [["id": "a", "format": "ldp_vc"]]]
        for file in [definition, dcql, ["presentation_definition": definition, "client_id": "shop"]] {
            let request = try PresentationRequestWriter(file: file.encoded)
                .request(verifierKey: Samples.channel.verifierKey, nonce: Samples.nonce, key: nil)
            #expect(try Samples.parsed(request).isBound)
        }
        #expect(throws: PresentationError(.requestMalformed, "")) { try PresentationRequestWriter(file: [1]) }
        #expect(throws: PresentationError(.requestClaims, "")) {
            try PresentationRequestWriter(file: Array("{}".utf8))
                .request(verifierKey: Samples.channel.verifierKey, nonce: Samples.nonce, key: nil)
        }
    }

    @Test func `a P-256 signing key is read from an EC JWK, and signs requests with ES256 as a did-jwk`() throws {
        let key = try PresentationSigningKey(p256: Secret(copying: [UInt8](repeating: 3, count: 32)))
        var jwk = try #require(key.publicJWK.object)
        jwk["d"] = "AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM"
        #expect(try PresentationSigningKey(jwk: jwk.encoded).identifier == key.identifier)
        let signed = try Samples.request(key: PresentationSigningKey(jwk: jwk.encoded))
        #expect(try Samples.parsed(signed).signer == .unknown(key.identifier))
        for (name, value) in [("y", jwk["x"]), ("crv", "P-384"), ("kty", "OKP"), ("d", "AwM"), ("d", nil)] {
            var wrong = jwk
            wrong[name] = value
            #expect(throws: PresentationError(.walletHolderKey, "")) { try PresentationSigningKey(jwk: wrong.encoded) }
        }
        let zero = Secret(copying: [UInt8](repeating: 0, count: 32))
        #expect(throws: PresentationError(.walletHolderKey, "")) { try PresentationSigningKey(p256: zero) }
    }

    @Test func `a holder's key is read from a JWK, and one whose key pair does not match is refused`() throws {
        let key = try Samples.key(2)
        var jwk = try #require(key.publicJWK.object)
        jwk["d"] = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI"
        #expect(try PresentationSigningKey(jwk: jwk.encoded).identifier == key.identifier)
        jwk["x"] = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI"
        #expect(throws: PresentationError(.walletHolderKey, "")) { try PresentationSigningKey(jwk: jwk.encoded) }
        #expect(throws: PresentationError(.walletHolderKey, "")) { try PresentationSigningKey(jwk: [1]) }
    }
}
