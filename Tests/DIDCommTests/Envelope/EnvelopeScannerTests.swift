import ByteCoding
import Testing

@testable import DIDComm

@Suite struct EnvelopeScannerTests {
    private func forms() throws -> [String] {
        let envelope = String(decoding: try EnvelopeSamples.anoncrypted(), as: UTF8.self)
        let members = envelope.dropFirst().dropLast().split(separator: ",").map(String.init)
        return [
            envelope, "{" + members.reversed().joined(separator: ",") + "}",
            " {\n\t" + members.joined(separator: " ,\r\n ").replacing("\":\"", with: "\" : \"") + "\n}\n",
            "{" + [members[3], members[0], members[2], members[1]].joined(separator: ",") + "}",
        ]
    }

    @Test func `the envelope scanner reads members in any order and with any white space`() throws {
        for form in try forms() {
            let parts = try #require(EnvelopeScanner.parts(of: Array(form.utf8), limits: .standard))
            #expect(try EnvelopeParts(parsingAnyForm: Array(form.utf8), limits: .standard) == parts)
            #expect(try EnvelopeSamples.open(Array(form.utf8)).plaintext == EnvelopeSamples.message)
        }
    }

    @Test func `an envelope that the fast scanner does not read is opened with the full parser`() throws {
        let envelope = String(decoding: try EnvelopeSamples.anoncrypted(), as: UTF8.self)
        for form in [
            envelope.dropLast() + ",\"more\":{\"a\":[1]}}", envelope.replacing("\"tag\"", with: "\"t\\u0061g\""),
        ] {
            #expect(EnvelopeScanner.parts(of: Array(form.utf8), limits: .standard) == nil)
            #expect(try EnvelopeSamples.open(Array(form.utf8)).plaintext == EnvelopeSamples.message)
        }
    }

    @Test func `an envelope's ciphertext is read in either base 64 alphabet, with and without padding`() throws {
        let parts = try EnvelopeParts(parsing: EnvelopeSamples.authcrypted(), limits: .standard)
        let protected = String(decoding: parts.protectedText, as: UTF8.self)
        let (nonce, cipher, tag) = (parts.nonce, parts.sealed.dropLast(16), parts.sealed.suffix(16))
        for write: ([UInt8]) -> String in [
            { Base64.encode($0) }, { Base64URL.encode($0) }, { Base64URL.encode($0, isPadded: true) },
            { Base64.encode($0).replacing("/", with: "\\/") },
        ] {
            let text =
                "{\"protected\":\"\(protected)\",\"iv\":\"\(write(nonce))\",\"ciphertext\":\"\(write(Array(cipher)))\","
                + "\"tag\":\"\(write(Array(tag)))\"}"
            #expect(try EnvelopeSamples.open(Array(text.utf8)).plaintext == EnvelopeSamples.message)
        }
    }
}
