import TestSupport
import Testing
import Tuvali

@testable import Desk

@Suite struct ScannedCodeTests {
    @Test func `a scanned QR code of this station is distinguished from that of another`() throws {
        let own = try TuvaliURI(name: "Desk", key: [UInt8](repeating: 1, count: 32))
        let other = try TuvaliURI(name: "Desk", key: [UInt8](repeating: 2, count: 32))
        #expect(ScannedCode(own.text, own: own).kind == .ownCode)
        #expect(ScannedCode(" \(other.text)\n", own: own).kind == .verifier)
        #expect(ScannedCode(other.text).facts.map(\.label) == ["name", "words"])
    }

    @Test(
        .shows("PC4"),
        arguments: [
            ("openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fa.example%2Fo", ScannedCode.Kind.offer),
            ("https://wallet.example/offer?credential_offer=%7B%22credential_issuer%22%3A%22x%22%7D", .offer),
            ("openid4vp://authorize?client_id=a.example", .request), ("https://a.example/page", .link),
            ("4006381333931", .unknown), ("mdoc:owBjMS4w", .mobileDocument), ("mDL://owBjMS4w", .mobileDocument),
            ("", .unknown),
            ("OPENID4VP://connect?name=&key=", .request),
            ("openid-credential-offer://", .offer), ("https://a.example?credential_offer=%", .unknown),
        ])
    func `the kind of a scanned QR code is recognised by its form`(_ text: String, _ kind: ScannedCode.Kind) {
        #expect(ScannedCode(text).kind == kind)
    }

    @Test func `a scanned credential offer shows its issuer, types or host`() {
        let inside = ScannedCode(
            "openid-credential-offer://?credential_offer=%7B%22credential_issuer%22%3A%22https%3A%2F%2Fi.example%22%2C"
                + "%22credential_configuration_ids%22%3A%5B%22A%22%2C%22B%22%5D%7D")
        #expect(inside.facts.map(\.text) == ["https://i.example", "A, B"])
        let fetched = ScannedCode("openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fa.example%2Fo")
        #expect(fetched.facts.map(\.text) == ["a.example"])
    }

    @Test func `of a scanned QR code 4,096 bytes are read, and not one more`() {
        let link = "https://a.example"
        for (blanks, host) in [(4096 - link.utf8.count, "a.example"), (4097 - link.utf8.count, "a.exampl")] {
            #expect(ScannedCode(String(repeating: " ", count: blanks) + link).facts.map(\.text) == [host])
        }
    }

    @Test func `the shown text of a scanned QR code is bounded, with hidden characters made visible`() {
        let code = ScannedCode("\u{202E}" + String(repeating: "x", count: 100_000))
        #expect(code.facts.first?.text.hasPrefix("⟨U+202E⟩") == true)
        #expect((code.facts.first?.text.count ?? 0) <= 210)
    }
}
