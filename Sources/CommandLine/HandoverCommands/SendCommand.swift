import ByteCoding
package import CommandProgram
import Credentials
import MobileDocuments
import Radio
package import Terminal
import Tuvali
import TuvaliHandover

/// `symbolon send FILE --to URI`: the wallet's side.
package enum SendCommand {
    /// The largest file that is read, in bytes: the most that verifiers of this program decompress.
    static let maximumBytes = 16 << 20

    private static let file = Operand(
        .path("FILE"), "The file to hand over, or - for standard input; not needed with --wallet or --vault.",
        arity: .optional,
        whenMore: "Send one file after another, each with a code of its own (receive --count N), or one archive of all."
    )
    private static let to = ValueOption(
        "to", .text("URI"), "What the verifier's QR code says, or - to read it from standard input.")
    private static let show = FlagOption(
        "show", "Shows a code by which any reader asks for a mobile document (ISO/IEC 18013-5).")
    private static let vault = ValueOption(
        "vault", .path("FOLDER"),
        "The vault whose mobile documents are shown (that of SYMBOLON_VAULT, or of the settings).")
    static let yes = FlagOption("yes", short: "y", "Sends without asking.")

    private static let showOptions = [
        vault.declaration, PhoneOptions.mode.declaration, PhoneOptions.readerAuthority.declaration,
        Options.qrFile.declaration,
    ]

    package static let declaration = CommandDeclaration(
        "send", "Sends a file to the verifier whose QR code you scanned.",
        discussion: [
            "Before anything is sent, the verifier is named and the check words of its key are shown; compare them with "
                + "those on its screen. On a terminal you are asked; without a terminal the file is sent without asking.",
            "The bytes of the file are sent as they are; a text comes from standard input. A code serves one hand-over "
                + "of one file: for several, or a folder, send one after another, each with a code of its own "
                + "(receive --count N), or one archive of all to a verifier that takes it.",
            "With --show the reader scans a code here, and asks for elements of the documents in your vault, or of that "
                + "in FILE. You see who asks and for what, and say what is sent; without a terminal --yes is needed. "
                + "symbolon mdoc add puts a document into the vault, and symbolon mdoc make makes one for tests.",
            "A copy of single use leaves the vault before its answer leaves the device, and comes back when the "
                + "session fails before that. If this program is killed meanwhile, the copy counts as used.",
        ],
        examples: [
            .init("symbolon send id.json --to URI", "Names the verifier, asks, and sends."),
            .init("symbolon send --show", "Shows a code to a reader, and asks what of the vault may be sent."),
            .init("symbolon send licence.mdoc --show", "The same with the document of a file."),
            .init("zbarimg -q --raw photo.png | symbolon send id.json --to - --yes", "Takes the code from a picture."),
        ],
        options: [
            to.declaration, yes.declaration, Options.timeout.declaration, Options.verbose.declaration,
        ]
            + ([show.declaration] + showOptions).under(PhoneOptions.heading) + VaultAccess.opening
            + RequestAnswering.options + RadioSetup.options,
        operands: [file.declaration])

    package static let run: Program.Body = { context in
        let arguments = context.arguments
        guard !arguments[show] else { return try await showPhone(context) }
        try arguments.exclude(
            showOptions + VaultAccess.opening, "for --show", nextStep: "Add --show, or leave that out.")
        if arguments[RequestAnswering.wallet] == nil {
            try arguments.exclude(
                RequestAnswering.options, "for --wallet", nextStep: "Add --wallet FOLDER, or leave that out.")
        }
        let name = arguments[RequestAnswering.wallet] == nil ? try arguments.required(file) : arguments.all(file).first
        let uri = try await verifier(context, fileName: name)
        let payload: [UInt8]?
        if let name { payload = try await context.contents(of: name, limit: maximumBytes) } else { payload = nil }
        guard payload?.isEmpty != true else { throw CommandError(.inputEmpty, "The file is empty.") }
        let answering = try answering(context)
        try await confirm(uri, payload, name, context)
        let setup = try RadioSetup(arguments)
        let source = try await RadioSource.open(.wallet, setup, context)
        do {
            let radio = try await source.makeRadio(setup)
            do {
                try await handOver(payload, answering, to: uri, on: radio, setup, context)
            } catch {
                await radio.close()
                throw error
            }
            await radio.close()
        } catch {
            await source.close()
            throw error
        }
        await source.close()
    }

    private static func showPhone(_ context: CommandContext) async throws {
        let arguments = context.arguments
        try arguments.exclude(
            [
                to.declaration, Options.timeout.declaration, Options.verbose.declaration, Options.profile.declaration,
            ] + RequestAnswering.options, "for a verifier whose code you scanned",
            nextStep: "Leave that out with --show, for which the reader scans the code here.")
        // The key of a document's device is in bytes that are read.
        context.environment.wipeFreedMemory()
        if let name = arguments.all(file).first {
            try arguments.exclude(
                [vault.declaration] + VaultAccess.opening, "for documents of a vault",
                nextStep: "Give FILE, or --vault without it.")
            return try await serve(PhoneShowing(context, file: name), context)
        }
        guard let folder = try arguments[vault] ?? UserSettings(context.console.variables).vault else {
            throw UsageError(
                .missingOperand, "There is no document: neither a file nor a vault is named.",
                nextStep: "Add FILE or --vault FOLDER, or set SYMBOLON_VAULT to the vault's folder.")
        }
        let opened = try await VaultAccess.open(context, at: folder)
        do {
            try await serve(PhoneShowing(context, from: HeldDocumentStore(in: opened)), context)
        } catch {
            await opened.close()
            throw error
        }
        await opened.close()
    }

    private static func serve(_ showing: PhoneShowing, _ context: CommandContext) async throws {
        let setup = try RadioSetup(context.arguments)
        let source = try await RadioSource.open(.wallet, setup, context)
        do {
            try await showing.serve(from: source, setup)
        } catch {
            await source.close()
            throw error
        }
        await source.close()
    }

    private static func answering(_ context: CommandContext) throws -> RequestAnswering? {
        let arguments = context.arguments
        guard let path = arguments[RequestAnswering.wallet] else { return nil }
        var policy = VerificationPolicy()
        return RequestAnswering(
            folder: try WalletFolder(
                path, at: context.environment.wallTime(), random: context.environment.makeRandom()),
            store: try TrustFileReader.read(arguments[RequestAnswering.trust], context.reporter, into: &policy),
            acceptsUnbound: arguments[RequestAnswering.unbound],
            refusesBecause: arguments[RequestAnswering.refusal], asks: !arguments[yes],
            reporter: HandoverReporter(.wallet, context), context: context)
    }

    private static func verifier(_ context: CommandContext, fileName: String?) async throws -> TuvaliURI {
        let text = try context.arguments.required(to)
        guard text == "-" else { return try TuvaliURI(parsing: text) }
        guard fileName != "-" else {
            throw UsageError(
                .conflict, "Standard input cannot hold both the file and the code.",
                nextStep: "Name one of the two on the command line.")
        }
        return try await verifier(from: context.environment.input, lines: context.environment.inputIsTerminal ? 1 : 64)
    }

    /// The first line that is the code of a verifier, because a picture may hold other codes too.
    ///
    /// - Throws: why the first line is none, where none of so many is.
    private static func verifier(from input: any ByteSource, lines: Int) async throws -> TuvaliURI {
        var first: TuvaliError?
        for _ in 0..<lines {
            // The largest QR code holds 7,089 digits.
            guard let line = await input.readLine(limit: max(7089, TuvaliURI.maximumCharacters)) else { break }
            do {
                return try TuvaliURI(parsing: String(decoding: line, as: UTF8.self))
            } catch {
                first = first ?? error
            }
        }
        try Task.checkCancellation()
        throw first ?? CommandError(.inputEmpty, "Standard input holds no code.")
    }

    /// Shows the verifier and asks the user, where there is a terminal.
    ///
    /// - Throws: `send.declined` for a no, or where no answer came.
    private static func confirm(
        _ uri: TuvaliURI, _ payload: [UInt8]?, _ name: String?, _ context: CommandContext
    ) async throws {
        let reporter = HandoverReporter(.wallet, context)
        let words = KeyCheckWords.words(for: uri.key)
        reporter.event(
            .verifier,
            [
                .init("name", .string(uri.name)), .init("key", .string(Hex.encode(uri.key))),
                .init("words", .array(words.map(JSONText.string))),
            ])
        reporter.say("verifier", context.console.palette(TerminalText.sanitised(uri.name), .bold))
        reporter.say("check words", words.joined(separator: " "))
        if let name, let payload {
            let title = name == "-" ? "standard input" : TerminalText.sanitised(name, limit: 50)
            reporter.say("file", "\(title), \(NumberText.bytes(payload.count))")
        }
        guard !context.arguments[yes], context.console.canAsk else { return }
        let question =
            "Does the verifier's screen show the same six words? "
            + (payload == nil ? "Read its request?" : "Send the file to it?")
        guard let answer = await context.console.ask(question, fallback: false) else {
            try Task.checkCancellation()
            throw CommandError(.sendDeclined, "The question was not answered.")
        }
        guard answer else { throw CommandError(.sendDeclined, "The question was answered with no.") }
    }

    private static func handOver(
        _ payload: [UInt8]?, _ answering: RequestAnswering?, to uri: TuvaliURI, on radio: any CentralRadio,
        _ setup: RadioSetup,
        _ context: CommandContext
    ) async throws {
        var configuration = WalletConfiguration()
        configuration.readsRequest = answering != nil
        if let profile = setup.profile { configuration.profiles = [profile] }
        if let timeout = context.arguments[Options.timeout] { configuration.scanWait = timeout }
        let reporter = HandoverReporter(.wallet, context)
        let side = WalletRun(
            reporter: reporter, configuration: configuration, context: context, answering: answering)
        reporter.say("Looking for the verifier …")
        let outcome = try await side.run(on: radio, to: uri, payload: payload)
        if outcome.status == .accepted {
            let what = outcome.request == nil || answering == nil ? "file" : "answer"
            reporter.say(context.console.palette("Accepted.", .green) + " The verifier has the whole \(what).")
        }
        reporter.say("SHA-256", outcome.digest)
        if let report = outcome.report { reporter.figures(report, context) }
        if outcome.isRefusal {
            reporter.say("Declined. The verifier got your reason, and no data.")
        } else if outcome.status == .rejected {
            throw CommandError(.credentialRejected, "It arrived whole; the verifier answered with “rejected”.")
        }
    }
}
