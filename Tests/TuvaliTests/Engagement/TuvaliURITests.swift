import ByteCoding
import TestSupport
import Testing
import Tuvali

@Suite struct TuvaliURITests {
    static let digits = Hex.encode(Samples.verifierPublicKey)
    static let documented = "OPENID4VP://connect?name=STADONENTRY&key=\(digits)"

    private func code(of text: String) -> TuvaliError.Code? {
        do {
            _ = try TuvaliURI(parsing: text)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `the documented sample of a Tuvali URI is read and written unchanged`() throws {
        let uri = try TuvaliURI(parsing: Self.documented)
        #expect(uri.name == "STADONENTRY")
        #expect(uri.key == Samples.verifierPublicKey)
        #expect(uri.text == Self.documented)
        #expect(uri.spelling == .plain)
    }

    @Test func `a Tuvali URI spelled with a colon is read, and written without it`() throws {
        let uri = try TuvaliURI(parsing: "OPENID4VP://connect:?name=STADONENTRY&key=\(Self.digits)")
        #expect(uri.text == Self.documented)
        #expect(uri.spelling == .withColon)
        #expect(try uri == TuvaliURI(parsing: Self.documented))
    }

    @Test(arguments: [
        "OPENID4VP://connect?key=\(digits)&name=STADONENTRY",
        "OPENID4VP://connect?name=STADONENTRY&extra=1&key=\(digits)",
        "OPENID4VP://connect?name=STADONENTRY&key=\(digits)#part",
        "OPENID4VP://connect/?name=STADONENTRY&key=\(digits)",
        "  OPENID4VP://connect?name=STADONENTRY&key=\(digits)\n",
        "OPENID4VP://connect?name=%53TADONENTRY&key=\(digits.uppercased())",
    ])
    func `parameter order, unknown parameters, fragments, white space and case of digits do not matter in a URI`(
        text: String
    ) throws {
        #expect(try TuvaliURI(parsing: text).text == Self.documented)
    }

    /// U+0301 makes one character of Swift's with the sign before it.
    @Test func `a combining mark after a delimiter of a URI belongs to the value`() throws {
        let uri = try TuvaliURI(parsing: "OPENID4VP://connect?name=\u{301}A&key=\(Self.digits)")
        #expect(Array(uri.name.utf8) == Array("\u{301}A".utf8))
    }

    @Test(arguments: [
        "", "hello", "https://example.org", "openid4vp://authorize?x=1", "openid4vp://connect?name=A&key=\(digits)",
        "OPENID4VP://authorize?name=A&key=\(digits)", "OPENID4VP:connect?name=A&key=\(digits)",
        "OPENID4VP://connect::?name=A&key=\(digits)", "{\"cid\":\"ilB8l\",\"pk\":\"4f56\"}",
    ])
    func `text of another scheme, case or authority is not taken for a Tuvali URI`(text: String) {
        #expect(code(of: text) == .uriNotTuvali)
    }

    @Test(
        .shows("TUV-080"),
        arguments: [
            ("OPENID4VP://connect", TuvaliError.Code.uriMalformed),
            ("OPENID4VP://connect?name=%zz&key=\(digits)", .uriMalformed),
            ("OPENID4VP://connect?name=%4&key=\(digits)", .uriMalformed),
            ("OPENID4VP://connect?name=%ff&key=\(digits)", .uriMalformed),
            ("OPENID4VP://connect?name=A&name=B&key=\(digits)", .uriMalformed),
            ("OPENID4VP://connect?name=A&key=\(digits)&key=\(digits)", .uriMalformed),
            ("OPENID4VP://connect?key=\(digits)", .uriMissingName),
            ("OPENID4VP://connect?name=&key=\(digits)", .uriMissingName),
            ("OPENID4VP://connect?name=A", .uriMissingKey),
            ("OPENID4VP://connect?name=A&key=", .uriMissingKey),
            ("OPENID4VP://connect?name=A&key=\(digits.dropLast())", .uriBadKey),
            ("OPENID4VP://connect?name=A&key=\(digits.dropLast(2))", .uriBadKey),
            ("OPENID4VP://connect?name=A&key=\(digits)00", .uriBadKey),
            ("OPENID4VP://connect?name=A&key=\(digits.dropLast())g", .uriBadKey),
        ])
    func `each defect of a Tuvali URI has its own code, and the documented wire code`(
        text: String, expected: TuvaliError.Code
    ) {
        #expect(code(of: text) == expected)
        #expect(expected.wireCode == .invalidURI)
    }

    @Test func `a verifier name of fourteen bytes fits an advertisement and one of fifteen is refused`() throws {
        #expect(try TuvaliURI(name: "ABCDEFGHIJKLMN", key: Samples.verifierPublicKey).name.utf8.count == 14)
        #expect(throws: TuvaliError(.uriBadName, "")) {
            try TuvaliURI(name: "ABCDEFGHIJKLMNO", key: Samples.verifierPublicKey)
        }
        #expect(throws: TuvaliError(.uriBadKey, "")) { try TuvaliURI(name: "A", key: [1, 2, 3]) }
    }

    @Test func `a Tuvali URI of 1,024 bytes is read and one byte more refused`() {
        let padding = Self.documented + "&x="
        let atLimit = padding + String(repeating: "a", count: 1024 - padding.utf8.count)
        #expect(code(of: atLimit) == nil)
        #expect(code(of: atLimit + "a") == .uriMalformed)
    }

    @Test func `names other than letters and digits are percent-encoded in a URI, a space never as a plus`() throws {
        for name in ["A B", "Zoé", "a+b", "50%", "a&b=c", "#1?"] {
            let uri = try TuvaliURI(name: name, key: Samples.verifierPublicKey)
            #expect(!uri.text.contains(" ") && !uri.text.contains("+"))
            #expect(try TuvaliURI(parsing: uri.text) == uri)
        }
    }
}
