import Bluetooth
import ByteCoding
import CommandProgram
import MobileSession
import Terminal
import Tuvali

/// Lists the packets of a capture (btsnoop, pcap or pcapng), with the names of Tuvali, Herald and similar protocols,
/// and the messages of sessions of mobile documents.
struct CaptureInspection {
    private let reporter: EventReporter
    private let limit: Int

    /// Makes an inspection that shows at most `limit` events.
    init(_ reporter: EventReporter, limit: Int) {
        self.reporter = reporter
        self.limit = limit
    }

    /// Lists the events of the file `bytes`.
    ///
    /// - Throws: `bluetooth.capture.not-a-capture`, `bluetooth.capture.other-link-type`, `inspect.capture-malformed`
    ///   when the file ends in the middle.
    func run(_ bytes: [UInt8]) throws {
        let file = try PacketCapture(parsing: bytes)
        var decoder = CaptureDecoder()
        var events = file.records.flatMap { decoder.events(of: $0) }
        events += decoder.finish()
        let omissions = SkippedRecordCounts(decoder.omissions)
        var names = TuvaliCharacteristicHandles()
        var mobile = MobileCapture()
        var table = TextTable([
            .init("no.", alignsRight: true), .init("seconds", alignsRight: true), .init("link", alignsRight: true),
            .init(""), .init("what"),
        ])
        for (index, event) in events.enumerated() {
            let row = CaptureRow(event, &names, mobileName: mobile.take(event, number: index + 1))
            guard index < limit else { continue }
            // As fractions: the differences of times in a file may exceed whole numbers.
            let seconds = (Double(event.microsecondsSinceEpoch) - Double(events[0].microsecondsSinceEpoch)) / 1e6
            report(row, number: index + 1, seconds: seconds)
            table.add([
                "\(index + 1)", NumberText.decimal(seconds, places: 4), row.connection.map { "\($0)" } ?? "",
                row.arrow, TerminalText.sanitised(row.summary, limit: 400),
            ])
        }
        finish(file, events.count, omissions, table)
        MobileStructureInspection(reporter).report(mobile)
        if let problem = file.problem { throw CommandError(.captureMalformed, Self.sentence(problem)) }
    }

    private func report(_ row: CaptureRow, number: Int, seconds: Double) {
        reporter.event(
            .packet,
            [
                .init("number", .integer(number)), .init("seconds", .number(seconds, places: 6)),
                .init("kind", .string(row.kind)), .init("connection", .integer(row.connection)),
                .init("isReceived", row.isReceived.map(JSONText.bool) ?? .null),
                .init("characteristic", .string(row.characteristic)),
                .init("value", .string(row.value.map(Hex.encode))),
                .init("summary", .string(row.summary)),
            ])
    }

    private func finish(
        _ file: PacketCapture, _ eventCount: Int, _ omissions: SkippedRecordCounts, _ table: TextTable
    ) {
        reporter.event(
            .capture,
            [
                .init("format", .string(file.format.rawValue)), .init("records", .integer(file.records.count)),
                .init("events", .integer(eventCount)), .init("notShown", omissions.json),
                .init("remark", .string(file.problem.map(Self.sentence))),
            ])
        guard !reporter.isJSON else { return }
        let console = reporter.console
        for line in table.lines(width: console.outputColumns, palette: console.outputPalette) {
            if console.outputIsClosed { return }
            console.put(line)
        }
        let hidden = eventCount > limit ? "; the first \(limit) are shown, --limit N shows more" : ""
        let records = "\(file.format.rawValue) capture: \(NumberText.count(file.records.count)) records"
        console.say("\(records), \(NumberText.count(eventCount)) events\(hidden)")
        if let sentence = omissions.sentence { console.say(sentence) }
    }

    private static func sentence(_ problem: PacketCapture.Problem) -> String {
        switch problem {
        case .badRecord(let offset): "The record at byte \(offset) is cut off or impossible."
        case .tooManyRecords: "There are more records than are read."
        }
    }
}

/// One event of a capture as text.
private struct CaptureRow {
    let kind: String
    let connection: Int?
    let isReceived: Bool?
    var characteristic: String?
    var value: [UInt8]?
    let summary: String

    var arrow: String { isReceived.map { $0 ? "←" : "→" } ?? "" }

    /// Makes the row of an event, with the name of a characteristic of a mobile document's session if it is about one.
    init(_ event: CaptureEvent, _ names: inout TuvaliCharacteristicHandles, mobileName: String?) {
        switch event.content {
        case .connected(let connection):
            kind = "connected"
            self.connection = Int(connection.handle)
            isReceived = nil
            let role = connection.isCentral ? "central" : "peripheral"
            let interval = NumberText.decimal(Double(connection.intervalSteps) * 1.25, places: 2)
            summary = "connected to \(connection.peer) as \(role), interval \(interval) ms"
        case .disconnected(let connection, let reason):
            kind = "disconnected"
            self.connection = Int(connection)
            isReceived = nil
            summary = "disconnected, reason 0x\(Hex.encode([reason]))"
        case .advertisement(let report):
            kind = report.kind == .scanResponse ? "scan-response" : "advertisement"
            connection = nil
            isReceived = true
            value = report.data
            summary =
                Self.words(report.kind, report.address, report.rssi, extended: "")
                + Self.recognised(AdvertisingData(parsing: report.data))
        case .extendedAdvertisement(let advertisement):
            kind = advertisement.kind == .scanResponse ? "scan-response" : "advertisement"
            connection = nil
            isReceived = true
            value = advertisement.data
            summary = Self.words(for: advertisement)
        case .attribute(let connection, let isReceived, let bytes):
            kind = "attribute"
            self.connection = Int(connection)
            self.isReceived = isReceived
            value = bytes
            let pdu = try? ATTPDU(bytes)
            let known = pdu.flatMap { names.take($0, on: connection, isReceived: isReceived) }
            characteristic = mobileName ?? known
            summary =
                (characteristic.map { "\($0): " } ?? "")
                + (pdu?.description ?? "malformed PDU \(Hex.encode(bytes.prefix(16)))")
        case .frame(let connection, let isReceived, let frame):
            kind = "frame"
            self.connection = Int(connection)
            self.isReceived = isReceived
            value = frame.payload
            summary = "L2CAP channel \(frame.channel), \(frame.payload.count) bytes"
        case .problem(let sentence):
            kind = "problem"
            connection = nil
            isReceived = nil
            summary = "problem: \(sentence)"
        }
    }

    private static func words(
        _ kind: AdvertisementReport.Kind, _ address: DeviceAddress?, _ rssi: Int?, extended: String
    ) -> String {
        let name = kind == .scanResponse ? "scan response" : "advertisement"
        let sender = address.map { "of \($0)" } ?? "without address"
        return "\(extended)\(name) \(sender)" + (rssi.map { " \($0) dBm" } ?? "")
    }

    private static func words(for advertisement: ExtendedAdvertisement) -> String {
        var words = Self.words(
            advertisement.kind, advertisement.address, advertisement.rssi, extended: "extended ")
        if let set = advertisement.setID { words += ", set \(set)" }
        words += ", \(advertisement.data.count) bytes"
        if advertisement.partCount > 1 { words += " in \(advertisement.partCount) parts" }
        if advertisement.isTruncated { words += ", cut off" }
        return words + recognised(AdvertisingData(parsing: advertisement.data))
    }

    /// The names of the known parts of advertising data, with commas before them.
    private static func recognised(_ data: AdvertisingData) -> String {
        var words: [String] = []
        var known: Set<BluetoothUUID> = []
        for profile in WireProfile.allCases {
            known.formUnion([profile.service, profile.scanResponseService])
            if let content = data.serviceData(of: profile.service), let parsed = TuvaliAdvertisement.parse(content) {
                words.append("\(profile.rawValue) verifier \(String(decoding: parsed.name, as: UTF8.self))")
            } else if data.serviceData(of: profile.scanResponseService) != nil {
                words.append("\(profile.rawValue) key")
            }
        }
        for uuid in data.serviceUUIDs + data.serviceData.map(\.uuid) where known.insert(uuid).inserted {
            if let name = HeraldNames.name(of: uuid) { words.append(name) }
        }
        for entry in data.manufacturerData {
            if let meaning = HeraldNames.meaning(company: entry.company, data: entry.data) { words.append(meaning) }
        }
        // A company may say the same as a service, or more.
        let distinct = words.enumerated().filter { index, word in
            !words.enumerated().contains { $0 < index && $1 == word || $1 != word && $1.hasPrefix(word) }
        }
        return distinct.map { ", \($0.element)" }.joined()
    }
}

/// The Tuvali characteristics by their handles, learnt from the discovery in the capture.
private struct TuvaliCharacteristicHandles {
    private var handles: [UInt32: String] = [:]

    /// Learns handles from an ATT PDU, and returns the name of the characteristic that it is about.
    mutating func take(_ pdu: ATTPDU, on connection: UInt16, isReceived: Bool) -> String? {
        switch pdu {
        case .readByTypeResponse(let entries):
            for entry in entries { learn(entry.value, connection) }
            return nil
        case .writeRequest(let handle, _), .writeCommand(let handle, _), .handleValueNotification(let handle, _),
            .handleValueIndication(let handle, _), .readRequest(let handle), .prepareWriteRequest(let handle, _, _),
            .prepareWriteResponse(let handle, _, _), .readBlobRequest(let handle, _):
            return handles[key(connection, handle)]
        default: return nil
        }
    }

    /// Learns a characteristic's declaration: properties, handle of the value, UUID.
    private mutating func learn(_ declaration: [UInt8], _ connection: UInt16) {
        var reader = ByteReader(declaration)
        guard reader.byte() != nil, let handle = reader.littleEndian(UInt16.self),
            let uuid = BluetoothUUID(littleEndian: reader.rest()), handles.count < 4096
        else { return }
        for profile in WireProfile.allCases {
            if let characteristic = profile.characteristic(with: uuid) {
                handles[key(connection, handle)] = characteristic.rawValue
            }
        }
        if let name = HeraldNames.name(of: uuid) { handles[key(connection, handle)] = name }
    }

    private func key(_ connection: UInt16, _ handle: UInt16) -> UInt32 { UInt32(connection) << 16 | UInt32(handle) }
}
