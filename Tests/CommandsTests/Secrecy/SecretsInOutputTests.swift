import ByteCoding
import CommandTestSupport
import CryptoSuite
import Foundation
import Terminal
import TestSupport
import Testing

/// Whatever a command writes, on either stream and in any mode, holds no key, no nonce and nothing of a payload.
@Suite struct SecretsInOutputTests {
    /// The modes in which commands write: for people, for people at a terminal, for programs.
    static let modes: [(options: [String], isTerminal: Bool)] = [([], false), ([], true), (["--json"], false)]

    private func setup(_ secrets: WatchedSecrets, isTerminal: Bool) -> CommandRun.Setup {
        var setup = CommandRun.Setup()
        setup.isTerminal = isTerminal
        setup.answers = ["y", "y"]
        setup.makeRandom = { secrets.makeRandom() }
        return setup
    }

    private func expectNoLeak(_ secrets: WatchedSecrets, payload: [UInt8], in text: String) throws {
        #expect(!text.isEmpty)
        for secret in try secrets.drawn + secrets.derived {
            #expect(SecretSearch.leaks(of: secret, in: text) == [])
        }
        #expect(SecretSearch.leaks(of: payload, in: text) == [])
    }

    @Test(.shows("T11"), arguments: modes.indices)
    func `a demonstration prints no key, nonce or payload`(mode: Int) async throws {
        let (options, isTerminal) = Self.modes[mode]
        let secrets = WatchedSecrets()
        let handOver = try HandOver()
        let file = try handOver.file(bytes: 300)
        let run = await CommandRun.run(
            ["demo", "--payload", file.path] + options, setup(secrets, isTerminal: isTerminal))
        #expect(run.status == 0, "\(run.talk)")
        #expect(secrets.privateKeys.count == 2)
        try expectNoLeak(secrets, payload: file.content, in: run.output + run.talk)
    }

    @Test(.shows("T11"), arguments: modes.indices)
    func `receive and send print no key, nonce or payload`(mode: Int) async throws {
        let (options, isTerminal) = Self.modes[mode]
        let secrets = WatchedSecrets()
        let handOver = try HandOver()
        let file = try handOver.file(bytes: 300)
        let verifier = setup(secrets, isTerminal: isTerminal)
        let line = ["receive", "--out", "\(handOver.folder.path)/inbox", "--air", handOver.airPath] + options
        let receiving = Task { await CommandRun.run(line, verifier) }
        let uri = try await code(in: verifier.output)
        let sent = await handOver.send(file.path, to: uri, options, setup(secrets, isTerminal: isTerminal))
        let received = await receiving.value
        #expect(sent.status == 0 && received.status == 0, "\(sent.talk) \(received.talk)")
        #expect(secrets.privateKeys.count >= 2)
        let text = [sent, received].map { $0.output + $0.talk }.joined()
        try expectNoLeak(secrets, payload: file.content, in: text)
    }

    @Test(.shows("T11")) func `a transfer that fails prints no key, nonce or payload`() async throws {
        let secrets = WatchedSecrets()
        let handOver = try HandOver()
        let file = try handOver.file(bytes: 5000)
        let run = await CommandRun.run(
            ["demo", "--payload", file.path, "--link-loss", "100%"], setup(secrets, isTerminal: false))
        #expect(run.status != 0)
        try expectNoLeak(secrets, payload: file.content, in: run.output + run.talk)
    }

    @Test func `a planted secret in the output is detected in any encoding`() {
        let secret = Array(UInt8(100)..<132)
        let writings = [
            Hex.encode(secret), Hex.encode(secret).uppercased(), "\(secret)", "\(secret[9..<20])",
            Hex.encode(secret[5..<13]), Base64.encode(secret), Base64URL.encode(secret), Base64.encode([1] + secret),
            Base64.encode([1, 2] + secret), String(decoding: secret, as: UTF8.self),
        ]
        for text in writings { #expect(SecretSearch.leaks(of: secret, in: "x \(text) y") != [], "\(text)") }
        #expect(SecretSearch.leaks(of: secret, in: "SHA-256 " + Hex.encode(SHA256.hash(secret))) == [])
    }

    /// The code that `receive` shows, whatever the mode.
    private func code(in sink: MemorySink) async throws -> String {
        for _ in 0..<6000 {
            if let range = sink.text.range(of: "OPENID4VP://[^\"\\s]+(?=[\"\\s])", options: .regularExpression) {
                return String(sink.text[range])
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw CancellationError()
    }
}
