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
}
