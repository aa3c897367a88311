import Bluetooth
import ByteCoding
package import CommandProgram
import CryptoSuite
import Radio
package import Terminal
import Tuvali
import TuvaliHandover
import VirtualRadio

/// `symbolon demo`: wallet and verifier on an air of this process.
package enum HandoverDemoCommand {
    /// The credential that is sent when none is named and this file exists.
    private static let example = "Examples/credentials/national-id.json"

    private static let payload = ValueOption(
        "payload", .path("FILE"), "The file to hand over instead of a sample credential.")
    private static let seed = ValueOption("seed", .seed("N"), "The seed of the simulated radio.")

    private static let phone = FlagOption(
        "phone", "A phone shows a mobile document (ISO/IEC 18013-5) to a reader instead.")

    package static let declaration = CommandDeclaration(
        "demo", "Demonstrates a hand-over in one process, without Bluetooth.",
        discussion: [
            "A wallet and a verifier meet on a simulated air that is paced like a real one. Real ATT packets cross; "
                + "--capture writes them to a file that Wireshark opens."
        ],
        examples: [
            .init("symbolon demo", "Hands over a sample credential of about 60 kB."),
            .init(
                "symbolon demo --link phone-4.2 --link-loss 5%", "The same over an old phone's link that loses chunks."),
            .init("symbolon demo --capture demo.btsnoop", "Keeps the packets."),
        ],
        options: [
            payload.declaration, seed.declaration, phone.declaration, HandOverRequest.file.declaration,
            HandOverRequest.ask.declaration,
        ]
            + RadioSetup.ownAirOptions)

    package static let run: Program.Body = { context in
        let arguments = context.arguments
        guard !arguments[phone] else { return try await playPhone(context) }
        let (name, bytes) = try credential(arguments)
        let setup = try RadioSetup(arguments)
        var entropy = SystemRandom()
        let luck = UInt64(bigEndianBytes: entropy.bytes(count: 8))
        let air = try await context.environment.openAir(.private(seed: arguments[seed] ?? luck))
        let console = context.console
        console.say(console.palette("A wallet hands a credential to a verifier, on a simulated air.", .bold))
        do {
            let wallet = try await air.makeRadio(setup.configuration)
            let verifier = try await air.makeRadio(setup.configurationWithoutCapture)
            let requested = try DemoRequest(context, credential: arguments[payload] == nil ? nil : bytes)
            let stage = HandOverDemonstration(
                context: context, setup: setup, payload: bytes, name: name, requested: requested)
            try await stage.play(wallet, verifier)
        } catch {
            await air.close()
            throw error
        }
        await air.close()
    }

    private static func playPhone(_ context: CommandContext) async throws {
        let arguments = context.arguments
        try arguments.exclude(
            [
                payload.declaration, HandOverRequest.ask.declaration, HandOverRequest.file.declaration,
                Options.profile.declaration,
            ], "for wallet and verifier", nextStep: "Leave that out: --phone has a document and a request of its own.")
        let setup = try RadioSetup(arguments)
        var entropy = SystemRandom()
        let seed = arguments[seed] ?? UInt64(bigEndianBytes: entropy.bytes(count: 8))
        let air = try await context.environment.openAir(.private(seed: seed))
        context.console.say(
            context.console.palette("A phone shows a mobile document to a reader, on a simulated air.", .bold))
        do {
            try await PhoneDemonstration(context: context, setup: setup, seed: seed).play(on: air)
        } catch {
            await air.close()
            throw error
        }
        await air.close()
    }

    /// Throws when the received bytes differ from the sent ones, which the protocol excludes.
    ///
    /// - Throws: `demo.copy-differs`.
    static func check(isEqual: Bool) throws(CommandError) {
        guard isEqual else { throw CommandError(.copyDiffers, "The SHA-256 values above differ.") }
    }

    private static func credential(_ arguments: ParsedArguments) throws(CommandError) -> (String, [UInt8]) {
        let limit = SendCommand.maximumBytes
        if let path = arguments[payload] {
            let bytes = try BoundedFile.read(path, limit: limit)
            guard !bytes.isEmpty else { throw CommandError(.inputEmpty, "The file is empty.") }
            return (TerminalText.sanitised(path, limit: 50), bytes)
        }
        if POSIXFile.exists(example) { return (example, try BoundedFile.read(example, limit: limit)) }
        return ("a sample credential", SampleCredential.bytes)
    }
}

/// Runs the wallet and the verifier of the demonstration in one process.
private struct HandOverDemonstration: Sendable {
    let context: CommandContext
    let setup: RadioSetup
    let payload: [UInt8]
    let name: String
    /// The request of the verifier and the wallet that answers it; nil without one.
    let requested: DemoRequest?

    private var console: Console { context.console }

    /// Runs both sides, then shows the receipt.
    func play(_ walletRadio: VirtualRadio, _ verifierRadio: VirtualRadio) async throws {
        let (codes, shown) = AsyncStream.makeStream(of: TuvaliURI.self)
        async let received = verify(verifierRadio, shown)
        async let sent = handOver(walletRadio, codes)
        let (verifier, wallet) = try await (received, sent)
        try receipt(verifier, wallet)
    }

    private func verify(
        _ radio: VirtualRadio, _ shown: AsyncStream<TuvaliURI>.Continuation
    ) async throws -> VerifierRun.Outcome {
        var configuration = VerifierConfiguration()
        configuration.profile = setup.profile ?? .tuvali05
        configuration.advertisingWait = .seconds(60)
        let reporter = HandoverReporter(.verifier, context, isOneOfTwo: true)
        let side = VerifierRun(
            reporter: reporter, session: 1, name: "DEMO", configuration: configuration, context: context,
            asked: requested?.asked)
        return try await side.run(
            on: radio,
            announce: { uri in
                let engagement = EngagementCode(uri: uri, reporter: context.reporter)
                reporter.say("I am \(uri.name) and wait for a wallet; my check words are")
                reporter.say(engagement.words)
                console.say(uri.text)
                try engagement.showQRCode(hint: "A larger window shows it.")
                shown.yield(uri)
                shown.finish()
            },
            decide: { payload in
                guard let requested else { return .accepted }
                return try requested.decide(payload, reporter, context)
            })
    }

    private func handOver(_ radio: VirtualRadio, _ codes: AsyncStream<TuvaliURI>) async throws -> WalletRun.Outcome {
        for await uri in codes {
            let reporter = HandoverReporter(.wallet, context, isOneOfTwo: true)
            reporter.say("I scan the code and look for the verifier with this key.")
            let side = WalletRun(
                reporter: reporter, configuration: WalletConfiguration(), context: context,
                answering: requested?.answering(reporter, context))
            return try await side.run(on: radio, to: uri, payload: payload)
        }
        throw CancellationError()
    }

    private func receipt(_ verifier: VerifierRun.Outcome, _ wallet: WalletRun.Outcome) throws {
        let reporter = context.reporter
        let palette = console.outputPalette
        let isEqual = requested == nil ? verifier.payload?.bytes == payload : verifier.payload?.digest == wallet.digest
        let status = wallet.status == .accepted ? palette("accepted", .green) : palette("rejected", .red)
        func put(_ label: String, _ value: String) {
            reporter.put("  " + palette(TerminalText.padded(label, to: 12), .dim) + value)
        }
        reporter.put(palette("Receipt", .bold))
        put("decision", status)
        if let requested {
            put("request", "verifier " + (try requested.digest(of: verifier)))
            put("", "wallet   " + requested.digest(of: wallet))
            put("answer", NumberText.bytes(verifier.payload?.bytes.count ?? 0))
        } else {
            put("credential", "\(name), \(NumberText.bytes(payload.count))")
        }
        put("sent", wallet.digest)
        put("received", verifier.payload?.digest ?? "–")
        put("SHA-256", isEqual ? palette("equal on both sides", .green) : palette("different", .red))
        if let report = wallet.report {
            reporter.put(palette("Link", .bold) + palette("  \(setup.linkName ?? "phone-5"), simulated", .dim))
            for row in LinkReportText.rows(report, dropped: verifier.report?.statistics.droppedByHost) {
                put(row.label, row.value)
            }
        }
        try HandoverDemoCommand.check(isEqual: isEqual)
    }
}
