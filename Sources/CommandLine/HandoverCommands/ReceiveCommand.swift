import CodedErrors
package import CommandProgram
import Credentials
import Determinism
import Radio
package import Terminal
import Tuvali
import TuvaliHandover

/// `symbolon receive`: the verifier's side, which stores received credentials.
package enum ReceiveCommand {
    /// The source of the decision about a credential: the user, or an option.
    enum DecisionSource: String, CaseIterable, Sendable {
        case ask
        case always
        case never
    }

    private static let out = ValueOption("out", .path("DIR"), "The folder for what arrives.")
    private static let phone = FlagOption(
        "phone", "Reads a mobile document (ISO/IEC 18013-5) of the phone whose code you scan.")
    private static let code = Operand(
        .text("CODE|-"), "With --phone: the text of the phone's code, or - for standard input.", arity: .optional)
    private static let accept = ValueOption(
        "accept", .choice("WHO", DecisionSource.allCases.map { ($0.rawValue, $0) }),
        "Who accepts what arrives (ask on a terminal, else always).")
    private static let count = ValueOption(
        "count", .integer("N", in: 1...1_000_000),
        "How many wallets are served, each with a new key and code; one that breaks off does not count.")

    private static let checks = FlagOption(
        "check", "Verifies what arrives as symbolon verify does, before it is accepted.")
    private static let trust = ValueOption(
        "trust", .path("FILE"), "The trust file that --check goes by (that of symbolon trust).")

    fileprivate static let solicitedOnly = FlagOption(
        "no-unsolicited-reports", "Sends no report that the wallet did not ask for.")

    private static let phoneOptions = [
        PhoneOptions.retained.declaration, PhoneOptions.mode.declaration, PhoneOptions.readerKey.declaration,
        PhoneOptions.readerCertificate.declaration,
    ]

    package static let declaration = CommandDeclaration(
        "receive", "Shows a QR code, waits for a wallet, and saves what it sends.",
        discussion: [
            "The code serves one hand-over; without --count the command ends with it. A file appears in the folder only when it is complete and unaltered, "
                + "readable by its owner only, and never in the place of another. --check verifies what the credential "
                + "says: then --accept always rejects what is not genuine.",
            "Before it asks, it shows what arrived: type, issuer, name, dates, pictures, and what the check found. Enter "
                + "accepts what is genuine, and rejects everything else. The exit status is 14 when what arrived was "
                + "rejected.",
            "Without --json, standard output has the URI of each hand-over and the path of each file.",
            "With --phone the phone shows the code: it is given, comes from standard input as a scanner types it, or is "
                + "asked for. --ask names presets (over-18 with any age, identity, driving, portrait, name, birth-date) "
                + "or elements of licences and of person identification data. The verdict is that of symbolon verify, "
                + "with the proof that this phone holds the document. --out keeps the elements of --retain alone.",
        ],
        examples: [
            .init("symbolon receive --out inbox", "Waits for one wallet, and asks before accepting."),
            .init(
                "symbolon receive --out inbox --accept always --count 20 --json", "Serves twenty wallets for a script."),
            .init("symbolon receive --out inbox --qr-file code.svg", "Shows the code in a browser instead."),
            .init("symbolon receive --phone --ask over-18,portrait", "Asks the phone whose code is scanned next."),
        ],
        options: [
            out.declaration, accept.declaration, count.declaration, checks.declaration, trust.declaration,
        ] + HandOverRequest.options + [
            Options.name.declaration,
            Options.timeout.declaration, Options.qrFile.declaration, Options.verbose.declaration,
        ]
            + ([phone.declaration] + phoneOptions).under(PhoneOptions.heading)
            + [solicitedOnly.declaration].under(RadioSetup.spoken) + RadioSetup.options,
        operands: [code.declaration])

    package static let run: Program.Body = { context in
        let arguments = context.arguments
        guard !arguments[phone] else { return try await readPhones(context) }
        guard arguments[code] == nil else {
            throw UsageError(
                .conflict, "A code is given to read a phone.", nextStep: "Add --phone, or leave the code out.")
        }
        try arguments.exclude(phoneOptions, "for phones", nextStep: "Add --phone.")
        let folder = try arguments.required(out)
        try QRCodeOutput.checkPicture(arguments[Options.qrFile])
        let acceptance = try acceptance(context)
        try ReceivedFileWriter.makeFolder(folder)
        let verification = try verification(context)
        let setup = try RadioSetup(arguments)
        let source = try await RadioSource.open(.verifier, setup, context)
        let queue = VerifierLoop(
            context: context, setup: setup, source: source, folder: folder, acceptance: acceptance,
            verification: verification)
        let asked = try queue.askedRequest()
        guard asked != nil || !arguments[HandOverRequest.requireAnswer] else {
            throw UsageError(
                .conflict, "--require-answer is for a request.", nextStep: "Add --ask or --request.")
        }
        try asked?.check()
        do {
            try await queue.serve(arguments[count])
        } catch {
            await source.close()
            throw error
        }
        await source.close()
    }

    private static func readPhones(_ context: CommandContext) async throws {
        let arguments = context.arguments
        try arguments.exclude(
            [
                accept.declaration, Options.qrFile.declaration, Options.name.declaration, Options.timeout.declaration,
                Options.verbose.declaration, HandOverRequest.key.declaration,
                HandOverRequest.requireAnswer.declaration, solicitedOnly.declaration, Options.profile.declaration,
            ], "for wallets that scan a code here", nextStep: "Leave that out with --phone.")
        // Nothing that a phone showed stays after its session, unless it is kept.
        context.environment.wipeFreedMemory()
        let receiving = try PhoneReceiving(
            context, code: arguments[code], folder: arguments[out], trustFile: arguments[trust])
        let setup = try RadioSetup(arguments)
        let source = try await RadioSource.open(.verifier, setup, context)
        do {
            try await receiving.serve(arguments[count], from: source, setup)
        } catch {
            await source.close()
            throw error
        }
        await source.close()
    }

    /// Reads the policy and the trust to verify with, except the time; nil without `--check`.
    private static func verification(_ context: CommandContext) throws -> (VerificationPolicy, TrustStore)? {
        let arguments = context.arguments
        guard arguments[checks] else {
            guard arguments[trust] == nil else {
                throw UsageError(.conflict, "--trust is for --check.", nextStep: "Add --check, or leave --trust out.")
            }
            return nil
        }
        var policy = VerificationPolicy()
        let loaded = try TrustFileReader.loadUsual(arguments[trust], context, into: &policy)
        loaded.report(context.reporter)
        return (policy, loaded.store)
    }

    private static func acceptance(_ context: CommandContext) throws(UsageError) -> DecisionSource {
        let choice = context.arguments[accept]
        guard choice == .ask, !context.console.canAsk else {
            return choice ?? (context.console.canAsk ? .ask : .always)
        }
        throw UsageError(
            .conflict, "There is no terminal on which to ask.", nextStep: "Use --accept always or --accept never.")
    }
}

/// Serves one wallet after the other with one radio.
private struct VerifierLoop: Sendable {
    let context: CommandContext
    let setup: RadioSetup
    let source: RadioSource
    let folder: String
    let acceptance: ReceiveCommand.DecisionSource
    let verification: (policy: VerificationPolicy, trust: TrustStore)?
    private let screen = EngagementScreen()

    private var console: Console { context.console }

    /// Serves `count` wallets, or one code where no number was given.
    ///
    /// A wallet counts once its payload has arrived. One that breaks off before is reported, and the next code is
    /// shown; what is refused after its arrival is reported too, and decides the exit status. The run ends when no
    /// wallet comes in time.
    func serve(_ count: Int?) async throws {
        var first: (any Error)?
        var (session, served) = (0, 0)
        while served < count ?? 1 {
            session += 1
            let hasArrived = Lock(false)
            do {
                try await handOver(session, place: served + 1, of: count ?? 1, hasArrived)
                served += 1
            } catch {
                let failure = CommandFailure(error)
                let isServed = hasArrived.withLock { $0 }
                guard count != nil, !Task.isCancelled, isServed || isWalletsFault(error),
                    ![.permission, .interrupted, .usage].contains(failure.exitClass)
                else { throw error }
                if isServed {
                    served += 1
                    first = first ?? error
                }
                guard served < count ?? 1 else { break }
                console.clearTransient()
                if failure.exitClass != .credentialRejected { context.reporter.fail(failure) }
            }
        }
        if let first { throw first }
    }

    /// True when a wallet ended its session early, so that the next one can be served.
    private func isWalletsFault(_ error: any Error) -> Bool {
        guard let error = error as? TuvaliError else { return false }
        return switch error.code {
        case .verifierNobodyCame, .verifierRadioFailed, .sessionInternal, .sessionMisused: false
        default: true
        }
    }

    private var configuration: VerifierConfiguration {
        var configuration = VerifierConfiguration()
        configuration.profiles = setup.profile.map { [$0] } ?? WireProfile.allCases
        if context.arguments[ReceiveCommand.solicitedOnly] { configuration.unsolicitedReportLimit = 0 }
        configuration.advertisingWait = context.arguments[Options.timeout] ?? .seconds(600)
        configuration.requiresAnswer = context.arguments[HandOverRequest.requireAnswer]
        return configuration
    }

    private func handOver(
        _ number: Int, place: Int, of count: Int, _ hasArrived: Lock<Bool>
    ) async throws {
        let radio = try await source.makeRadio(setup)
        let configuration = self.configuration
        let reporter = HandoverReporter(.verifier, context)
        let asked = try askedRequest()
        let side = VerifierRun(
            reporter: reporter, session: number, name: context.arguments[Options.name] ?? "SYMBOLON",
            configuration: configuration, context: context, asked: asked
        ) { screen.showTaken(console) }
        do {
            let outcome = try await side.run(
                on: radio, announce: { try invite($0, place, of: count, configuration) },
                decide: { payload in
                    hasArrived.withLock { $0 = true }
                    return try await decide(payload, asked, number, reporter)
                })
            if let report = outcome.report { reporter.figures(report, context) }
            if outcome.status == .rejected { throw CommandError(.arrivalRejected, "It was rejected here.") }
        } catch {
            await radio.close()
            throw error
        }
        await radio.close()
    }

    private func invite(
        _ uri: TuvaliURI, _ number: Int, of count: Int, _ configuration: VerifierConfiguration
    ) throws {
        let engagement = EngagementCode(uri: uri, reporter: context.reporter)
        let picture = context.arguments[Options.qrFile]
        if let picture { try engagement.writePicture(picture) }
        let which = count > 1 ? " (\(number) of \(count))" : ""
        if picture == nil, screen.show(engagement, which, source, configuration, console) {
            return context.reporter.put(uri.text)
        }
        let name = console.palette(TerminalText.sanitised(uri.name), .bold)
        let profiles = configuration.profiles.map(\.rawValue).joined(separator: " and ")
        console.say("\(name) waits for a wallet\(which), \(profiles).")
        console.say("check words  \(engagement.words)")
        context.reporter.put(uri.text)
        if let picture {
            console.say("The QR code is in \(TerminalText.sanitised(picture)).")
        } else {
            try engagement.showQRCode(hint: "--qr-file code.png writes it as a picture.")
        }
        if console.talkIsTerminal { console.say("Press Ctrl-C to stop.") }
    }

    /// The request of the next hand-over; nil without `--request` and `--ask`.
    func askedRequest() throws -> HandOverRequest? {
        try HandOverRequest(
            context.arguments, policy: verification?.policy ?? VerificationPolicy(),
            trust: verification?.trust ?? TrustStore(), random: context.environment.makeRandom())
    }

    /// Verifies the payload that arrived, shows it, and decides; without `--check` credentials need not be genuine.
    ///
    /// A wallet that did not read the request may have sent anything: what lacks a claim that was asked for is accepted
    /// by a person only.
    private func decide(
        _ payload: ReceivedPayload, _ asked: HandOverRequest?, _ number: Int, _ reporter: HandoverReporter
    ) async throws -> VerificationStatus {
        let arrival = try arrived(payload, asked, number, reporter)
        screen.show(arrival, asking: acceptance == .ask, reporter)
        let isGood = arrival.isComplete && (verification == nil || arrival.isGenuine)
        let isAccepted = await accepts(isGood: isGood, byDefault: arrival.isComplete && arrival.isGenuine)
        return try conclude(isAccepted, payload, number, reporter)
    }

    @inline(never)
    private func arrived(
        _ payload: ReceivedPayload, _ asked: HandOverRequest?, _ number: Int, _ reporter: HandoverReporter
    ) throws -> ArrivedCredential {
        let time = context.environment.wallTime()
        let answer = try asked.map {
            try RequestAnswerCheck(asked: $0, reporter: reporter).answer(in: payload, session: number, at: time)
        }
        let arrival = ArrivedCredential(payload, answer: answer, verification: verification, at: time)
        if verification != nil || asked != nil {
            for members in arrival.members(session: number) { reporter.event(.checked, members) }
        }
        return arrival
    }

    /// Stores an accepted credential, and reports the decision.
    ///
    /// An interruption is no decision; a question that ends without an answer, as at the end of the input, rejects. Not
    /// inlined, because the compiler (6.3.1) crashes on the throwing calls beside the question in a release build.
    @inline(never)
    private func conclude(
        _ isAccepted: Bool?, _ payload: ReceivedPayload, _ number: Int, _ reporter: HandoverReporter
    ) throws -> VerificationStatus {
        guard let isAccepted else {
            try Task.checkCancellation()
            reporter.say("The question was not answered: nothing was kept, and the wallet got “rejected”.")
            return .rejected
        }
        guard isAccepted else {
            reporter.say(console.palette("Rejected.", .yellow) + " Nothing was kept.")
            return .rejected
        }
        let path = try ReceivedFileWriter.store(
            payload.bytes, in: folder, stem: "credential-\(payload.digest.prefix(12))",
            suffix: ".\(payload.kind.rawValue)")
        reporter.event(.kept, [.init("session", .integer(number)), .init("path", .string(path))])
        reporter.say(console.palette("Accepted.", .green))
        context.reporter.put(path)
        return .accepted
    }

    /// Decides about a credential by `--accept` or by a question; nil when the question was not answered.
    ///
    /// Without a question only what is good is accepted; `byDefault` is the answer of an empty line.
    private func accepts(isGood: Bool, byDefault: Bool) async -> Bool? {
        switch acceptance {
        case .always: isGood
        case .never: false
        case .ask: await console.ask("Accept it?", fallback: byDefault)
        }
    }
}
