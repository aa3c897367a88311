import ByteCoding
import CBOR
import Codes
import CommandProgram
import Credentials
import Determinism
import JSON
import MobileDocuments
import Radio
import Terminal

/// `symbolon receive --phone`: reads mobile documents of phones, one after another.
struct PhoneReceiving: Sendable {
    let context: CommandContext
    let request: MobileRequest
    let trust: LoadedTrustFile
    let policy: VerificationPolicy
    let folder: String?
    private let identity: DeviceRequestWriter.ReaderIdentity?
    /// The text of the code, or `-` for standard input; nil asks.
    let code: String?

    /// Reads the options; nothing is on the air yet.
    ///
    /// - Throws: `usage.…`, `input.…`, `mdoc.reader-identity`, `mdoc.engagement-…` of a code that is given, the errors
    ///   of the trust file, `output.not-writable`.
    init(_ context: CommandContext, code: String?, folder: String?, trustFile: String?) throws {
        let arguments = context.arguments
        self.context = context
        self.code = code
        self.folder = folder
        let retained = (arguments[PhoneOptions.retained] ?? "").split(separator: ",").map { String($0) }
        switch (arguments[HandOverRequest.file], arguments[HandOverRequest.ask]) {
        case (let path?, nil):
            let bytes = try BoundedFile.read(path, limit: 64 << 10)
            request = try Self.request(
                "--request",
                nextStep: "Write it as {\"documents\": [{\"type\": \"…\", \"elements\": {\"NAMESPACE\": {\"ELEMENT\": "
                    + "false}}}]}; the manual page “Phones” has the rest."
            ) { () throws(MobileSessionError) in try MobileRequest(file: bytes, retaining: retained) }
        case (nil, let list?):
            request = try Self.request(
                "--ask",
                nextStep: "Name \(MobileRequest.presetNames.joined(separator: ", ")), or elements such as family_name."
            ) { () throws(MobileSessionError) in try MobileRequest(asking: list, retaining: retained) }
        case (nil, nil):
            throw UsageError(
                .missingOption, "What the phone is asked for is missing.",
                nextStep: "Add --ask over-18, or another of \(MobileRequest.presetNames.joined(separator: ", ")).")
        default:
            throw UsageError(
                .conflict, "--request and --ask both say what to ask for.", nextStep: "Leave one of them out.")
        }
        identity = try PhoneOptions.identity(context)
        guard retained.isEmpty || folder != nil else {
            throw UsageError(
                .conflict, "--retain keeps elements, and there is no folder for them.", nextStep: "Add --out DIR.")
        }
        var policy = VerificationPolicy()
        trust = try TrustFileReader.loadUsual(trustFile, context, into: &policy)
        self.policy = policy
        trust.report(context.reporter)
        // A text that is no code needs no radio.
        if let code, code != "-" { _ = try DeviceEngagement(text: Self.undoneCode(code)) }
        if let folder { try ReceivedFileWriter.makeFolder(folder) }
    }

    /// Makes the request of an option; an error in it is the user's, and not a reader's.
    private static func request(
        _ option: String, nextStep: String, _ make: () throws(MobileSessionError) -> MobileRequest
    ) throws(UsageError) -> MobileRequest {
        do throws(MobileSessionError) {
            return try make()
        } catch {
            throw UsageError(
                .badValue, "\(option) makes no request: \(TerminalText.sanitised(error.reason, limit: 200))",
                nextStep: nextStep)
        }
    }

    /// Reads `count` phones, or one.
    ///
    /// One that fails is reported, and the next code is waited for; the exit status is that of the first that was not
    /// genuine.
    func serve(_ count: Int?, from source: RadioSource, _ setup: RadioSetup) async throws {
        var first: (any Error)?
        for number in 1...(count ?? 1) {
            do {
                try await serve(number, of: count ?? 1, from: source, setup)
            } catch {
                let failure = CommandFailure(error)
                guard count != nil, !Task.isCancelled, ![.permission, .interrupted, .usage].contains(failure.exitClass)
                else { throw error }
                first = first ?? error
                if number < count ?? 1 { context.reporter.fail(failure) }
            }
        }
        if let first { throw first }
    }

    private func serve(_ number: Int, of count: Int, from source: RadioSource, _ setup: RadioSetup) async throws {
        let code = try await nextCode(number, of: count)
        let reporter = PhoneReporter(.reader, session: number, context)
        let run = PhoneReaderRun(
            reporter: reporter, context: context, request: request, policy: policy, trust: trust.store,
            modes: PhoneOptions.modes(context.arguments), identity: identity)
        let radio = try await source.makeRadio(setup)
        let reading: MobileReading
        do {
            reading = try await run.read(code, on: radio) { report($0, session: number) }
        } catch {
            await radio.close()
            throw error
        }
        await radio.close()
        try conclude(reading, reporter)
    }

    /// Returns the next code, with the letters that a scanner's keyboard layout changed put back.
    ///
    /// - Throws: `input.empty` at the end of the input.
    private func nextCode(_ number: Int, of count: Int) async throws -> [UInt8] {
        let line: [UInt8]?
        if let code, code != "-" {
            line = Array(code.utf8)
        } else if code == nil, context.console.canAsk {
            let which = count > 1 ? " (\(number) of \(count))" : ""
            line = await context.console.askLine("Scan or paste the phone's code\(which)").map { Array($0.utf8) }
        } else {
            // The largest QR code holds 7,089 digits.
            line = await context.environment.input.readLine(limit: 7089)
        }
        try Task.checkCancellation()
        guard let line, !line.isEmpty else {
            throw CommandFailure(
                CommandError(.inputEmpty, "There is no code of a phone."),
                nextStep:
                    "Scan or paste the code that the phone shows, or give its text; - reads a line of standard input.")
        }
        return Self.undoneCode(String(decoding: line, as: UTF8.self))
    }

    /// Returns a code with the letters that a scanner's keyboard layout changed put back.
    private static func undoneCode(_ text: String) -> [UInt8] {
        if case .undone(let undone, _) = KeyboardLayout.undo(text) { Array(undone.utf8) } else { Array(text.utf8) }
    }

    /// Shows the verdict.
    private func report(_ reading: MobileReading, session: Int) {
        let text = PhoneReadingText(reading, policy: policy, trustFile: trust)
        text.report(session: session, to: context.reporter)
        let width = context.console.outputColumns
        context.reporter.put(text.summary)
        for row in text.rows {
            context.reporter.put(TerminalText.hanging("  \(row.label): \(row.value)", indent: 6, width: width))
        }
    }

    /// Keeps what is to be kept, and throws the error of an answer that is not genuine.
    private func conclude(_ reading: MobileReading, _ reporter: PhoneReporter) throws {
        if let folder { try keep(reading, in: folder, reporter) }
        guard reading.report.result != .genuine else { return }
        let text = PhoneReadingText(reading, policy: policy, trustFile: trust)
        let error = CommandError(
            reading.report.result == .refused ? .credentialRefused : .credentialNotChecked, text.summary)
        throw text.text.nextStep.map { CommandFailure(error, nextStep: $0.sentence, command: $0.command) }
            ?? CommandFailure(error)
    }

    /// Writes the elements that were asked for to be kept, of a genuine document, and nothing else of it: no other
    /// element, no digest and no signature (clause 10.2.3).
    private func keep(_ reading: MobileReading, in folder: String, _ reporter: PhoneReporter) throws {
        guard !reading.retained.isEmpty, reading.report.result == .genuine else {
            return reporter.say(
                reading.report.result == .genuine
                    ? "Nothing was asked to be kept, and nothing was."
                    : "Nothing was kept: the document is not genuine.")
        }
        var documents: [JSONText] = []
        for place in Set(reading.retained.compactMap(\.element.place)).sorted() {
            let kept = reading.retained.filter { $0.element.place == place }
            var namespaces: [(name: String, elements: [JSONText.Member])] = []
            for (element, value) in kept {
                let member = JSONText.Member(element.name.identifier, Self.json(value))
                if let index = namespaces.firstIndex(where: { $0.name == element.name.namespace }) {
                    namespaces[index].elements.append(member)
                } else {
                    namespaces.append((element.name.namespace, [member]))
                }
            }
            documents.append(
                .object([
                    .init("type", .string(kept[0].element.type)),
                    .init("elements", .object(namespaces.map { .init($0.name, .object($0.elements)) })),
                ]))
        }
        let stem = "document-\(CivilDateTime(context.environment.wallTime()).text.filter { $0.isNumber })"
        let path = try ReceivedFileWriter.store(
            Array(JSONText.object([.init("documents", .array(documents))]).line.utf8) + [10], in: folder, stem: stem,
            suffix: ".json")
        context.reporter.event(
            .kept, [.init("session", .integer(reporter.session)), .init("path", .string(path))])
        context.reporter.put(path)
    }

    private static func json(_ value: CBORValue) -> JSONText {
        let inner = value.tagged?.content ?? value
        switch inner.content {
        case .text(let text): return .string(text)
        case .bool(let isTrue): return .bool(isTrue)
        case .bytes(let bytes): return .string(Base64URL.encode(bytes))
        default: return inner.int.map { .integer($0) } ?? .string(Base64URL.encode(Array(inner.encoding)))
        }
    }
}
