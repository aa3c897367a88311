import CryptoSuite
import Foundation
import TestSupport
import Testing

@testable import Vault

@Suite struct PassphraseSourceTests {
    private func read(
        _ source: PassphraseSource, variables: [String: String] = [:], answer: String? = nil
    ) async throws -> String {
        let secret = try await source.read(variables: variables) { answer.map { Array($0.utf8) } }
        return String(decoding: secret.copyBytes(), as: UTF8.self)
    }

    /// A pipe with `text` in it, closed at the writing end.
    private func withPipe(_ text: String, _ body: (PassphraseSource) async throws -> Void) async throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try pipe.fileHandleForWriting.close()
        try await body(.descriptor(pipe.fileHandleForReading.fileDescriptor))
    }

    @Test func `each spelling of a passphrase source is read, and any other text refused`() {
        #expect(PassphraseSource("file:/a:b") == .file("/a:b"))
        #expect(PassphraseSource("fd:0") == .descriptor(0))
        #expect(PassphraseSource("fd:65535") == .descriptor(65_535))
        #expect(PassphraseSource("env:NAME") == .environment("NAME"))
        #expect(PassphraseSource("prompt") == .prompt)
        for text in [
            "", "secret", "file:", "fd:", "fd:-1", "fd:65536", "fd:x", "env:", "pass:secret", "prompt:", "Env:A",
        ] {
            #expect(PassphraseSource(text) == nil)
        }
    }

    @Test func `a passphrase is the first line of its source without the line end`() async throws {
        for text in ["open sesame", "open sesame\n", "open sesame\r\n", "open sesame\nsecond\n"] {
            try await withPipe(text) { source in
                let text = try await read(source)
                #expect(text == "open sesame")
            }
        }
        #expect(try await read(.environment("A"), variables: ["A": " b "]) == " b ")
        #expect(try await read(.prompt, answer: "typed") == "typed")
    }

    @Test func `a passphrase source without a passphrase fails as missing`() async throws {
        await expectError(.passphraseMissing) { _ = try await read(.environment("A")) }
        await expectError(.passphraseMissing) { _ = try await read(.prompt) }
        try await withPipe("") { source in await expectError(.passphraseMissing) { _ = try await read(source) } }
        await expectError(.passphraseMissing) { _ = try await read(.descriptor(65_535)) }
    }

    @Test func `a passphrase from any source is accepted at its length limits and refused beyond`() async throws {
        let longest = String(repeating: "a", count: VaultKey.maximumPassphraseBytes)
        try await withPipe(longest + "\r\n") { source in
            let text = try await read(source)
            #expect(text == longest)
        }
        try await withPipe(longest + "a\n") { source in
            await expectError(.passphraseLength) { _ = try await read(source) }
        }
        try await withPipe("\n") { source in await expectError(.passphraseLength) { _ = try await read(source) } }
        await expectError(.passphraseLength) { _ = try await read(.environment("A"), variables: ["A": ""]) }
    }

    @Test(.shows("V8")) func `a passphrase file that others can read is refused`() async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/word"
            _ = FileManager.default.createFile(
                atPath: path, contents: Data("word\n".utf8), attributes: [.posixPermissions: 0o600])
            #expect(try await read(.file(path)) == "word")
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            await expectError(.pathPermissions) { _ = try await read(.file(path)) }
            await expectError(.notFound) { _ = try await read(.file("\(folder)/none")) }
        }
    }

    @Test func `waiting for a passphrase on a descriptor can be cancelled`() async throws {
        let pipe = Pipe()
        let source = PassphraseSource.descriptor(pipe.fileHandleForReading.fileDescriptor)
        let task = Task { try await source.read(variables: [:]) { nil } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try pipe.fileHandleForWriting.close()
    }
}
