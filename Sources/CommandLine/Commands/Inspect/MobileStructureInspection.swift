import CommandProgram
import MobileSession
import Terminal

/// Explains a structure of ISO/IEC 18013-5, or the messages of captured sessions.
///
/// Every item is shown with its place, and every deviation with its clause; nothing is decrypted.
struct MobileStructureInspection {
    /// The most columns' pairs by which an item is moved to the right.
    private static let maximumIndent = 12

    private let reporter: EventReporter

    /// Makes an inspection that reports to `reporter`.
    init(_ reporter: EventReporter) { self.reporter = reporter }

    /// Explains a structure.
    ///
    /// - Throws: the error with which a session refuses the structure.
    func run(_ found: MobileInspection) throws {
        event(found.structure, bytes: found.bytes.count, nil, number: nil)
        let size = found.bytes.isEmpty ? "unreadable" : Self.bytes(found.bytes.count)
        reporter.put("\(found.structure.name) (ISO/IEC 18013-5), \(size)")
        show(found, number: nil)
        if let failure = found.failure { throw failure }
    }

    /// Explains the messages of sessions in a capture, and the deviations of their links.
    func report(_ capture: MobileCapture) {
        for (index, message) in capture.messages.enumerated() {
            let structure = message.inspection?.structure
            event(structure, bytes: message.byteCount, message, number: index + 1)
            let sender = message.isFromReader ? "reader" : "holder"
            let parts = message.partCount == 1 ? "1 part" : "\(NumberText.count(message.partCount)) parts"
            reporter.put(
                "Message \(index + 1) of the \(sender), up to packet \(message.packet): "
                    + "\(structure?.name ?? "no message of a session"), "
                    + "\(Self.bytes(message.byteCount)) in \(parts)")
            if let failure = message.failure ?? message.inspection?.failure {
                reporter.put("  problem: \(TerminalText.sanitised(failure.reason))")
            }
            if let found = message.inspection { show(found, number: index + 1) }
        }
        for found in capture.deviations {
            let deviation = found.deviation
            event(
                deviation, number: nil,
                [
                    .init("packet", .integer(found.packet)), .init("connection", .integer(found.connection)),
                    .init("offset", .null), .init("length", .null),
                ])
            put(deviation, "packet \(found.packet)")
        }
    }

    /// Shows the items and the deviations of a structure.
    private func show(_ found: MobileInspection, number: Int?) {
        for item in found.items {
            reporter.event(
                .mobileItem,
                [
                    .init("message", .integer(number)), .init("name", .string(item.name)),
                    .init("value", .string(item.value)), .init("offset", .integer(item.range.lowerBound)),
                    .init("length", .integer(item.range.count)), .init("depth", .integer(item.depth)),
                ])
            let indent = String(repeating: "  ", count: min(item.depth, Self.maximumIndent))
            line(
                Self.column(item.range.lowerBound) + Self.column(item.range.count) + "  " + indent,
                TerminalText.sanitised(item.name, limit: 80) + ": " + TerminalText.sanitised(item.value, limit: 160))
        }
        if found.isCutOff { reporter.put("  There are more items than are shown.") }
        if let offset = found.unreadableOffset { reporter.put("  problem: from byte \(offset) on it cannot be read") }
        if found.isEncrypted {
            reporter.put("  The data are encrypted: only the two sides of the session can read them.")
        }
        for placed in found.deviations {
            let (start, count) = (placed.range.lowerBound, placed.range.count)
            event(
                placed.deviation, number: number,
                [
                    .init("packet", .null), .init("connection", .null), .init("offset", .integer(start)),
                    .init("length", .integer(count)),
                ])
            let whole = placed.deviation == .schemeSlashes ? " of the text" : ""
            put(placed.deviation, "byte \(start)\(whole), \(Self.bytes(count))")
        }
    }

    private func put(_ deviation: MobileDeviation, _ place: String) {
        let quirk = deviation.quirk.map { " (\($0))" } ?? ""
        line(
            "  ",
            "deviation \(deviation.rawValue)\(quirk), clause \(deviation.clause), \(place): \(deviation.sentence)")
    }

    private func line(_ start: String, _ text: String) {
        guard !reporter.isJSON else { return }
        let indent = start.utf8.count
        reporter.put(
            start + TerminalText.hanging(text, indent: indent, width: reporter.console.outputColumns))
    }

    private static func bytes(_ count: Int) -> String { count == 1 ? "1 byte" : "\(NumberText.count(count)) bytes" }

    private static func column(_ number: Int) -> String {
        let digits = "\(number)"
        return String(repeating: " ", count: max(0, 8 - digits.utf8.count)) + digits
    }

    private func event(
        _ structure: MobileInspection.InspectedStructure?, bytes: Int, _ message: MobileCapture.CapturedMessage?,
        number: Int?
    ) {
        let failure = message?.failure ?? message?.inspection?.failure
        reporter.event(
            .mobileMessage,
            [
                .init("message", .integer(number)), .init("structure", .string(structure?.rawValue)),
                .init("bytes", .integer(bytes)),
                .init("packet", .integer(message?.packet)), .init("connection", .integer(message?.connection)),
                .init("mode", .string(message?.mode.rawValue)),
                .init("sender", .string(message.map { $0.isFromReader ? "reader" : "holder" })),
                .init("parts", .integer(message?.partCount)), .init("code", .string(failure?.code.rawValue)),
            ])
    }

    private func event(_ deviation: MobileDeviation, number: Int?, _ place: [JSONText.Member]) {
        reporter.event(
            .mobileDeviation,
            [
                .init("message", .integer(number)), .init("deviation", .string(deviation.rawValue)),
                .init("quirk", .string(deviation.quirk)), .init("clause", .string(deviation.clause)),
                .init("sentence", .string(deviation.sentence)),
            ] + place)
    }
}
