import CommandProgram
import CryptoSuite
import Determinism
import MobileDocuments
import Radio
import Terminal

/// `symbolon send --show`: shows a code by which a reader asks for mobile documents, and answers it.
struct PhoneShowing: Sendable {
    let context: CommandContext
    let documents: [HeldMobileDocument]
    /// The store of documents of single use; nil for documents of a file.
    let store: HeldDocumentStore?
    private let authorities: [Certificate]
    /// True to send what is asked for without a question.
    let answersAll: Bool

    /// Reads the documents of a file; nothing is on the air yet.
    ///
    /// - Throws: `usage.conflict` where no person can be asked, and for a document of single use; `input.…`.
    init(_ context: CommandContext, file: String) async throws {
        let documents = try await context.heldDocuments(in: file)
        guard !documents.contains(where: \.isSingleUse) else {
            throw UsageError(
                .conflict, "The file holds documents of single use, and cannot record that one was shown.",
                nextStep: "Put them into a vault by symbolon mdoc add, then run symbolon send --show without a file.")
        }
        try self.init(context, documents, store: nil)
    }

    /// Reads the documents of a vault; nothing is on the air yet.
    ///
    /// - Throws: `usage.conflict` where no person can be asked; `input.not-found` for a vault without a document to
    ///   show; the errors of the vault.
    init(_ context: CommandContext, from store: HeldDocumentStore) async throws {
        let documents = try await store.documents()
        guard !documents.isEmpty else {
            throw CommandFailure(
                CommandError(.inputNotFound, "The vault has no mobile document that can be shown."),
                nextStep: "Add one by symbolon mdoc add VAULT FILE.")
        }
        try self.init(context, documents, store: store)
    }

    private init(
        _ context: CommandContext, _ documents: [HeldMobileDocument], store: HeldDocumentStore?
    ) throws {
        answersAll = context.arguments[SendCommand.yes]
        guard answersAll || context.console.canAsk else {
            throw UsageError(
                .conflict, "There is no terminal on which to ask what may be sent.",
                nextStep: "Add --yes to send whatever a reader asks for.")
        }
        self.context = context
        self.documents = documents
        self.store = store
        authorities = try PhoneOptions.authorities(context.arguments)
    }

    /// Shows the code, and serves one reader.
    ///
    /// - Throws: `MobileSessionError`, `CancellationError`, `send.declined`.
    func serve(from source: RadioSource, _ setup: RadioSetup) async throws {
        let radio = try await source.makeRadio(setup)
        do {
            let run = PhoneHolderRun(
                reporter: PhoneReporter(.holder, context), context: context, documents: documents, store: store,
                authorities: authorities, modes: PhoneOptions.modes(context.arguments) ?? MobileMode.allCases)
            try await run.show(on: radio, announce: announce, decide: decide)
        } catch {
            await radio.close()
            throw error
        }
        await radio.close()
    }

    private func announce(_ code: String) throws {
        let output = QRCodeOutput(text: code, reporter: context.reporter)
        if let picture = context.arguments[Options.qrFile] {
            try output.writePicture(picture)
            context.console.say("The QR code is in \(TerminalText.sanitised(picture)).")
        } else {
            try output.show(hint: "--qr-file code.png writes it as a picture.")
        }
        context.reporter.put(code)
        context.console.say("Waits for a reader, for 60 s. Press Ctrl-C to stop.")
    }

    /// Asks the person what may be sent, of each document of the question; nil declines.
    private func decide(_ question: MobileQuestion) async throws -> [Set<DeviceRequest.ElementName>]? {
        let all = question.documents.map { Set($0.answer ?? []) }
        guard all.contains(where: { !$0.isEmpty }), !question.isReaderWrong else { return nil }
        guard !answersAll else { return all }
        guard let isAll = await context.console.ask("Send all of this?", fallback: false) else {
            try Task.checkCancellation()
            return nil
        }
        guard !isAll else { return all }
        var allowed = [Set<DeviceRequest.ElementName>](repeating: [], count: all.count)
        let isOne = all.count { !$0.isEmpty } == 1
        for (place, document) in question.documents.enumerated() {
            let source = isOne ? "" : " of \(TerminalText.sanitised(document.type, limit: 80)) (\(place + 1))"
            let required = document.required
            let others = (document.answer ?? []).filter { $0 != required }
            if let required, !others.isEmpty {
                let label = TerminalText.sanitised(required.identifier, limit: 64)
                context.console.say("Without \(label) nothing of this document may be sent.")
            }
            for name in [required].compactMap(\.self) + others {
                let label = TerminalText.sanitised(name.identifier, limit: 64)
                guard let isSent = await context.console.ask("Send \(label)\(source)?", fallback: false) else {
                    try Task.checkCancellation()
                    return nil
                }
                if isSent { allowed[place].insert(name) }
                guard isSent || name != required else { break }
            }
        }
        return allowed.contains { !$0.isEmpty } ? allowed : nil
    }
}

/// Runs the holder of one session for a command: shows, answers, and reports it.
struct PhoneHolderRun: Sendable {
    /// Decides about a question: the elements that may be sent of each of its documents; nil declines.
    typealias Decision = @Sendable (MobileQuestion) async throws -> [Set<DeviceRequest.ElementName>]?

    let reporter: PhoneReporter
    let context: CommandContext
    let documents: [HeldMobileDocument]
    /// The store that documents of single use are taken out of; nil where there are none.
    let store: HeldDocumentStore?
    /// The authorities whose readers the person knows.
    let authorities: [Certificate]
    let modes: [MobileMode]

    /// Offers the documents to one reader, until the session has ended.
    ///
    /// - Parameter announce: called with the text of the code.
    /// - Throws: `MobileSessionError`, `CancellationError`, `send.declined`, and what the two closures throw.
    func show(
        on radio: any CentralRadio & PeripheralRadio, announce: (String) throws -> Void, decide: @escaping Decision
    ) async throws {
        let holder = MobileHolder(
            radio: radio, clock: context.environment.clock, random: context.environment.makeRandom())
        let code = try await holder.offer(
            documents, modes: modes, authorities: authorities, at: context.environment.wallTime())
        do {
            reporter.state("offered", .init(uri: code))
            try announce(code)
            try await follow(holder, decide)
        } catch {
            // The radio is closed next: the end must reach the reader before.
            await holder.stop()
            throw error
        }
    }

    private func follow(_ holder: MobileHolder, _ decide: @escaping Decision) async throws {
        var decision: Task<[HeldMobileDocument]?, any Error>?
        var (hasLeft, hasAnswered) = (false, false)
        var unread: MobileSessionError?
        defer { decision?.cancel() }
        for await event in holder.events {
            switch event {
            case .connecting(let mode): reporter.connecting(mode)
            case .attemptFailed(let error):
                reporter.attemptFailed(error)
                if error.code == .requestMalformed { unread = error }
            case .ready(let mode, let mtu): reporter.ready(mode, mtu: mtu)
            case .deviation(let deviation): reporter.deviation(deviation)
            case .requested(let question):
                // A further request comes when the one before was answered, or declined.
                if hasLeft, (try? await decision?.value) != nil { hasAnswered = true }
                show(question)
                hasLeft = false
                decision = Task { try await answer(question, holder, decide) }
            case .sent:
                hasLeft = true
                reporter.state("sent")
            case .mayHaveArrived: hasLeft = true
            case .finished(let ending):
                if !hasLeft {
                    // A person who is still being asked need not answer.
                    decision?.cancel()
                    if let shown = try? await decision?.value { try await store?.putBack(shown) }
                }
                if let error = PhoneReporter.failure(of: ending) { throw error }
            }
        }
        try Task.checkCancellation()
        if decision == nil, let unread { throw unread }
        // Of several requests one may have been declined.
        guard try await decision?.value != nil || hasAnswered else {
            throw CommandFailure(
                CommandError(.sendDeclined, "It was declined, or there is no such document here."),
                nextStep: "Show a new code if the reader is to have it.")
        }
        reporter.say("Sent. The reader has the whole answer.")
    }

    /// Answers a question as the person decides; returns the documents that are shown, nil for none.
    ///
    /// Those of single use are out of the store before the answer begins to leave, and are put back where it cannot.
    private func answer(
        _ question: MobileQuestion, _ holder: MobileHolder, _ decide: Decision
    ) async throws -> [HeldMobileDocument]? {
        let allowed = try await decide(question) ?? question.documents.map { _ in [] }
        let shown = question.documents { allowed[$0].contains($1) }
        guard !shown.isEmpty else {
            await holder.decline()
            return nil
        }
        do {
            try Task.checkCancellation()
            try await store?.takeOut(shown)
        } catch {
            await holder.decline()
            throw error
        }
        do {
            try await holder.answer { allowed[$0].contains($1) }
        } catch {
            try await store?.putBack(shown)
            throw error
        }
        return shown
    }

    private func show(_ question: MobileQuestion) {
        var before: ReaderAuthentication.ReaderStanding?
        for document in question.documents {
            let standing = Self.words(document.reader)
            if document.reader != before { reporter.say("The reader is \(standing).") }
            before = document.reader
            reporter.reporter.event(
                .mobileRequest,
                [
                    .init("session", .integer(reporter.session)), .init("document", .string(document.type)),
                    .init("reader", .string(standing)),
                    .init("elements", .array(document.elements.map { .string($0.name.identifier) })),
                    .init("substitutes", .array(document.substitutes.map { .string($0.identifier) })),
                    .init(
                        "kept", .array(document.elements.filter(\.isRetained).map { .string($0.name.identifier) })),
                ])
            let type = TerminalText.sanitised(document.type, limit: 80)
            guard let answer = document.answer else {
                reporter.say("It asks for \(type), which is not here.")
                continue
            }
            reporter.say("It asks for elements of \(type):")
            for element in document.elements {
                let name = TerminalText.sanitised(element.name.identifier, limit: 64)
                let isHere = answer.contains(element.name)
                reporter.say(
                    "  \(name)\(isHere ? "" : ", answered by another element or not at all")"
                        + (element.isRetained ? "; it means to keep it" : ""))
            }
            for name in document.substitutes {
                reporter.say("  in the place of another: \(TerminalText.sanitised(name.identifier, limit: 64))")
            }
        }
    }

    private static func words(_ standing: ReaderAuthentication.ReaderStanding) -> String {
        switch standing {
        case .absent: "not named: its request is not signed"
        case .wrong(let reason): "wrong, and gets nothing: \(TerminalText.sanitised(reason, limit: 200))"
        case .unknown(let name): "unknown; its certificate names \(TerminalText.sanitised(name, limit: 80))"
        case .known(let name): TerminalText.sanitised(name, limit: 80)
        }
    }
}
