import CBOR
import Determinism

@testable import Credentials

extension FuzzTarget {
    private static func binaryCredential(_ name: String, _ seeds: @escaping () -> [[UInt8]]) -> FuzzTarget {
        FuzzTarget(name: name, maximumBytes: 4000, seeds: seeds) { input in
            var trust = TrustStore()
            trust.methods = ["did:key"]
            let request = VerificationRequest(trust: trust, at: WallTime(millisecondsSinceEpoch: 1_748_736_000_000))
            var inSession = request
            inSession.session = try? MobileDocumentSession(transcript: [0x83, 0xF6, 0xF6, 0xF6])
            for report in [
                CredentialVerifier(request).verify(input),
                MobileDocumentVerifier(inSession).verify(input),
                CWTVerifier(request).verify(input),
            ] {
                require(report.result != .genuine, "nothing unsigned is genuine")
                require(!report.checks.isEmpty, "a report has checks")
            }
        }
    }

    /// Mobile documents and responses with them.
    static var mobileDocument: FuzzTarget {
        binaryCredential("mobile-document") {
            let document = mobileDocumentSeed
            return [
                document.encoded,
                CBORItem.ordered([
                    [.text("version"), .text("1.0")], [.text("documents"), .array([document])],
                    [.text("status"), .int(0)],
                ]).encoded,
            ]
        }
    }

    /// Transcripts of sessions, and readers' keys beside one.
    static var sessionTranscript: FuzzTarget {
        let transcript = CBORItem.array([.null, .null, .array([.text("OpenID4VPHandover"), .bytes([1])])]).encoded
        return FuzzTarget(name: "session-transcript", maximumBytes: 1000) {
            [
                transcript, CBORItem.embedded(.raw(transcript)).encoded,
                Array(#"{"kty":"EC","crv":"P-256","d":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE"}"#.utf8),
            ]
        } run: { input in
            if let session = try? MobileDocumentSession(transcript: input) {
                let again = try? MobileDocumentSession(transcript: session.transcript)
                require(again?.transcript == session.transcript, "a transcript that was read is read again")
                let tagged = CBORItem.embedded(.raw(session.transcript)).encoded
                let inner = try? MobileDocumentSession(transcript: tagged)
                require(inner?.transcript == session.transcript, "a tag around a transcript changes nothing")
            }
            let session = try? MobileDocumentSession(transcript: transcript, readerJWK: input)
            require(session.map { $0.readerKey != nil } ?? true, "a key that was read is there")
        }
    }

    /// CBOR Web Tokens.
    static var cwt: FuzzTarget {
        binaryCredential("cwt") {
            let key = "did:key:z6MkehRgf7yJbgaGfYsdoAsKdBPE3dj2CYhowQdcjqSJgvVd"
            let claims = CBORItem.map([
                .int(1): .text(key), .int(4): .float(2e9), .int(6): .int(1_735_689_600),
                .int(8): .map([.int(1): .map([.int(1): .int(1), .int(-1): .int(6), .int(-2): .bytes([1])])]),
                .int(65535): .map([.text("status_list"): .map([.text("idx"): .int(1), .text("uri"): .text("u")])]),
            ])
            let token = CBORItem.array([
                .bytes(CBORItem.map([.int(1): .int(-8), .int(2): .array([.int(1)])]).encoded),
                .map([.int(33): .array([.bytes([0x30, 0])])]), .bytes(claims.encoded),
                .bytes(Array(repeating: 1, count: 64)),
            ])
            return [CBORItem.tagged(61, .tagged(18, token)).encoded, CBORItem.tagged(18, token).encoded]
        }
    }

    private static var mobileDocumentSeed: CBORItem {
        let item = CBORItem.embedded(
            .map([
                .text("digestID"): .int(0), .text("random"): .bytes(Array(repeating: 1, count: 16)),
                .text("elementIdentifier"): .text("a"), .text("elementValue"): .tagged(1004, .text("2000-01-01")),
            ]))
        let time = CBORItem.tagged(0, .text("2025-01-01T00:00:00Z"))
        let object = CBORItem.embedded(
            .map([
                .text("version"): .text("1.0"), .text("digestAlgorithm"): .text("SHA-256"),
                .text("valueDigests"): .map([.text("n"): .map([.int(0): .bytes([1])])]),
                .text("deviceKeyInfo"): .map([
                    .text("deviceKey"): .map([.int(1): .int(1), .int(-1): .int(6), .int(-2): .bytes([1])])
                ]), .text("docType"): .text("t"),
                .text("validityInfo"): .map([
                    .text("signed"): time, .text("validFrom"): time, .text("validUntil"): time,
                ]),
            ]))
        let signature = CBORItem.array([
            .bytes([0xA1, 0x01, 0x26]), .map([.int(33): .bytes([0x30, 0])]), .bytes(object.encoded),
            .bytes(Array(repeating: 1, count: 64)),
        ])
        let device = CBORItem.array([.bytes([0xA1, 0x01, 0x27]), .map([:]), .null, .bytes([1])])
        return .map([
            .text("docType"): .text("t"),
            .text("issuerSigned"): .map([
                .text("nameSpaces"): .map([.text("n"): .array([item])]), .text("issuerAuth"): signature,
            ]),
            .text("deviceSigned"): .map([
                .text("nameSpaces"): .embedded(.map([.text("n"): .map([.text("x"): .int(1)])])),
                .text("deviceAuth"): .map([.text("deviceSignature"): device]),
            ]),
        ])
    }
}
