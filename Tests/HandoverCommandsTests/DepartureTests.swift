import Bluetooth
import CommandTestSupport
import Determinism
import Radio
import Terminal
import Testing
import Tuvali
import TuvaliHandover
import VirtualRadio

/// Wallets that leave while `receive` waits for its operator, or before they identified themselves.
@Suite struct DepartureTests {
    /// Answers a question once a line with `text` was written to the terminal.
    private final class AnswerAfter: LineSource {
        private let text: String
        private let answer: String
        private let talk: MemorySink

        init(_ text: String, _ answer: String, on talk: MemorySink) {
            self.text = text
            self.answer = answer
            self.talk = talk
        }

        func nextLine() async -> String? {
            for _ in 0..<12_000 where !talk.text.contains(text) {
                do { try await Task.sleep(for: .milliseconds(10)) } catch { return nil }
            }
            return talk.text.contains(text) ? answer : nil
        }
    }

    /// A setup whose operator answers when the wallet has left.
    private func operatorWhoWaits(_ answer: String) -> CommandRun.Setup {
        var setup = CommandRun.Setup()
        setup.isTerminal = true
        setup.variables["NO_COLOR"] = "1"
        setup.lineSource = AnswerAfter("The wallet left before the decision", answer, on: setup.talk)
        return setup
    }

    /// Hands `payload` over and leaves as soon as the verifier reported that everything arrived.
    private func walkAway(_ payload: [UInt8], from uri: String, on handOver: HandOver) async throws {
        let air = try await VirtualAir.shared(path: handOver.airPath)
        let wallet = Wallet(radio: try await air.makeRadio(VirtualRadio.Configuration()))
        try await wallet.connect(to: TuvaliURI(parsing: uri))
        for await event in wallet.events {
            switch event {
            case .secureChannelEstablished: try await wallet.send(payload)
            case .sent: await wallet.disconnect()
            default: break
            }
        }
        await air.close()
    }

    /// Identifies a wallet and leaves before it sends anything.
    private func breakOff(from uri: String, on handOver: HandOver) async throws {
        let air = try await VirtualAir.shared(path: handOver.airPath)
        let wallet = Wallet(radio: try await air.makeRadio(VirtualRadio.Configuration()))
        try await wallet.connect(to: TuvaliURI(parsing: uri))
        for await event in wallet.events {
            if case .secureChannelEstablished = event { await wallet.disconnect() }
        }
        await air.close()
    }

    /// The code with this number, counted from 1.
    private func code(_ number: Int, in setup: CommandRun.Setup) async throws -> String {
        for _ in 0..<12_000 {
            let codes = setup.output.text.split(separator: "\n").filter { $0.hasPrefix("OPENID4VP") }
            if codes.count >= number { return String(codes[number - 1]) }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw CancellationError()
    }

    @Test func `a wallet that breaks off does not count for --count, nor decide the exit status`() async throws {
        let handOver = try HandOver()
        let file = try handOver.file()
        let setup = CommandRun.Setup()
        let (first, receiving) = try await handOver.receive(["--count", "2"], setup)
        try await breakOff(from: first, on: handOver)
        for number in [2, 3] {
            #expect(await handOver.send(file.path, to: try code(number, in: setup)).status == 0)
        }
        let received = await receiving.value
        #expect(received.status == 0, "\(received.talk)")
        #expect(received.talk.contains("tuvali.session.peer-disconnected"))
        #expect(try handOver.folder.names(in: "inbox").count == 2)
    }

    @Test func `a wallet that was rejected counts for --count, and decides the exit status`() async throws {
        let handOver = try HandOver()
        let file = try handOver.file()
        let setup = CommandRun.Setup()
        let (first, receiving) = try await handOver.receive(["--count", "2", "--accept", "never"], setup)
        #expect(await handOver.send(file.path, to: first).status == 4)
        #expect(await handOver.send(file.path, to: try code(2, in: setup)).status == 4)
        #expect(await receiving.value.status == 14)
    }

    @Test func `receive without --count ends when its wallet breaks off`() async throws {
        let handOver = try HandOver()
        let (first, receiving) = try await handOver.receive()
        try await breakOff(from: first, on: handOver)
        #expect(await receiving.value.code == "tuvali.session.peer-disconnected")
    }

    @Test func `receive whose last wallet does not come exits with 6, whichever wallets broke off before`() async throws
    {
        let handOver = try HandOver()
        let (first, receiving) = try await handOver.receive(["--count", "1", "--timeout", "2s"])
        try await breakOff(from: first, on: handOver)
        let received = await receiving.value
        #expect(received.code == "tuvali.verifier.nobody-came")
        #expect(received.status == 6)
    }

    @Test func `an operator who accepts after the wallet left keeps the credential, and sees that it left`()
        async throws
    {
        let handOver = try HandOver()
        let file = try handOver.file()
        let (uri, receiving) = try await handOver.receive([], operatorWhoWaits("y"))
        try await walkAway(file.content, from: uri, on: handOver)
        let received = await receiving.value
        #expect(received.status == 0, "\(received.talk)")
        #expect(received.talk.contains("The wallet left before the decision; it will not learn it."))
        #expect(received.talk.contains("Accepted."))
        #expect(!received.talk.contains("Rejected."))
        let names = try handOver.folder.names(in: "inbox")
        #expect(names.count == 1)
        #expect(try names.map { try handOver.folder.read("inbox/\($0)") } == [file.content])
    }

    @Test func `an operator who rejects after the wallet left keeps nothing`() async throws {
        let handOver = try HandOver()
        let file = try handOver.file()
        let (uri, receiving) = try await handOver.receive([], operatorWhoWaits("n"))
        try await walkAway(file.content, from: uri, on: handOver)
        let received = await receiving.value
        #expect(received.status == 14, "\(received.talk)")
        #expect(received.talk.contains("Rejected. Nothing was kept."))
        #expect(try handOver.folder.names(in: "inbox").isEmpty)
    }

    @Test func `an interruption during the question is not shown or sent as a rejection`() async throws {
        let handOver = try HandOver()
        let file = try handOver.file()
        let setup = operatorWhoWaits("y")
        let (uri, receiving) = try await handOver.receive([], setup)
        async let sending = handOver.send(file.path, to: uri)
        for _ in 0..<12_000 where !setup.talk.text.contains("Accept it?") {
            try await Task.sleep(for: .milliseconds(10))
        }
        receiving.cancel()
        let received = await receiving.value
        let sent = await sending
        #expect(received.status == 130)
        #expect(!received.talk.contains("Rejected."))
        #expect(sent.code == "tuvali.wallet.decision-unknown")
        #expect(sent.status == 11)
        #expect(try handOver.folder.names(in: "inbox").isEmpty)
    }

    @Test func `send interrupted while the verifier decides reports that the decision is unknown`()
        async throws
    {
        let handOver = try HandOver()
        let file = try handOver.file()
        let setup = operatorWhoWaits("y")
        let (uri, receiving) = try await handOver.receive([], setup)
        let wallet = CommandRun.Setup()
        let line = ["send", file.path, "--to", uri, "--air", handOver.airPath, "--yes"]
        let sending = Task { await CommandRun.run(line, wallet) }
        for _ in 0..<12_000 where !wallet.talk.text.contains("the verifier decides") {
            try await Task.sleep(for: .milliseconds(10))
        }
        sending.cancel()
        let sent = await sending.value
        #expect(sent.code == "tuvali.wallet.decision-unknown")
        #expect(sent.status == 11)
        #expect(sent.talk.contains("Ask at the desk"))
        #expect(await receiving.value.status == 0)
    }

    @Test func `a wallet that leaves before its Identify message is reported, and the next one is served`()
        async throws
    {
        let handOver = try HandOver()
        let file = try handOver.file()
        let setup = CommandRun.Setup()
        let (uri, receiving) = try await handOver.receive([], setup)
        try await touch(uri, on: handOver)
        for _ in 0..<12_000 where !setup.talk.text.contains("before it identified itself") {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(await handOver.send(file.path, to: uri).status == 0)
        let received = await receiving.value
        #expect(received.status == 0)
        #expect(received.talk.contains("The wallet left before it identified itself; still waiting."))
    }

    @Test func `a device whose ATT MTU is too small is reported with the cause, and a wallet is still served`()
        async throws
    {
        let handOver = try HandOver()
        let file = try handOver.file()
        let setup = CommandRun.Setup()
        let (uri, receiving) = try await handOver.receive([], setup)
        try await touch(uri, mtu: 66, on: handOver)
        _ = try await setup.talk.text(containing: "before it identified itself")
        #expect(await handOver.send(file.path, to: uri).status == 0)
        let received = await receiving.value
        #expect(received.status == 0)
        #expect(received.talk.contains("A device was refused. The wallet's ATT MTU is 66"))
    }

    /// Connects to the verifier of `uri` and disconnects without an Identify.
    private func touch(_ uri: String, mtu: Int? = nil, on handOver: HandOver) async throws {
        let air = try await VirtualAir.shared(path: handOver.airPath)
        let radio = try await air.makeRadio(VirtualRadio.Configuration())
        for try await report in try await radio.scan(services: [WireProfile.tuvali05.service]) {
            let link = try await radio.connect(to: report.address, timeout: .seconds(60))
            if let mtu { _ = try await link.exchangeMTU(mtu) }
            await link.disconnect()
            break
        }
        await air.close()
    }
}
