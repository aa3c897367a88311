import CryptoSuite
import Determinism
import JSON
import TestSupport
import Testing

@testable import Credentials

/// Tests of the times at which the certificates, status lists and other items of a trust file end.
@Suite struct TrustFileExpiryTests {
    private func ends(_ text: String, _ files: [String: [UInt8]]) throws -> [TrustFileExpiry] {
        try TrustFile(parsing: Array(text.utf8)).ends(files: files)
    }

    private func code(_ text: String, _ files: [String: [UInt8]]) -> TrustFileError.Code? {
        do {
            _ = try ends(text, files)
            return nil
        } catch {
            return (error as? TrustFileError)?.code
        }
    }

    private static func seconds(_ end: TrustFileExpiry) -> Int64 { end.time.millisecondsSinceEpoch / 1000 }

    private static let statusEntry = "status-list https://issuer.example/status/1\n  file l\n  fetched 2025-01-01\n"
    /// 2025-01-01.
    private static let fetched: Int64 = 1_735_689_600

    @Test(.shows("TF3"))
    func `a status list is fresh until the first of its own end, its lifetime and the greatest age`() throws {
        var sample = StatusSample()
        let read: (StatusSample, String) throws -> Int64 = { sample, text in
            Self.seconds(try #require(try ends(text, ["l": sample.pinned.bytes]).first))
        }
        #expect(try read(sample, Self.statusEntry) == Self.fetched + 43_200)
        #expect(try read(sample, Self.statusEntry + "  max-age 1h\n") == Self.fetched + 3600)
        sample.claims["exp"] = .int(Int(Self.fetched) + 60)
        #expect(try read(sample, Self.statusEntry) == Self.fetched + 60)
        sample.claims["exp"] = nil
        sample.claims["ttl"] = nil
        #expect(try read(sample, Self.statusEntry) == Self.fetched + 86_400)
        // The verifier counts in the same way.
        sample.claims["ttl"] = .int(0)
        #expect(try read(sample, Self.statusEntry) == Self.fetched)
    }

    @Test func `the expiry of a status list is read from a CWT or a credential, too`() throws {
        let binary = BinaryStatusSample(address: "https://issuer.example/status/1", value: 0)
        #expect(Self.seconds(try ends(Self.statusEntry, ["l": binary.bytes])[0]) == Self.fetched + 43_200)
        let credential: JSONObject = [
            "id": "https://issuer.example/status/1", "validUntil": "2025-01-01T00:10:00Z",
            "type": .strings(["VerifiableCredential", "BitstringStatusListCredential"]),
            "credentialSubject": .object(["ttl": .int(300_000)]),
        ]
        #expect(Self.seconds(try ends(Self.statusEntry, ["l": credential.encoded])[0]) == Self.fetched + 300)
        var late = credential
        late["credentialSubject"] = .object(JSONObject())
        #expect(Self.seconds(try ends(Self.statusEntry, ["l": late.encoded])[0]) == Self.fetched + 600)
        let token = Signer.p256.token(["alg": "ES256", "typ": "vc+jwt"], late)
        #expect(Self.seconds(try ends(Self.statusEntry, ["l": Array(token.utf8)])[0]) == Self.fetched + 600)
        var ending = late
        ending["exp"] = .int(Int(Self.fetched) + 30)
        let ended = Signer.p256.token(["alg": "ES256", "typ": "vc+jwt"], ending)
        #expect(Self.seconds(try ends(Self.statusEntry, ["l": Array(ended.utf8)])[0]) == Self.fetched + 30)
        #expect(code(Self.statusEntry, ["l": Array("no list. at all".utf8)]) == .fileMalformed)
        #expect(code(Self.statusEntry, ["l": Array("{}".utf8)]) == .fileMalformed)
    }

    @Test func `a status list's expiry beyond every calendar becomes the end of the year 9999`() throws {
        var sample = StatusSample()
        sample.claims["ttl"] = .number(try #require(JSONNumber(text: "1e300")))
        sample.claims["exp"] = .number(try #require(JSONNumber(text: "1e300")))
        let text = Self.statusEntry + "  max-age 24h\n"
        #expect(Self.seconds(try ends(text, ["l": sample.pinned.bytes])[0]) == Self.fetched + 86_400)
        sample.claims["exp"] = .number(try #require(JSONNumber(text: "-1e300")))
        #expect(Self.seconds(try ends(text, ["l": sample.pinned.bytes])[0]) == 0)
    }

    @Test(.shows("TF3")) func `a trust file's VICAL list has an update due, an end, and a signer that expires`() throws
    {
        var sample = try IssuingAuthorityListTests.Sample()
        let text = "vical l\n  root r\n"
        let found = try ends(text, ["l": try sample.encoded(), "r": sample.root])
        #expect(found.map(\.kind) == [.nextAuthorityList, .certificate, .certificate])
        #expect(found.map(\.subject) == ["vical l", "signer of vical l", "root r"])
        #expect(CivilDateTime(found[0].time).text == "2025-07-01T00:00:00Z")
        #expect(found[1].time == SignerAuthority.end && found[2].time == SignerAuthority.rootEnd)
        sample.end = "2025-08-01T00:00:00Z"
        let ending = try ends(text, ["l": try sample.encoded(), "r": sample.root])
        #expect(ending.map(\.kind) == [.nextAuthorityList, .authorityList, .certificate, .certificate])
        #expect(CivilDateTime(ending[1].time).text == "2025-08-01T00:00:00Z")
        #expect(code(text, ["l": [0xA0], "r": sample.root]) == .fileMalformed)
    }

    @Test(.shows("TF3")) func `trust file findings note a revocation list whose next one is due, if it names a date`()
        throws
    {
        let name: [CertificateTemplate.NamePart] = [.country("US"), .commonName("Test IACA")]
        var list = RevocationListTemplate(
            issuer: name, thisUpdate: SignerAuthority.start, nextUpdate: SignerAuthority.end, revokedSerialNumbers: [])
        let key = CertificateTemplate.SigningKey.ecdsa(SignerAuthority.key("symbolon iaca"))
        let file = try TrustFile(parsing: Array("revocation-list l\n".utf8))
        let ends = try file.ends(files: ["l": try list.sign(by: key)])
        #expect(ends.map(\.kind) == [.nextRevocationList] && ends.map(\.time) == [SignerAuthority.end])
        func sentences(_ milliseconds: Int64) -> [String] {
            let time = WallTime(millisecondsSinceEpoch: SignerAuthority.end.millisecondsSinceEpoch + milliseconds)
            return file.findings(ends, at: time).map(\.sentence)
        }
        #expect(sentences(0) == [])
        #expect(sentences(1) == ["The list after revocation-list l was due at 2026-02-01T00:00:00Z."])
        list.nextUpdate = nil
        #expect(try file.ends(files: ["l": try list.sign(by: key)]).isEmpty)
    }

    @Test(.shows("TF3")) func `trust file findings note a VICAL list that is due, and call an ended one grave`() throws
    {
        var sample = try IssuingAuthorityListTests.Sample()
        sample.end = "2025-08-01T00:00:00Z"
        let file = try TrustFile(parsing: Array("vical l\n  root r\n".utf8))
        let ends = try file.ends(files: ["l": try sample.encoded(), "r": sample.root])
        let findings: (Double) -> [String] = { seconds in
            file.findings(ends, at: WallTime(millisecondsSinceEpoch: Int64(seconds * 1000))).map {
                ($0.isGrave ? "grave: " : "") + $0.sentence
            }
        }
        // 2025-06-15, 2025-07-01, one second later, 2025-07-15, 2025-08-01 and one second later.
        #expect(findings(1_749_945_600) == [])
        #expect(findings(1_751_328_000) == [])
        let due = "The list after vical l was due at 2025-07-01T00:00:00Z."
        #expect(findings(1_751_328_001) == [due])
        #expect(findings(1_752_537_600) == [due, "The vical l ends at 2025-08-01T00:00:00Z."])
        #expect(findings(1_754_006_401) == [due, "grave: The vical l ended at 2025-08-01T00:00:00Z."])
    }
}
