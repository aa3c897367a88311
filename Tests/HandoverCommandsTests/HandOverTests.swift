import ByteCoding
import CommandTestSupport
import CryptoSuite
import Foundation
import Terminal
import TestSupport
import Testing

@Suite struct HandOverTests {
    @Test func `a file sent by send is stored by receive under the name of its digest`() async throws {
        let handOver = try HandOver()
        let file = try handOver.file()
        let (uri, receiving) = try await handOver.receive()
        let sent = await handOver.send(file.path, to: uri)
        let received = await receiving.value
        #expect(sent.status == 0, "\(sent.talk)")
        #expect(received.status == 0, "\(received.talk)")
        let digest = Hex.encode(SHA256.hash(file.content))
        let name = "credential-\(digest.prefix(12)).json"
        #expect(received.lines == [uri, "\(handOver.folder.path)/inbox/\(name)"])
        #expect(try handOver.folder.names(in: "inbox") == [name])
        #expect(try handOver.folder.read("inbox/\(name)") == file.content)
        #expect(sent.output.isEmpty)
        #expect(sent.talk.contains("Accepted. The verifier has the whole file."))
        #expect(sent.talk.contains(digest))
    }

    @Test(.shows("T2")) func `send names the verifier before it sends, and a no sends nothing`() async throws {
        let handOver = try HandOver()
        let file = try handOver.file()
        var setup = CommandRun.Setup()
        setup.isTerminal = true
        setup.answers = ["n"]
        setup.variables["NO_COLOR"] = "1"
        let run = await handOver.send(file.path, to: SampleInvitation.uri, [], setup)
        #expect(run.status == 130 && run.code == "send.declined")
        #expect(
            run.talk.hasPrefix(
                """
                verifier     STADONENTRY
                check words  bucket armor ladder jungle album oasis
                file         \(TerminalText.sanitised(file.path, limit: 50)), 2.01 kB
                ? Does the verifier's screen show the same six words? Send the file to it? [y/N] \
                error: Nothing was sent: it was declined, or there was nothing to send.

                """), "\(run.talk)")
        #expect(try handOver.folder.names() == ["id.json"])
        setup.answers = []
        let unanswered = await handOver.send(file.path, to: SampleInvitation.uri, [], setup)
        #expect(unanswered.status == 130 && unanswered.code == "send.declined")
    }

    @Test func `send transfers after a yes on the terminal, and receive can ask its operator too`() async throws {
        let handOver = try HandOver()
        let file = try handOver.file()
        var (wallet, verifier) = (CommandRun.Setup(), CommandRun.Setup())
        wallet.isTerminal = true
        wallet.answers = ["y"]
        verifier.isTerminal = true
        verifier.answers = ["yes"]
        let (uri, receiving) = try await handOver.receive([], verifier)
        #expect(await handOver.send(file.path, to: uri, [], wallet).status == 0)
        let received = await receiving.value
        #expect(received.status == 0)
        #expect(received.talk.contains("Accept it?"))
        #expect(received.talk.contains("100 %"))
    }

    @Test func `a verifier that rejects stores nothing and exits with 14, and send exits with 4`() async throws {
        let handOver = try HandOver()
        let file = try handOver.file()
        let (uri, receiving) = try await handOver.receive(["--accept", "never"])
        let sent = await handOver.send(file.path, to: uri)
        #expect(sent.status == 4)
        #expect(sent.code == "send.rejected")
        #expect(await receiving.value.status == 14)
        #expect(try handOver.folder.names(in: "inbox").isEmpty)
    }

    @Test(arguments: [
        (
            "not-checked: credential.format-unknown",
            #"{"name":"a file that is no credential. Nothing is known of it."}"#
        ),
        ("not-checked: credential.format-unknown", "Read this first. It has points."),
        ("refused: credential.", #"{"@context":["https://www.w3.org/ns/credentials/v2"],"credentialSubject":{}}"#),
    ])
    func `receive --check rejects what is not genuine, even with --accept always`(
        verdict: String, content: String
    ) async throws {
        let handOver = try HandOver()
        let path = "\(handOver.folder.path)/sent.json"
        try Data(content.utf8).write(to: URL(filePath: path))
        let (uri, receiving) = try await handOver.receive(["--accept", "always", "--check"])
        let sent = await handOver.send(path, to: uri)
        let received = await receiving.value
        #expect(sent.status == 4)
        #expect(received.talk.contains("The credential is \(verdict)") && received.talk.contains("Rejected."))
        #expect(try handOver.folder.names(in: "inbox").isEmpty)
    }

    @Test(arguments: ["tuvali-0.4", "tuvali-0.5"])
    func `receive serves wallets of either Tuvali profile unless one is named`(profile: String) async throws {
        let handOver = try HandOver()
        let file = try handOver.file()
        let (uri, receiving) = try await handOver.receive()
        let sent = await handOver.send(file.path, to: uri, ["--profile", profile])
        #expect(sent.status == 0, "\(sent.talk)")
        let received = await receiving.value
        #expect(received.status == 0)
        #expect(received.talk.contains("waits for a wallet, tuvali-0.5 and tuvali-0.4."))
    }

    @Test func `a wallet with one Tuvali profile does not find a verifier with the other`() async throws {
        let handOver = try HandOver()
        let file = try handOver.file()
        let (uri, receiving) = try await handOver.receive(["--profile", "tuvali-0.5"])
        let sent = await handOver.send(file.path, to: uri, ["--profile", "tuvali-0.4", "--timeout", "2s"])
        #expect(sent.code == "tuvali.wallet.verifier-not-found")
        receiving.cancel()
        _ = await receiving.value
    }

    @Test func `send reads the verifier's URI from standard input, among other lines`() async throws {
        let handOver = try HandOver()
        let file = try handOver.file()
        let (uri, receiving) = try await handOver.receive()
        let sent = await handOver.send(
            file.path, to: "-", [], .init(input: Array("https://shop.example/\n\n\(uri)\nmore".utf8)))
        #expect(sent.status == 0, "\(sent.talk)")
        _ = await receiving.value
    }

    @Test func `send reads its file from standard input, but not together with the URI`() async throws {
        let handOver = try HandOver()
        let file = try handOver.file()
        let (uri, receiving) = try await handOver.receive()
        #expect(await handOver.send("-", to: uri, [], .init(input: file.content)).status == 0)
        _ = await receiving.value
        let run = await handOver.send("-", to: "-", [], .init(input: file.content))
        #expect(run.status == 2)
        #expect(run.code == "usage.conflict")
    }

    @Test(.shows("TUV-068", "TUV-069", "T13"))
    func `receive --count has a QR code for each transfer, and equal files get different names`() async throws {
        let handOver = try HandOver()
        let file = try handOver.file()
        let setup = CommandRun.Setup()
        let (first, receiving) = try await handOver.receive(["--count", "2"], setup)
        #expect(await handOver.send(file.path, to: first).status == 0)
        let kept = try await setup.output.line(beginningWith: "\(handOver.folder.path)/inbox")
        var second = first
        while second == first {
            try await Task.sleep(for: .milliseconds(20))
            second =
                setup.output.text.split(separator: "\n").last { $0.hasPrefix("OPENID4VP") }.map(String.init) ?? first
        }
        #expect(await handOver.send(file.path, to: second).status == 0)
        let received = await receiving.value
        #expect(received.status == 0)
        #expect(received.lines.count == 4)
        #expect(received.lines.last == kept.replacing(".json", with: "-2.json"))
    }

    @Test func `send and receive show the radio's statistics with --verbose only`() async throws {
        let handOver = try HandOver()
        let file = try handOver.file()
        for options in [[], ["-v"]] {
            let (uri, receiving) = try await handOver.receive(options)
            let sent = await handOver.send(file.path, to: uri, options)
            let received = await receiving.value
            for run in [sent, received] {
                #expect(run.status == 0)
                #expect(run.talk.contains("bottleneck   ") == !options.isEmpty, "\(run.talk)")
            }
        }
    }

    @Test func `a used QR code is reported as stale when other verifiers are near`() async throws {
        let handOver = try HandOver()
        let file = try handOver.file()
        let (_, receiving) = try await handOver.receive(["--timeout", "60s"])
        let run = await handOver.send(file.path, to: SampleInvitation.uri, ["--timeout", "5s"])
        #expect(run.status == 3)
        #expect(run.talk.contains("error: The QR code is stale"))
        #expect(run.code == "tuvali.wallet.stale-uri")
        receiving.cancel()
        let received = await receiving.value
        #expect(received.status == 130)
        #expect(received.code == "run.interrupted")
    }

    @Test func `send to a URI whose verifier is not found fails with verifier-not-found`() async throws {
        let handOver = try HandOver()
        let file = try handOver.file()
        let run = await handOver.send(file.path, to: SampleInvitation.uri, ["--timeout", "300ms"])
        #expect(run.status == 3)
        #expect(run.code == "tuvali.wallet.verifier-not-found")
    }

    @Test func `receive exits with 6 when no wallet comes`() async throws {
        let handOver = try HandOver()
        let run = await CommandRun.run(
            "receive", "--out", "\(handOver.folder.path)/inbox", "--air", handOver.airPath, "--timeout", "200ms")
        #expect(run.status == 6)
        #expect(run.code == "tuvali.verifier.nobody-came")
    }

    @Test func `--accept ask without a terminal, and a QR file with an unknown suffix, are refused`() async throws {
        let handOver = try HandOver()
        let line = ["receive", "--out", "\(handOver.folder.path)/inbox", "--air", handOver.airPath]
        #expect(await CommandRun.run(line + ["--accept", "ask"]).code == "usage.conflict")
        #expect(await CommandRun.run(line + ["--qr-file", "code.gif"]).code == "usage.bad-value")
        #expect(
            await CommandRun.run(line + ["--name", "A name that is too long"]).code == "tuvali.uri.bad-name")
    }

    @Test func `receive --qr-file writes the QR code as an image`() async throws {
        let handOver = try HandOver()
        for ending in ["svg", "png"] {
            let picture = "\(handOver.folder.path)/code.\(ending)"
            let (_, receiving) = try await handOver.receive(["--qr-file", picture])
            let bytes = try handOver.folder.read("code.\(ending)")
            #expect(bytes.starts(with: ending == "svg" ? Array("<".utf8) : [0x89, 0x50, 0x4E, 0x47]))
            receiving.cancel()
            _ = await receiving.value
        }
    }

    @Test func `an empty or missing file to send is refused before the radio is used`() async throws {
        let handOver = try HandOver()
        let empty = try handOver.folder.write("empty", [UInt8]())
        #expect(await handOver.send(empty, to: SampleInvitation.uri).code == "input.empty")
        #expect(await handOver.send("\(empty)-not", to: SampleInvitation.uri).status == 3)
        #expect(await handOver.send(empty, to: "nonsense").code == "tuvali.uri.not-tuvali")
    }

    @Test func `send refuses a second file, and its next step says how to send several`() async throws {
        let handOver = try HandOver()
        let file = try handOver.file()
        let run = await handOver.send(file.path, to: SampleInvitation.uri, [file.path])
        #expect(run.status == 2 && run.code == "usage.unexpected-operand")
        let said = run.talk.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(said.contains("next: Send one file after another, each with a code of its own (receive --count N)"))
    }

    @Test func `a full or forbidden folder makes receive reject the credential with the reason`() async throws {
        let handOver = try HandOver()
        let file = try handOver.file()
        let (uri, receiving) = try await handOver.receive()
        try FileManager.default.removeItem(atPath: "\(handOver.folder.path)/inbox")
        _ = try handOver.folder.write("inbox", [UInt8]())
        #expect(await handOver.send(file.path, to: uri).status == 4)
        let received = await receiving.value
        #expect(received.status == 9)
        #expect(received.code == "output.not-writable")
    }
}
