import ByteCoding
import CryptoSuite
import Determinism
import JSON
import Testing

@testable import Credentials

@Suite struct TrustMaterialTests {
    private static let now = WallTime(millisecondsSinceEpoch: 1_780_000_000_000)
    private static let jwk = #"{"kty":"OKP","crv":"Ed25519","x":"Gb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE"}"#
    private static let pem =
        "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n"

    private func recognised(_ text: String) throws(TrustFileError) -> TrustMaterial {
        try TrustMaterial(recognising: Array(text.utf8), at: Self.now)
    }

    private func code(_ text: String) -> TrustFileError.Code? {
        do throws(TrustFileError) {
            _ = try recognised(text)
            return nil
        } catch { return error.code }
    }

    @Test func `a public key in PEM has the fingerprint of its DER`() throws {
        let material = try recognised(Self.pem)
        guard case .publicKey(let key) = material.content else { return #expect(Bool(false)) }
        #expect(key.kind == "Ed25519")
        #expect(material.fingerprinted.count == 44)
        #expect(material.bytes == Array(Self.pem.utf8))
    }

    @Test func `a JWK file becomes a key set of one, and a key set stays as it is`() throws {
        let one = try recognised(Self.jwk)
        guard case .keySet(1) = one.content else { return #expect(Bool(false)) }
        #expect(try JSONValue(parsing: one.bytes)["keys"]?.array?.count == 1)
        let text = "{\"keys\": [\(Self.jwk), \(Self.jwk)]}"
        let two = try recognised(text)
        guard case .keySet(2) = two.content else { return #expect(Bool(false)) }
        #expect(two.bytes == Array(text.utf8))
    }

    @Test func `DID documents, issuer metadata, JSON-LD contexts and status lists are told apart`() throws {
        let method = ##"{"id":"did:web:a#1","type":"JsonWebKey2020","publicKeyJwk":\##(Self.jwk)}"##
        for (reference, lists) in [("did:web:a#1", true), ("did:web:a", false)] {
            let text = #"{"id":"did:web:a","verificationMethod":[\#(method)],"assertionMethod":["\#(reference)"]}"#
            guard case .document("did:web:a", lists) = try recognised(text).content else {
                return #expect(Bool(false))
            }
        }
        guard case .keyDocument("did:web:a#1") = try recognised(method).content else { return #expect(Bool(false)) }
        let metadata = #"{"issuer":"https://a.example","jwks":{"keys":[\#(Self.jwk)]}}"#
        guard case .metadata("https://a.example") = try recognised(metadata).content else {
            return #expect(Bool(false))
        }
        guard case .context(let digest) = try recognised(#"{ "@context": {"b":1, "a":2} }"#).content else {
            return #expect(Bool(false))
        }
        #expect(digest == SHA256.hash(Array(#"{"@context":{"a":2,"b":1}}"#.utf8)))
        let terms = #"{"@context":{"privateKeyJwk":{"@id":"https://a.example/k"},"kty":"a:b","d":"a:d"}}"#
        guard case .context = try recognised(terms).content else { return #expect(Bool(false)) }
        let list =
            #"{"id":"https://a.example/1","type":["VerifiableCredential","BitstringStatusListCredential"],"issuer":"did:web:a","credentialSubject":{}}"#
        guard case .statusList("https://a.example/1", nil) = try recognised(list).content else {
            return #expect(Bool(false))
        }
    }

    @Test func `a VICAL list and a status list token are recognised as trust material`() throws {
        let list = try IssuingAuthorityListTests.Sample().encoded()
        guard case .authorityList("Test") = try TrustMaterial(recognising: list, at: Self.now).content else {
            return #expect(Bool(false))
        }
        let token = StatusSample().pinned
        guard
            case .statusList(token.address, 1_800_000_000) = try TrustMaterial(
                recognising: token.bytes + [0x0A], at: Self.now
            ).content
        else { return #expect(Bool(false)) }
    }

    @Test func `a key document with a PEM key, and a certificate revocation list, are recognised`() throws {
        let pem = Self.pem.replacing("\n", with: "\\n")
        let text = #"{"id":"did:web:a#1","type":"RsaVerificationKey2018","publicKeyPem":"\#(pem)"}"#
        guard case .keyDocument("did:web:a#1") = try recognised(text).content else { return #expect(Bool(false)) }
        let list = try CertificateSample().revocationList(of: [[1]])
        guard case .revocationList("CN=Root") = try TrustMaterial(recognising: list, at: Self.now).content else {
            return #expect(Bool(false))
        }
        let armoured = PEMText.block("X509 CRL", of: list)
        guard case .revocationList("CN=Root") = try recognised(armoured).content else { return #expect(Bool(false)) }
        #expect(code("-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n") == .notRecognised)
        #expect(code(armoured + armoured) == .notRecognised)
    }

    @Test func `private keys are refused as trust material in every form`() {
        let secret = Self.jwk.replacing("}", with: #","d":"AAAA"}"#)
        for text in [
            Self.pem.replacing("PUBLIC", with: "PRIVATE"), Self.pem.replacing("PUBLIC", with: "EC PRIVATE"),
            Self.pem + Self.pem.replacing("PUBLIC", with: "ENCRYPTED PRIVATE"), secret, "{\"keys\": [\(secret)]}",
            #"{"id":"did:web:a","verificationMethod":[{"id":"did:web:a#1","privateKeyMultibase":"z3u2"}]}"#,
            #"{"kty":"oct","k":"AAAA"}"#, #"{"pem":["-----BEGIN PRIVATE KEY-----\nAAAA"]}"#,
        ] {
            #expect(code(text) == .privateKey, "\(text)")
        }
    }

    @Test func `files of other formats are not recognised as trust material`() {
        for text in [
            "", "hello", "{}", "[]", #"{"keys":[]}"#, #"{"keys":[{"kty":"RSA"}]}"#, Self.pem + Self.pem,
            #"{"issuer":"https://a.example","jwks_uri":"https://a.example/jwks"}"#,
            #"{"issuer":"did:web:a","type":["VerifiableCredential"],"credentialSubject":{}}"#,
            #"{"id":"did:web:a","verificationMethod":[]}"#, "eyJhbGciOiJub25lIn0.e30.",
        ] {
            #expect(code(text) == .notRecognised, "\(text)")
        }
        #expect(throws: TrustFileError(.notRecognised, line: 0, "")) {
            try TrustMaterial(recognising: [0x30, 1, 2], at: Self.now)
        }
    }

    @Test func `a certificate is accepted as trust material only within its validity`() throws {
        let sample = CertificateSample()
        let root = try sample.rootCertificate()
        let text = "some text\n-----BEGIN CERTIFICATE-----\n\(Base64.encode(root))\n-----END CERTIFICATE-----\n"
        for bytes in [root, Array(text.utf8)] {
            let material = try TrustMaterial(recognising: bytes, at: Self.now)
            guard case .certificate = material.content else { return #expect(Bool(false)) }
            #expect(material.fingerprinted == root)
            for time in [0, 9_000_000_000_000] as [Int64] {
                #expect(throws: TrustFileError(.expired, line: 0, "")) {
                    try TrustMaterial(recognising: bytes, at: WallTime(millisecondsSinceEpoch: time))
                }
            }
        }
    }
}

@Suite struct TrustFileFindingsTests {
    private static let day: Int64 = 86_400_000

    private func findings(_ text: String, _ files: [String: [UInt8]], at milliseconds: Int64) throws -> [String] {
        let file = try TrustFile(parsing: Array(text.utf8))
        let time = WallTime(millisecondsSinceEpoch: milliseconds)
        return file.findings(try file.ends(files: files), at: time).filter { $0.line == 1 }
            .map { ($0.isGrave ? "! " : "") + $0.sentence }
    }

    @Test func `trust file findings warn of a certificate 30 days before its end, and gravely after it`() throws {
        let root = try CertificateSample().rootCertificate()
        let text = "root r.der\n  name \"R\"\n  for mdoc doctype a\n"
        let end = try Certificate(der: root).notAfter.millisecondsSinceEpoch
        #expect(try findings(text, ["r.der": root], at: end - 30 * Self.day) == [])
        let date = CivilDateTime(WallTime(millisecondsSinceEpoch: end)).text
        #expect(
            try findings(text, ["r.der": root], at: end - 30 * Self.day + 1)
                == ["The certificate of root r.der ends at \(date)."])
        #expect(
            try findings(text, ["r.der": root], at: end + 1) == ["! The certificate of root r.der ended at \(date)."])
        #expect(throws: TrustFileError(.fileMalformed, line: 1, "")) {
            try findings(text, ["r.der": [0x30, 1, 2]], at: end)
        }
    }

    @Test func `trust file findings call a status list stale after its maximum age`() throws {
        let text = "status-list a\n  file l\n  fetched 2026-01-01T00:00:00Z\n  max-age 1h\n"
        let fetched: Int64 = 1_767_225_600_000
        let list = StatusSample().pinned.bytes
        #expect(try findings(text, ["l": list], at: fetched + 3_600_000) == [])
        #expect(
            try findings(text, ["l": list], at: fetched + 3_600_001)
                == ["! The status-list a has not been fresh since 2026-01-01T01:00:00Z."])
    }

    @Test func `trust file findings name entries that trust too much, and no careful one`() throws {
        let careful = """
            issuer a
              name A
              types t
            root r
              name R
              for mdoc doctype d
            policy
              require status
            """
        #expect(try TrustFile(parsing: Array(careful.utf8)).warnings == [])
        let wide = """
            issuer a
            method did:key
            key k
              file f sha256 0
              for a
            root r
              for mdoc
              for tokens
              profile lenient
            context c
              file f
              jcs-sha256 0
              labels accept
            policy
              want trust holder
              status optional
            """
        let warnings = try TrustFile(parsing: Array(wide.utf8)).warnings
        #expect(warnings.map(\.line) == [1, 2, 3, 6, 6, 6, 6, 10, 15, 16])
        let weak = try TrustFile(parsing: Array("policy\n  report status holder labels".utf8)).warnings
        #expect(weak.map(\.sentence) == ["A credential may be genuine without the check status, labels."])
        #expect(warnings.filter(\.isGrave).map(\.line) == [2])
        #expect(
            warnings.filter { $0.line == 15 }.map(\.sentence) == [
                "A credential may be genuine without the check trust."
            ])
    }
}

@Suite struct TrustFileTextTests {
    private static let text = "# mine\r\nissuer a\r\n  types x\r\n\r\nroot r.pem # tab\n\tfor mdoc\n# last"

    @Test func `a trust file entry is added at the end and removed again, and all other lines stay`() throws {
        var text = try TrustFileEditor(Array(Self.text.utf8))
        try text.add([("today", ["issuer \"b c\"", "  types y"]), ("too", ["method did:key"])])
        #expect(
            text.text == Self.text + "\n\n# Added today\nissuer \"b c\"\n  types y\n\n# Added too\nmethod did:key\n")
        #expect(try text.remove("b c").map(\.lines) == [10...11])
        #expect(try text.remove("method did:key").count == 1)
        #expect(text.text == Self.text + "\n")
        #expect(try text.remove("r.pem").count == 1)
        #expect(text.text == "# mine\r\nissuer a\r\n  types x\r\n\r\n# last\n")
    }

    @Test func `adding a trust file entry twice, or removing a missing one, is refused and changes nothing`() throws {
        var text = try TrustFileEditor(Array(Self.text.utf8))
        #expect(throws: TrustFileError(.doubled, line: 0, "")) { try text.add([("", ["issuer a"])]) }
        #expect(throws: TrustFileError(.noSuchEntry, line: 0, "")) { try text.remove("b") }
        #expect(throws: TrustFileError(.noSuchEntry, line: 0, "")) { try text.remove("") }
        #expect(text.text == Self.text)
        #expect(throws: TrustFileError(.unknownWord, line: 0, "")) { try TrustFileEditor(Array("isuer a".utf8)) }
    }

    @Test func `trust file words are quoted where the grammar needs it`() {
        #expect(TrustFileEditor.quoted("a b") == "\"a b\"")
        #expect(TrustFileEditor.quoted("#a") == "\"#a\"")
        #expect(TrustFileEditor.quoted("") == "\"\"")
        #expect(TrustFileEditor.quoted("a#b") == "a#b")
        #expect(TrustFileEditor.quoted("a\"b") == nil)
        #expect(TrustFileEditor.quoted("a\nb") == nil)
    }

    @Test func `times in a trust file are written to the second`() {
        for (milliseconds, text) in [
            (0, "1970-01-01T00:00:00Z"), (1_780_000_000_999, "2026-05-28T20:26:40Z"), (-1, "1969-12-31T23:59:59Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
        ] as [(Int64, String)] {
            #expect(CivilDateTime(WallTime(millisecondsSinceEpoch: milliseconds)).text == text)
        }
    }
}
