import ByteCoding
import Credentials
import CryptoSuite
import Determinism
import JSON
import TestSupport
import Testing

@testable import Presentations

@Suite struct AnswerTests {
    private let holder: PresentationSigningKey
    private let subject: JSONObject = JSONObject(present: ["name": "Ada", "ageOver18": true])

    init() throws { holder = try Samples.key(2) }

    private func chosen(_ request: PresentationRequest, _ subject: JSONObject? = nil) throws -> [String: HeldCredential]
    {
        var chosen: [String: HeldCredential] = [:]
        for query in request.queries { chosen[query.id] = try Samples.held(subject ?? self.subject, holder: holder) }
        return chosen
    }

    private func answer(
        to request: PresentationRequest, over channel: ChannelBinding = Samples.channel, _ subject: JSONObject? = nil
    ) throws -> [UInt8] {
        try PresentationAnswerWriter(request, over: channel).answer(
            chosen(request, subject), holder: holder, seconds: 1_790_000_000)
    }

    private func check(
        _ payload: [UInt8], of request: PresentationRequest, over channel: ChannelBinding = Samples.channel
    ) throws -> PresentationAnswerChecker.Result {
        try PresentationAnswerChecker(request, over: channel, Samples.verification()).check(payload)
    }

    @Test(.shows("TUV-012"))
    func `an answer with the requested claims is accepted, and its credential is genuine`() throws {
        let request = try Samples.parsed(Samples.request([.name, .ageOver18]))
        guard case .presented(let presented) = try check(answer(to: request), of: request) else {
            throw PresentationError(.answerMalformed, "")
        }
        #expect(presented.map(\.query) == ["credential"])
        #expect(presented.flatMap { $0.report.inner.map(\.result) } == [.genuine])
        #expect(presented.map(\.report.result) == [.genuine])
        #expect(
            presented.flatMap(\.answers) == [.init(name: "name", value: "Ada"), .init(name: "ageOver18", value: true)])
    }

    @Test(.shows("T2")) func `an answer that another wallet made is refused`() throws {
        let request = try Samples.parsed(Samples.request())
        let other = ChannelBinding(
            verifierKey: Samples.channel.verifierKey, walletKey: [UInt8](repeating: 1, count: 32))
        let relayed = try answer(to: request, over: other)
        #expect(throws: PresentationError(.answerWrongNonce, "")) { try check(relayed, of: request) }
        // The same relay succeeds where the nonce is made without the wallet's key.
        #expect(throws: Never.self) { try check(relayed, of: request, over: other) }
    }

    @Test(.shows("T2")) func `a presentation inside a relabelled answer is refused`() throws {
        let request = try Samples.parsed(Samples.request())
        let other = ChannelBinding(
            verifierKey: Samples.channel.verifierKey, walletKey: [UInt8](repeating: 1, count: 32))
        var object = try #require(try JSONValue(parsing: answer(to: request, over: other)).object)
        object["nonce"] = .string(Samples.channel.answerNonce(for: request.nonce))
        #expect(throws: PresentationError(.answerWrongNonce, "")) { try check(object.encoded, of: request) }
    }

    @Test(.shows("T5")) func `an answer to an earlier request of the same verifier is refused`() throws {
        let request = try Samples.parsed(Samples.request())
        let earlier = try Samples.parsed(Samples.request { $0["nonce"] = "nonce-of-another-request" })
        #expect(throws: PresentationError(.answerWrongNonce, "")) { try check(answer(to: earlier), of: request) }
    }

    @Test func `an answer for another verifier is refused`() throws {
        let request = try Samples.parsed(Samples.request { $0["client_id"] = "one shop" })
        let other = try Samples.parsed(Samples.request { $0["client_id"] = "another shop" })
        #expect(throws: PresentationError(.answerPresentation, "")) { try check(answer(to: other), of: request) }
    }

    @Test func `an answer that lacks a requested claim or its value is refused with the claim's name`() throws {
        let request = try Samples.parsed(Samples.request([.name, .ageOver18]))
        for subject in [
            JSONObject(present: ["name": "Ada"]), JSONObject(present: ["name": "Ada", "ageOver18": false]),
        ] {
            let payload = try answer(to: request, subject)
            #expect { try check(payload, of: request) } throws: { error in
                let error = error as? PresentationError
                return error?.code == .answerClaimMissing && error?.reason.contains("ageOver18") == true
            }
        }
    }

    @Test func `an answer that lacks a requested credential is refused with the credential's name`() throws {
        let query: JSONValue = [
            "credentials": [
                ["id": "card", "format": "jwt_vc_json", "claims": [["path": ["credentialSubject", "name"]]]],
                ["id": "pass", "format": "jwt_vc_json"],
            ]
        ]
        let request = try Samples.parsed(
            Samples.request {
                $0["presentation_definition"] = nil
                $0["dcql_query"] = query
            })
        var chosen = try chosen(request)
        chosen["pass"] = nil
        let payload = try PresentationAnswerWriter(request, over: Samples.channel)
            .answer(chosen, holder: holder, seconds: 1_790_000_000)
        #expect { try check(payload, of: request) } throws: { error in
            let error = error as? PresentationError
            return error?.code == .answerCredentialMissing && error?.reason.contains("pass") == true
        }
    }

    /// A request for credentials a, b and c in sets.
    private func request(sets: JSONValue) throws -> PresentationRequest {
        try Samples.parsed(
            Samples.request {
                $0["presentation_definition"] = nil
                $0["dcql_query"] = [
                    "credentials": .array(["a", "b", "c"].map { ["id": .string($0), "format": "jwt_vc_json"] }),
                    "credential_sets": sets,
                ]
            })
    }

    /// An answer with presentations for these queries alone.
    private func answer(to request: PresentationRequest, for queries: [String]) throws -> [UInt8] {
        let whole = try #require(try JSONValue(parsing: answer(to: request)).object)
        var tokens = JSONObject()
        for query in queries { tokens[query] = whole["vp_token"]?[query] }
        var object = whole
        object["vp_token"] = .object(tokens)
        return object.encoded
    }

    @Test(arguments: [["a", "b"], ["c"], ["a", "b", "c"]])
    func `an answer with one of the requested combinations of credentials is accepted`(
        queries: [String]
    ) throws {
        let request = try request(sets: [["options": [["a", "b"], ["c"]]]])
        guard case .presented(let presented) = try check(answer(to: request, for: queries), of: request) else {
            throw PresentationError(.answerMalformed, "")
        }
        #expect(presented.map(\.query) == queries)
    }

    @Test(
        arguments: [
            ([["options": [["a", "b"], ["c"]]]], []), ([["options": [["a", "b"], ["c"]]]], ["a"]),
            ([["options": [["a", "b"], ["c"]]]], ["b"]), ([["options": [["a"]]], ["options": [["c"]]]], ["a"]),
            ([["options": [["a"]]], ["options": [["c"]]]], ["b", "c"]),
            ([["options": [["a", "b"]], "required": false]], []),
            ([["options": [["a", "b"]], "required": false]], ["b"]),
        ] as [(JSONValue, [String])])
    func `an answer with none of the requested combinations of credentials is refused`(
        sets: JSONValue, queries: [String]
    ) throws {
        let request = try request(sets: sets)
        let payload = try answer(to: request, for: queries)
        #expect(throws: PresentationError(.answerCredentialMissing, "")) { try check(payload, of: request) }
    }

    @Test func `an answer may hold 16 presentations for one query, and not one more`() throws {
        let request = try Samples.parsed(Samples.request())
        var object = try #require(try JSONValue(parsing: answer(to: request)).object)
        let token = object["vp_token"]?["credential"]?[0] ?? nil
        for (count, isTaken) in [(16, true), (17, false)] {
            object["vp_token"] = ["credential": .array(Array(repeating: token, count: count))]
            let payload = object.encoded
            if isTaken {
                guard case .presented(let presented) = try check(payload, of: request) else {
                    throw PresentationError(.answerMalformed, "")
                }
                #expect(presented.count == count)
            } else {
                #expect(throws: PresentationError(.answerCredentialMissing, "")) { try check(payload, of: request) }
            }
        }
    }

    @Test func `an answer with a bare credential, or a presentation of another format, is refused`()
        throws
    {
        let request = try Samples.parsed(Samples.request())
        let bare = String(decoding: try Samples.credential(subject, holder: holder), as: UTF8.self)
        let document = """
            {"@context": ["https://www.w3.org/ns/credentials/v2"], "type": ["VerifiablePresentation"],
             "verifiableCredential": [{"@context": ["https://www.w3.org/ns/credentials/v2"],
               "type": ["VerifiableCredential"], "issuer": "did:web:a.example", "credentialSubject": {"name": "Ada"}}]}
            """
        for text in [bare, document] {
            var object = try #require(try JSONValue(parsing: answer(to: request)).object)
            object["vp_token"] = ["credential": [.string(text)]]
            let payload = object.encoded
            #expect { try check(payload, of: request) } throws: { error in
                let error = error as? PresentationError
                return error?.code == .answerPresentation && error?.reason.contains("not a presentation") == true
            }
        }
    }

    @Test func `an answer with a credential of another type than requested is refused`() throws {
        let request = try Samples.parsed(
            Samples.request {
                $0["presentation_definition"] = nil
                $0["dcql_query"] = [
                    "credentials": [
                        ["id": "pass", "format": "jwt_vc_json", "meta": ["type_values": [["DrivingLicence"]]]]
                    ]
                ]
            })
        let payload = try answer(to: request)
        #expect { try check(payload, of: request) } throws: { error in
            let error = error as? PresentationError
            return error?.code == .answerCredentialMissing && error?.reason.contains("another type") == true
        }
    }

    @Test func `an answer with another holder's credential is refused`() throws {
        let request = try Samples.parsed(Samples.request())
        let stolen = try #require(try Samples.held(subject, holder: Samples.key(3)))
        let payload = try PresentationAnswerWriter(request, over: Samples.channel)
            .answer(["credential": stolen], holder: holder, seconds: 1_790_000_000)
        #expect(throws: PresentationError(.answerPresentation, "")) { try check(payload, of: request) }
    }

    @Test func `an answer whose presenter's key cannot be found is refused, although no check failed`() throws {
        let request = try Samples.parsed(Samples.request())
        let presenter = "did:web:holder.example"
        let issuer = try Samples.key(1)
        let credential = try issuer.token(
            type: "vc+jwt",
            JSONObject(present: [
                "@context": ["https://www.w3.org/ns/credentials/v2"], "type": ["VerifiableCredential", "IDCard"],
                "issuer": .string(issuer.identifier), "credentialSubject": ["id": .string(presenter), "name": "Ada"],
            ]))
        let answerNonce = Samples.channel.answerNonce(for: request.nonce)
        let claims: JSONValue = [
            "@context": ["https://www.w3.org/ns/credentials/v2"], "type": ["VerifiablePresentation"],
            "holder": .string(presenter), "iss": .string(presenter),
            "verifiableCredential": [
                [
                    "@context": "https://www.w3.org/ns/credentials/v2", "type": "EnvelopedVerifiableCredential",
                    "id": .string("data:application/vc+jwt," + String(decoding: credential, as: UTF8.self)),
                ]
            ],
            "nonce": .string(answerNonce), "aud": .string(request.audience), "iat": 1_790_000_000,
        ]
        let header: JSONValue = ["alg": "EdDSA", "kid": .string(presenter + "#key"), "typ": "vp+jwt"]
        let signed = Base64URL.encode(header.encoded) + "." + Base64URL.encode(claims.encoded)
        let signature = try Ed25519.sign(
            Array(signed.utf8), seed: Secret(copying: [UInt8](repeating: 2, count: 32)))
        let token = signed + "." + Base64URL.encode(signature)
        var policy = try Samples.verification()
        policy.policy.nonce = answerNonce
        policy.policy.audience = request.audience
        let report = CredentialVerifier(policy).verify(Array(token.utf8))
        #expect(!report.inner.isEmpty && !report.checks.contains { $0.outcome == .failed })
        let payload = JSONObject(present: [
            "vp_token": ["credential": [.string(token)]], "nonce": .string(answerNonce),
        ])
        #expect(throws: PresentationError(.answerPresentation, "")) { try check(payload.encoded, of: request) }
    }

    @Test func `an answer signed with a P-256 key is accepted for its holder's credential`() throws {
        let holder = try PresentationSigningKey(p256: Secret(copying: [UInt8](repeating: 3, count: 32)))
        let request = try Samples.parsed(Samples.request())
        let held = try Samples.held(["name": "Ada"], holder: holder)
        let answer = try PresentationAnswerWriter(request, over: Samples.channel).answer(
            ["credential": try #require(held)], holder: holder,
            seconds: Int(Samples.time.millisecondsSinceEpoch / 1000))
        let result = try PresentationAnswerChecker(request, over: Samples.channel, Samples.verification()).check(answer)
        guard case .presented(let found) = result else { return #expect(Bool(false), "\(result)") }
        #expect(found.count == 1)
    }

    @Test func `a wallet's refusal has its kind and at most 200 characters of reason`() throws {
        let request = try Samples.parsed(Samples.request())
        for kind in PresentationRefusal.Kind.allCases {
            let payload = PresentationAnswerWriter(request, over: Samples.channel)
                .refusal(kind, String(repeating: "r", count: 201))
            guard case .refused(let refusal) = try check(payload, of: request) else {
                throw PresentationError(.answerMalformed, "")
            }
            #expect(refusal.kind == kind)
            #expect(refusal.reason.count == 200)
            #expect(refusal.error == PresentationError(.answerRefused, ""))
        }
    }

    @Test func `a wallet's refusal from another session is not accepted`() throws {
        let request = try Samples.parsed(Samples.request())
        let other = ChannelBinding(
            verifierKey: Samples.channel.verifierKey, walletKey: [UInt8](repeating: 1, count: 32))
        let payload = PresentationAnswerWriter(request, over: other).refusal(.accessDenied, "no")
        #expect(throws: PresentationError(.answerWrongNonce, "")) { try check(payload, of: request) }
    }

    @Test(arguments: ["", "{}", "[]", #"{"nonce":1}"#, #"{"vp_token":{}}"#])
    func `a payload that is no answer is refused as malformed`(text: String) throws {
        let request = try Samples.parsed(Samples.request())
        #expect(throws: PresentationError(.answerMalformed, "")) { try check(Array(text.utf8), of: request) }
    }

    @Test func `credentials that match a query are found, and the nearest match's missing claims are named`() throws {
        let request = try Samples.parsed(Samples.request([.name, .ageOver18]))
        let query = request.queries[0]
        let young = try #require(try Samples.held(JSONObject(present: ["name": "Ada"]), holder: holder))
        let fit = try #require(try Samples.held(subject, holder: holder))
        #expect(QueryMatch(query, in: [young, fit]).fitting.map(\.claims) == [fit.claims])
        #expect(QueryMatch(query, in: [young, fit]).lacking == [])
        let presented = try QueryMatch(query, in: [young, fit]).presented(of: fit, Samples.verification())
        let required = query.claims.filter { !$0.isOptional }.map(\.name)
        #expect(presented.asked == required)
        #expect(QueryMatch(query, in: [young]).lacking == ["credentialSubject.ageOver18"])
        #expect(QueryMatch(query, in: []).lacking == required)
    }

    @Test func `the wallet makes no answer without a credential`() throws {
        let request = try Samples.parsed(Samples.request())
        #expect(throws: PresentationError(.walletNothingFits, "")) {
            try PresentationAnswerWriter(request, over: Samples.channel).answer([:], holder: holder, seconds: 0)
        }
    }

    @Test func `a presentation, or bytes of no known format, cannot be held as a credential`() throws {
        let request = try Samples.parsed(Samples.request())
        let verification = VerificationRequest(trust: TrustStore(), at: Samples.time)
        let object = try #require(try JSONValue(parsing: answer(to: request)).object)
        let token = try #require(object["vp_token"]?["credential"]?.array?.first?.string)
        #expect(HeldCredential(name: "p", bytes: Array(token.utf8), verification) == nil)
        #expect(HeldCredential(name: "x", bytes: [1, 2, 3], verification) == nil)
    }
}
