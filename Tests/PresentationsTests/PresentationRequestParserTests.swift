import ByteCoding
import Credentials
import CryptoSuite
import JSON
import TestSupport
import Testing

@testable import Presentations

@Suite struct PresentationRequestParserTests {
    @Test func `an unsigned request that is bound to the session is accepted, and shown as unsigned`() throws {
        let request = try Samples.parsed(Samples.request([.ageOver18, .name]))
        #expect(request.signer == .unsigned)
        #expect(request.isBound)
        #expect(request.clientID == nil)
        #expect(request.queries.map(\.id) == ["credential"])
        #expect(
            request.queries[0].claims.filter { !$0.isOptional }.map(\.name) == [
                "credentialSubject.ageOver18", "credentialSubject.name",
            ])
        #expect(request.purpose == "age-over-18, name")
    }

    @Test func `a request's signer is unknown unless the user's trust store pins it`() throws {
        let key = try Samples.key(5)
        let signed = try Samples.request(key: key)
        #expect(try Samples.parsed(signed).signer == .unknown(key.identifier))
        var trust = TrustStore()
        trust.methods = ["did:jwk"]
        let byMethod = VerificationRequest(trust: trust, at: Samples.time)
        #expect(try Samples.parsed(signed, byMethod).signer == .unknown(key.identifier))
        trust.issuers = [TrustedIssuer(key.identifier)]
        let pinned = VerificationRequest(trust: trust, at: Samples.time)
        #expect(try Samples.parsed(signed, pinned).signer == .known(key.identifier))
    }

    /// A request that a key of a did:jwk signed, and the DID.
    private func signed(
        _ curve: ECDSA.Curve, _ name: String, _ algorithm: String, _ hash: SHA2, typed type: String?
    ) throws -> (did: String, request: (mediaType: String, content: [UInt8])) {
        let size = curve == .p256 ? 32 : 48
        let key = try ECDSA.PrivateKey(curve: curve, scalar: Secret(copying: [UInt8](repeating: 3, count: size)))
        let point = key.publicKey.x963
        let jwk: JSONValue = [
            "crv": .string(name), "kty": "EC", "x": .string(Base64URL.encode(point[1...size])),
            "y": .string(Base64URL.encode(point[(size + 1)...])),
        ]
        let did = "did:jwk:" + Base64URL.encode(jwk.encoded)
        var header = JSONObject(present: ["alg": .string(algorithm), "kid": .string(did + "#0")])
        header["typ"] = type.map(JSONValue.string)
        let (_, content) = try Samples.request { claims in
            claims["iss"] = .string(did)
        }
        let text = Base64URL.encode(header.encoded) + "." + Base64URL.encode(content)
        let signature = try key.sign(Array(text.utf8), hash: hash)
        let token = Array((text + "." + Base64URL.encode(signature)).utf8)
        return (did, ("application/oauth-authz-req+jwt", token))
    }

    @Test(arguments: ["oauth-authz-req+jwt", "JWT", nil])
    func `a request signed with ES256 by a did:jwk is accepted, with or without a typ header`(
        type: String?
    ) throws {
        let (did, request) = try signed(.p256, "P-256", "ES256", .sha256, typed: type)
        #expect(try Samples.parsed(request).signer == .unknown(did))
    }

    @Test func `a request signed with an algorithm outside of the profile is refused, though its key is known`()
        throws
    {
        let (_, request) = try signed(.p384, "P-384", "ES384", .sha384, typed: "oauth-authz-req+jwt")
        #expect { try Samples.parsed(request) } throws: { error in
            let error = error as? PresentationError
            return error?.code == .requestSignature && error?.reason.contains("EdDSA or ES256") == true
        }
    }

    @Test(.shows("T2")) func `a request that was written for another verifier's session is refused`() throws {
        let other = ChannelBinding(verifierKey: [UInt8](repeating: 9, count: 32), walletKey: Samples.channel.walletKey)
        let request = try Samples.request(key: Samples.key(5))
        #expect(throws: PresentationError(.requestWrongChannel, "")) { try Samples.parsed(request, over: other) }
        // The same relay succeeds where the session is not compared.
        #expect(try Samples.parsed(request, over: nil).nonce == Samples.nonce)
    }

    @Test func `an unbound request is refused unless the user accepts it, and says that it is unbound`() throws {
        let request = try Samples.request { $0["ble_key"] = nil }
        #expect(throws: PresentationError(.requestUnbound, "")) { try Samples.parsed(request) }
        #expect(try !Samples.parsed(request, acceptsUnbound: true).isBound)
    }

    @Test func `one byte changed anywhere in a signed request refuses it`() throws {
        let (type, content) = try Samples.request(key: Samples.key(5))
        for index in stride(from: 0, to: content.count, by: 7) where content[index] != UInt8(ascii: ".") {
            var changed = content
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: PresentationError.self) { try Samples.parsed((type, changed)) }
        }
    }

    @Test(
        arguments: [
            ("nonce", nil, .requestClaims), ("nonce", "fifteen-letters", .requestClaims),
            ("nonce", .string(String(repeating: "n", count: 257)), .requestClaims),
            ("nonce", 7, .requestMalformed), ("response_type", "vp_token", .requestClaims),
            ("redirect_uri", "https://example.org", .requestClaims),
            ("response_uri", "https://example.org", .requestClaims), ("iss", "somebody", .requestClaims),
            ("ble_key", "short", .requestClaims), ("dcql_query", ["credentials": []], .requestClaims),
            ("presentation_definition", nil, .requestClaims), ("presentation_definition", [:], .requestMalformed),
            ("presentation_definition", ["input_descriptors": []], .requestUnsupported),
            ("exp", 1_789_999_939, .requestExpired), ("nbf", 1_790_000_061, .requestExpired),
            ("exp", "now", .requestMalformed), ("client_id", "", .requestMalformed),
            ("client_id", .string(String(repeating: "n", count: 1025)), .requestMalformed),
            (
                "presentation_definition", ["input_descriptors": [["id": "a"], ["id": "b"], ["id": "a"]]],
                .requestMalformed
            ),
            (
                "presentation_definition",
                ["input_descriptors": .array((0..<17).map { ["id": .string("\($0)")] })], .requestUnsupported
            ),
        ] as [(String, JSONValue?, PresentationError.Code)])
    func `a request with a required claim missing or a forbidden one is refused with its code`(
        name: String, value: JSONValue?, code: PresentationError.Code
    ) throws {
        let request = try Samples.request {
            $0["client_id"] = "shop"
            $0[name] = value
        }
        #expect(throws: PresentationError(code, "")) { try Samples.parsed(request) }
    }

    @Test func `a request with its members at their size limits is accepted`() throws {
        let request = try Samples.parsed(
            Samples.request {
                $0["client_id"] = .string(String(repeating: "n", count: 1024))
                $0["nonce"] = .string(String(repeating: "n", count: 256))
                $0["presentation_definition"] = [
                    "input_descriptors": .array((0..<16).map { ["id": .string("\($0)")] })
                ]
            })
        #expect(request.queries.count == 16)
        #expect(request.clientID?.utf8.count == 1024)
        #expect(try Samples.parsed(Samples.request { $0["nonce"] = "sixteen--letters" }).nonce.utf8.count == 16)
    }

    @Test(arguments: [("exp", 1_789_999_940), ("nbf", 1_790_000_060), ("iat", 1)])
    func `request times within a minute of now are accepted`(name: String, seconds: Int) throws {
        _ = try Samples.parsed(Samples.request { $0[name] = .int(seconds) })
    }

    @Test func `a request of unknown media type, or with content of another type, is refused`() throws {
        let content = try Samples.request().content
        #expect(throws: PresentationError(.requestMediaType, "")) { try Samples.parsed(("text/plain", content)) }
        #expect(throws: PresentationError(.requestMalformed, "")) { try Samples.parsed(("application/json", [1])) }
        #expect(throws: PresentationError(.requestMalformed, "")) {
            try Samples.parsed(("application/oauth-authz-req+jwt", content))
        }
    }

    @Test func `a request token without a signature, or of another typ, is refused`() throws {
        let key = try Samples.key(5)
        let claims = try #require(try JSONValue(parsing: Samples.request().content).object)
        var named = claims
        named["iss"] = .string(key.identifier)
        let other = try key.token(type: "vp+jwt", named)
        #expect(throws: PresentationError(.requestSignature, "")) {
            try Samples.parsed(("application/oauth-authz-req+jwt", other))
        }
        let header = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))
        let none = Array("\(header).\(Base64URL.encode(named.encoded)).".utf8)
        #expect(throws: PresentationError(.requestSignature, "")) {
            try Samples.parsed(("application/oauth-authz-req+jwt", none))
        }
    }

    @Test func `the channel binding hashes are those of the request profile's vectors`() throws {
        let verifier = try #require(Hex.decode("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"))
        let wallet = try #require(Hex.decode("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"))
        let channel = ChannelBinding(verifierKey: verifier, walletKey: wallet)
        #expect(channel.requestKey == "MAyclgO5Kks57TlYv5JAEUgE20_TcwEsDKR0MtY0Ja4")
        #expect(
            channel.answerNonce(for: "n-0S6_WzA2Mj-n-0S6_WzA2Mj") == "S1ggzznTnmx-KaJIOF2UfGQwacsOsQrQpXaSQHEzbTE")
    }
}
