import CommandProgram
import Credentials
import Determinism
import JSON
import MobileDocuments
import Radio
import Terminal

/// Runs the reader of one phone for a command: connects, asks, verifies, and reports it.
struct PhoneReaderRun: Sendable {
    let reporter: PhoneReporter
    let context: CommandContext
    let request: MobileRequest
    let policy: VerificationPolicy
    let trust: TrustStore
    let modes: [MobileMode]?
    let identity: DeviceRequestWriter.ReaderIdentity?

    /// Reads the phone that shows a code, and returns when the link is down.
    ///
    /// - Parameter answered: called once with the verified answer, as soon as it is here: a phone may take seconds to
    ///   end the link after it.
    /// - Throws: `MobileSessionError`, `CancellationError`.
    func read(
        _ code: [UInt8], on radio: any CentralRadio & PeripheralRadio,
        answered: (MobileReading) -> Void = { _ in }
    ) async throws -> MobileReading {
        let reader = MobileReader(
            radio: radio, clock: context.environment.clock, random: context.environment.makeRandom())
        let verification = VerificationRequest(
            policy: policy, trust: trust, at: context.environment.wallTime())
        reporter.state("code-read")
        try await reader.read(
            code, asking: request, verification: verification, modes: modes, identity: identity)
        do {
            return try await follow(reader, answered)
        } catch {
            // The radio is closed next: the end must reach the phone before.
            await reader.stop()
            throw error
        }
    }

    private func follow(_ reader: MobileReader, _ answered: (MobileReading) -> Void) async throws -> MobileReading {
        var reading: MobileReading?
        for await event in reader.events {
            switch event {
            case .connecting(let mode): reporter.connecting(mode)
            case .attemptFailed(let error): reporter.attemptFailed(error)
            case .ready(let mode, let mtu): reporter.ready(mode, mtu: mtu)
            case .asked:
                reporter.state("asked")
                reporter.say("Asked for \(asked). The person decides, within 300 s.")
            case .progress(let bytes, let total): reporter.progress(bytes, of: total)
            case .deviation(let deviation): reporter.deviation(deviation)
            case .answered(let answer):
                reading = answer
                context.console.clearTransient()
                reporter.state("received", .init(bytes: answer.byteCount))
                answered(answer)
            case .finished(let ending):
                context.console.clearTransient()
                // A whole answer counts, even where the link ended badly after it.
                if reading == nil, let error = PhoneReporter.failure(of: ending) { throw error }
            }
        }
        // A cancelled task gets no more events.
        try Task.checkCancellation()
        guard let reading else { throw MobileSessionError(.sessionInternal, "The session ended without a result.") }
        return reading
    }

    /// The names of the elements that are asked for, as a person reads them.
    private var asked: String {
        var names: [String] = []
        for element in request.documents.flatMap(\.elements) where !names.contains(element.name.identifier) {
            names.append(element.name.identifier)
        }
        return TerminalText.sanitised(names.joined(separator: ", "), limit: 300)
    }
}

/// A reading as a command reports it: the verdict, the three answers, the elements, and what is missing.
struct PhoneReadingText: Sendable {
    let reading: MobileReading
    let text: VerificationReportText

    init(_ reading: MobileReading, policy: VerificationPolicy, trustFile: LoadedTrustFile? = nil) {
        self.reading = reading
        var policy = policy
        policy.requiresHolderProof = true
        text = VerificationReportText(reading.report, policy: policy, trustFile: trustFile)
    }

    /// The verdict in one line.
    var summary: String {
        reading.isFromAnotherDevice
            ? "refused: a genuine document, but not from this phone (\(text.decision?.code ?? ""))" : text.summary
    }

    /// An element of a document with its value.
    private struct ReadElement {
        let namespace: String
        let name: String
        let value: JSONValue
        /// True when the device signed it, and the issuer did not.
        let isByDevice: Bool

        var text: String { value.string ?? value.text }
    }

    private static func elements(of report: CredentialReport) -> [ReadElement] {
        [(report.content.claims, false), (report.content.deviceClaims, true)].flatMap { claims, isByDevice in
            (claims?.object?.members ?? []).flatMap { namespace in
                (namespace.value.object?.members ?? []).map {
                    ReadElement(namespace: namespace.name, name: $0.name, value: $0.value, isByDevice: isByDevice)
                }
            }
        }
    }

    private var documents: [CredentialReport] {
        reading.report.inner.isEmpty ? [reading.report] : reading.report.inner
    }

    /// The lines for a person.
    var rows: [(label: String, value: String)] {
        let areSeveral = documents.count > 1
        var rows = text.answers.map { ($0.label, $0.value + ($0.label == "issued by" && !areSeveral ? issuer : "")) }
        for (place, report) in documents.enumerated() {
            let result = areSeveral ? VerificationReportText.words(report.result.rawValue) + ": " : ""
            rows.append(
                (
                    "document",
                    result + TerminalText.sanitised(report.content.types.joined(separator: ", "), limit: 120)
                ))
            if areSeveral, let issuer = VerificationReportText.issuer(of: report) { rows.append(("issued by", issuer)) }
            for element in Self.elements(of: report) {
                rows.append(
                    (
                        TerminalText.sanitised(element.name, limit: 40),
                        TerminalText.sanitised(element.text, limit: 120)
                            + (element.isByDevice ? " (the phone says so, not the issuer)" : "")
                    ))
            }
            rows += reading.returned.ages.filter { $0.place == place }.map { ("age", $0.sentence) }
            rows += Self.row("not returned", reading.returned.missing.filter { $0.place == place })
            rows += Self.row("not asked for", reading.returned.unasked.filter { $0.place == place })
        }
        rows += Self.row("not returned", reading.returned.missing.filter { $0.place == nil })
        rows += reading.unknownMembers.map { ("not understood", $0) }
        return rows
    }

    private static func row(
        _ label: String, _ elements: [ReturnedElements.ElementOfDocument]
    ) -> [(label: String, value: String)] {
        elements.isEmpty ? [] : [(label, list(elements.map(\.name.identifier)))]
    }

    private var issuer: String { text.issuer.map { ", \($0)" } ?? "" }

    private static func list(_ names: [String]) -> String {
        TerminalText.sanitised(names.joined(separator: ", "), limit: 200)
    }

    /// Writes the events of the verdict: `checked`, and `mobile-document` for each document.
    func report(session: Int, to reporter: EventReporter) {
        let report = reading.report
        let missing = reading.returned.missing.map { JSONText.string($0.name.identifier) }
        reporter.event(
            .checked,
            [
                .init("session", .integer(session)), .init("result", .string(report.result.rawValue)),
                .init("issued", .string(report.issuance.rawValue)), .init("holder", .string(report.holder.rawValue)),
                .init("now", .string(report.standing.rawValue)), .init("format", .string(report.format.rawValue)),
                .init("code", .string(text.decision?.code)), .init("request", .string("answered")),
                .init("lacking", .array(missing)),
            ])
        for (place, document) in documents.enumerated() {
            reporter.event(.mobileDocument, members(of: document, at: place, session: session))
        }
    }

    private func members(of document: CredentialReport, at place: Int, session: Int) -> [JSONText.Member] {
        func names(_ elements: [ReturnedElements.ElementOfDocument]) -> JSONText {
            .array(elements.filter { $0.place == place }.map { .string($0.name.identifier) })
        }
        let elements = Self.elements(of: document).map { element in
            JSONText.object([
                .init("namespace", .string(element.namespace)), .init("name", .string(element.name)),
                .init("value", .string(element.text)),
                .init("signer", .string(element.isByDevice ? "device" : "issuer")),
            ])
        }
        let checks = document.checks.map { check in
            JSONText.object([
                .init("check", .string(check.kind.rawValue)), .init("outcome", .string(check.outcome.rawValue)),
                .init("code", .string(check.code?.rawValue)), .init("reason", .string(check.reason)),
            ])
        }
        return [
            .init("session", .integer(session)), .init("document", .string(document.content.types.first)),
            .init("result", .string(document.result.rawValue)), .init("issuer", .string(document.content.issuer)),
            .init("elements", .array(elements)),
            .init("ages", .array(reading.returned.ages.filter { $0.place == place }.map { .string($0.sentence) })),
            .init("notReturned", names(reading.returned.missing)), .init("notAsked", names(reading.returned.unasked)),
            .init("checks", .array(checks)),
        ]
    }
}
