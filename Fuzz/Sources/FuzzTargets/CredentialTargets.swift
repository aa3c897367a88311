import ByteCoding
import CBOR
import Credentials
import Determinism

extension FuzzTarget {
    /// A store that takes every did:key, so that the fuzzer reaches the checks behind trust.
    private static var request: VerificationRequest {
        var trust = TrustStore()
        trust.methods = ["did:key", "did:jwk"]
        var request = VerificationRequest(trust: trust, at: WallTime(millisecondsSinceEpoch: 1_780_000_000_000))
        request.policy.nonce = "n"
        request.policy.audience = "a"
        return request
    }

    private static let key = "did:key:z6MkehRgf7yJbgaGfYsdoAsKdBPE3dj2CYhowQdcjqSJgvVd"

    /// Credentials of any format: no seed is signed, so that none may be genuine.
    private static func credential(_ name: String, _ seeds: [String]) -> FuzzTarget {
        FuzzTarget(name: name, maximumBytes: 4000) {
            seeds.map { Array($0.utf8) }
        } run: { input in
            let report = CredentialVerifier(request).verify(input)
            require(report.result != .genuine, "nothing unsigned is genuine")
            require(!report.checks.isEmpty, "a report has checks")
            require(CredentialVerifier(request).verify(input) == report, "verifying is repeatable")
        }
    }

    /// Tokens of the W3C's credentials and presentations.
    static var credentialToken: FuzzTarget {
        credential(
            "credential-token",
            [
                "eyJhbGciOiJFZERTQSIsInR5cCI6InZjK2p3dCJ9.e30.AAAA",
                "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJ2YyI6e319.",
                "eyJhbGciOiJFUzI1NiIsIng1YyI6WyJNQUE9Il19.e30.AAAA",
            ])
    }

    /// SD-JWT credentials in their compact and JSON forms.
    static var credentialDisclosure: FuzzTarget {
        credential(
            "credential-disclosure",
            [
                "eyJhbGciOiJFUzI1NiIsInR5cCI6ImRjK3NkLWp3dCJ9.eyJfc2QiOlsieCJdfQ.AAAA~WyJzIiwibiIsInYiXQ~",
                "eyJhbGciOiJFUzI1NiIsInR5cCI6ImRjK3NkLWp3dCJ9.e30.AAAA~WyJzIiwidiJd~e30.e30.AAAA",
                #"{"payload":"e30","protected":"e30","signature":"","header":{"disclosures":["WyJzIiwidiJd"]}}"#,
            ])
    }

    /// Credentials and presentations in JSON-LD with proofs inside.
    static var credentialDocument: FuzzTarget {
        let base = ##""@context":["https://www.w3.org/ns/credentials/v2"],"issuer":"\##(key)""##
        let proof = ##""created":"2025-01-01T00:00:00Z","verificationMethod":"\##(key)#\##(key.dropFirst(8))""##
        return credential(
            "credential-document",
            [
                ##"{\##(base),"type":["VerifiableCredential"],"credentialSubject":{"n":1.5},"proof":{"type":"##
                    + ##""DataIntegrityProof","cryptosuite":"eddsa-jcs-2022","proofPurpose":"assertionMethod",\##(proof),"##
                    + ##""proofValue":"z1"}}"##,
                ##"{\##(base),"type":"VerifiablePresentation","verifiableCredential":[{}],"proof":[{"type":"##
                    + ##""Ed25519Signature2018","proofPurpose":"authentication","challenge":"n","domain":"a",\##(proof),"##
                    + ##""jws":"eyJhbGciOiJFZERTQSIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19..AAAA"}]}"##,
                ##"{\##(base),"proof":[{"id":"a:1","previousProof":"a:2"},{"id":"a:2","previousProof":["a:1"]}]}"##,
            ])
    }

    /// Values of proofs that let a holder leave statements out: the issuer's and the holder's, in a document that the
    /// proof's keys did not sign.
    static var selectiveProof: FuzzTarget {
        let point: [UInt8] = [
            0x80, 0x24, 0x03, 0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4, 0x40,
            0xF2, 0x77, 0x03, 0x7D, 0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45, 0xD8, 0x98, 0xC2, 0x96,
        ]
        return FuzzTarget(name: "selective-proof", maximumBytes: 2000) {
            let signature = CBORItem.bytes([UInt8](repeating: 1, count: 64))
            return [
                CBORItem.tagged(
                    0x5D00,
                    .array([
                        signature, .bytes(point), .bytes([UInt8](repeating: 2, count: 32)),
                        .array([signature, signature]),
                        .array([.text("/issuer"), .text("/credentialSubject/list/0"), .text("")]),
                    ])
                ).encoded,
                CBORItem.tagged(
                    0x5D01,
                    .array([
                        signature, .bytes(point), .array([signature]),
                        .map([.int(0): .bytes([UInt8](repeating: 3, count: 32)), .int(1): .bytes([4])]),
                        .array([.int(0), .int(2)]),
                    ])
                ).encoded,
            ]
        } run: { input in
            let key = Multibase.encode(point)
            let document =
                ##"{"@context":["https://www.w3.org/ns/credentials/v2",{"list":{"@id":"a:list","@container":"@list"}}],"##
                + ##""type":["VerifiableCredential"],"issuer":"did:key:\##(key)","credentialSubject":{"list":["a","b"],"##
                + ##""name":"n","description":{"@value":"d","@language":"en"}},"proof":{"type":"DataIntegrityProof","##
                + ##""cryptosuite":"ecdsa-sd-2023","proofPurpose":"assertionMethod","created":"2025-01-01T00:00:00Z","##
                + ##""verificationMethod":"did:key:\##(key)#\##(key)","proofValue":"u\##(Base64URL.encode(input))"}}"##
            let report = CredentialVerifier(request).verify(Array(document.utf8))
            require(report.format == .linkedData, "a document with a proof is one")
            require(report.result != .genuine, "nothing unsigned is genuine")
        }
    }

    /// Files that may become entries of a trust file.
    static var trustMaterial: FuzzTarget {
        let time = WallTime(millisecondsSinceEpoch: 1_780_000_000_000)
        return FuzzTarget(name: "trust-material", maximumBytes: 2000) {
            [
                #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","kid":"1"}"#,
                #"{"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}]}"#, #"{"@context":{"a":"b:c"}}"#,
                ##"{"id":"did:web:a.example","verificationMethod":[{"id":"#1","publicKeyJwk":{"kty":"OKP"}}]}"##,
                "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----\n",
                "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n", "e30.e30.AAAA",
            ].map { Array($0.utf8) } + [[0x30, 0x03, 0x02, 0x01, 0x00]]
        } run: { input in
            guard let material = try? TrustMaterial(recognising: input, at: time) else { return }
            require(!material.bytes.isEmpty, "what is recognised is not empty")
        }
    }

    /// Trust files, with every file that they name at hand.
    static var trustFile: FuzzTarget {
        FuzzTarget(name: "trust-file", maximumBytes: 2000) {
            [
                "issuer \(key)\n  types A B # c\n  document a sha256 00\nmethod did:key\nroot r\n  for mdoc country US\n",
                "context inline\n  jcs-sha256 00\nstatus-list u\n  file f\n  fetched 2025-01-01\npolicy\n  require time\n",
            ].map { Array($0.utf8) }
        } run: { input in
            guard let file = try? TrustFile(parsing: input) else { return }
            let files = Dictionary(uniqueKeysWithValues: file.paths.map { ($0, Array("{}".utf8)) })
            var policy = VerificationPolicy()
            _ = try? file.store(files: files)
            try? file.apply(to: &policy)
        }
    }

    /// Status lists of every form, which unsigned credentials name.
    static var statusList: FuzzTarget {
        let address = "https://a.example/1"
        let entry: CBORItem = .map([.text("status_list"): .map([.text("idx"): .int(1), .text("uri"): .text(address)])])
        let claims = CBORItem.map([.int(1): .text(key), .int(65535): entry]).encoded
        let token = CBORItem.tagged(
            18, .array([.bytes([0xA1, 1, 0x27]), .map([:]), .bytes(claims), .bytes([UInt8](repeating: 0, count: 64))])
        ).encoded
        let document =
            ##"{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiableCredential"],"issuer":"\##(key)","##
            + ##""credentialStatus":{"type":"BitstringStatusListEntry","statusPurpose":"revocation","##
            + ##""statusListIndex":"1","statusListCredential":"\##(address)"}}"##
        let list = CBORItem.map([
            .int(2): .text(address), .int(6): .int(1),
            .int(65533): .map([.text("bits"): .int(1), .text("lst"): .bytes([0x78, 0xDA, 0x03, 0, 0, 0, 0, 1])]),
        ]).encoded
        return FuzzTarget(name: "status-list", maximumBytes: 2000) {
            [
                CBORItem.tagged(
                    18,
                    .array([
                        .bytes(
                            CBORItem.map([.int(1): .int(-8), .int(16): .text("application/statuslist+cwt")]).encoded),
                        .map([:]), .bytes(list), .bytes([UInt8](repeating: 0, count: 64)),
                    ])
                ).encoded,
                Array("eyJhbGciOiJFZERTQSIsInR5cCI6InN0YXR1c2xpc3Qrand0In0.e30.AAAA".utf8),
                Array(document.utf8),
            ]
        } run: { input in
            var request = request
            request.trust.statusLists = [
                PinnedStatusList(
                    address: address, bytes: input, fetchedAt: WallTime(millisecondsSinceEpoch: 1_780_000_000_000))
            ]
            let verifier = CredentialVerifier(request)
            for credential in [token, Array(document.utf8)] {
                require(verifier.verify(credential).result != .genuine, "nothing unsigned is genuine")
            }
        }
    }
}
