import ByteCoding
import CodeReader
import CommandTestSupport
import CryptoSuite
import Foundation
import JSON
import TestSupport
import Testing

@Suite struct CodeCommandTests {
    /// A folder that is removed with this object.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

        deinit { try? FileManager.default.removeItem(at: url) }

        func path(_ name: String) -> String { url.appending(path: name).path() }

        func write(_ text: String, _ name: String) throws -> String {
            try Data(text.utf8).write(to: url.appending(path: name))
            return path(name)
        }
    }

    /// The text of a CBOR Web Token of https://id.example with the key k1 and a signature of zeros, in hexadecimal.
    private static let token: String = {
        let payload: [UInt8] = [0xA1, 0x01, 0x72] + "https://id.example".utf8
        let header: [UInt8] = [0xD2, 0x84, 0x43, 0xA1, 0x01, 0x27, 0xA1, 0x04, 0x42] + "k1".utf8
        return Hex.encode(header + [0x55] + payload + [0x58, 0x40] + [UInt8](repeating: 0, count: 64))
    }()

    private static let document =
        #"{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiableCredential"],"#
        + #""issuer":"https://a.example","credentialSubject":{"name":"Ada"}}"#

    @Test func `the text of a drawn code is verified as the credential in it`() async throws {
        let folder = try Folder()
        let credential = try folder.write(Self.document, "c.json")
        let drawn = await CommandRun.run(["code", credential, "--text"])
        #expect(drawn.status == 0)
        let code = try folder.write(drawn.output, "code.txt")
        let (own, coded) = (
            await CommandRun.run(["verify", credential, "--json"]), await CommandRun.run(["verify", code, "--json"])
        )
        #expect(coded.status == own.status)
        let line = try JSONValue(parsing: Array(coded.lines[0].utf8))
        #expect(line["format"] == "json-ld")
        #expect(line["checks"] == (try JSONValue(parsing: Array(own.lines[0].utf8)))["checks"])
        #expect(line["layers"]?.array?.compactMap { $0["kind"]?.string } == ["base45", "zlib", "json-as-cbor"])
    }

    @Test func `a code is drawn as a picture, and says that it shows no holder when it is verified`() async throws {
        let folder = try Folder()
        let credential = try folder.write(Self.document, "c.json")
        let run = await CommandRun.run(["code", credential, "--qr-file", folder.path("c.png")])
        #expect(run.status == 0)
        #expect(FileManager.default.fileExists(atPath: folder.path("c.png")))
        let code = try folder.write(await CommandRun.run(["code", credential, "--text"]).output, "code.txt")
        let verified = await CommandRun.run(["verify", code])
        #expect(
            verified.output.contains("holder: not shown by a code: compare the picture and the data with the person"))
    }

    @Test(.enabled(if: CodeReader.isAvailable, "zxing-cpp and libturbojpeg are not installed"))
    func `a picture of a drawn code is verified as the credential in it`() async throws {
        let folder = try Folder()
        let credential = try folder.write(Self.document, "c.json")
        _ = await CommandRun.run(["code", credential, "--qr-file", folder.path("c.png")])
        let (own, pictured) = (
            await CommandRun.run(["verify", credential, "--json"]),
            await CommandRun.run(["verify", folder.path("c.png"), "--json"])
        )
        #expect(pictured.status == own.status)
        let (first, second) = try (
            JSONValue(parsing: Array(own.lines[0].utf8)), JSONValue(parsing: Array(pictured.lines[0].utf8))
        )
        #expect(first["checks"] == second["checks"])
        #expect(await CommandRun.run(["inspect", folder.path("c.png")]).output.contains("base45"))
    }

    @Test func `a picture of a kind that is not read is told by its kind`() async throws {
        let folder = try Folder()
        let run = await CommandRun.run(["verify", try folder.write("%PDF-1.7", "card.png")])
        #expect(run.code == "picture.format")
        #expect(run.words.contains("This is a PDF"))
    }

    @Test func `a credential that is too large for a scanner is not drawn, and a file that is none neither`()
        async throws
    {
        let folder = try Folder()
        let noise = (0..<200).map { Hex.encode(SHA256.hash([UInt8($0)])) }.joined()
        let large = try folder.write(Self.document.replacingOccurrences(of: "Ada", with: noise), "large.json")
        let run = await CommandRun.run(["code", large])
        #expect(run.status != 0)
        #expect(run.code == "qr.too-long")
        #expect(run.words.contains("more than scanners read"))
        let text = await CommandRun.run(["code", try folder.write("hello", "hello.txt")])
        #expect(text.code == "input.not-recognised")
    }

    @Test func `trust add takes a folder of signers, and refuses a private key and a file that is none`() async throws {
        let folder = try Folder()
        let trust = folder.path("trust.txt")
        try FileManager.default.createDirectory(atPath: folder.path("signers"), withIntermediateDirectories: true)
        let vectors = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Vectors/credentials/trust").standardizedFileURL
        let names = try FileManager.default.contentsOfDirectory(atPath: vectors.path()).sorted()
        let der = try #require(
            names.lazy.filter { $0.hasSuffix(".der") }.compactMap { try? Data(contentsOf: vectors.appending(path: $0)) }
                .first { (try? Certificate(der: [UInt8]($0))) != nil })
        try der.write(to: folder.url.appending(path: "signers/a.der"))
        let add = ["trust", "add", folder.path("signers"), "--for", "health-certificates", "--trust", trust, "--yes"]
        #expect(await CommandRun.run(add).status == 0)
        #expect(try String(contentsOfFile: trust, encoding: .utf8).contains("signers signers.pem"))
        let doubled = await CommandRun.run(add)
        #expect(doubled.status != 0)
        #expect(doubled.code == "trust.doubled")
        try Data("-----BEGIN PRIVATE KEY-----".utf8).write(to: folder.url.appending(path: "signers/b.pem"))
        #expect(await CommandRun.run(add).code == "trust.private-key")
        try Data("hello".utf8).write(to: folder.url.appending(path: "signers/b.pem"))
        #expect(await CommandRun.run(add).code == "trust.not-recognised")
    }

    @Test func `trust add of a code names its issuer and what to ask for, and adds nothing`() async throws {
        let folder = try Folder()
        let token = try folder.write(Self.token, "code.txt")
        let run = await CommandRun.run(["trust", "add", token, "--trust", folder.path("trust.txt"), "--yes"])
        #expect(run.status != 0)
        #expect(run.words.contains("a code of https://id.example"))
        #expect(run.words.contains("symbolon trust add FILE --issuer https://id.example"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("trust.txt")))
    }

    @Test func `a key for decryption that every user can read is refused`() async throws {
        let folder = try Folder()
        _ = try folder.write("000102030405060708090a0b0c0d0e0f", "key")
        let trust = try folder.write("aes-key key\n", "trust.txt")
        let code = try folder.write(Self.token, "code.txt")
        chmod(folder.path("key"), 0o644)
        let open = await CommandRun.run(["verify", code, "--trust", trust])
        #expect(open.code == "input.not-readable")
        chmod(folder.path("key"), 0o600)
        let closed = await CommandRun.run(["verify", code, "--trust", trust])
        #expect(closed.code == "verify.not-checked")
    }
}
