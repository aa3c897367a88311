import Bluetooth
import ByteCoding
import Determinism
import Foundation
import Testing

/// Wireshark's own reading of what the writer makes.
@Suite struct TsharkTests {
    private static let tshark = ["/usr/bin/tshark", "/usr/local/bin/tshark", "/opt/homebrew/bin/tshark"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Runs tshark on `capture` and returns the lines of its output, each split at tabs.
    private static func read(_ capture: [UInt8], fields: [String], filter: String) throws -> [[String]] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "symbolon-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "capture.btsnoop")
        try Data(capture).write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: try #require(tshark))
        process.environment = ["HOME": folder.path(), "PATH": "/usr/bin:/bin"]
        process.arguments =
            ["-r", file.path(), "-Y", filter, "-T", "fields"] + fields.flatMap { ["-e", $0] }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return text.split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// A discovery and a few writes between a client and a server of this module.
    private static func wire() throws -> [[UInt8]] {
        let service = BluetoothUUID(UInt16(0xA000))
        let characteristic = try #require(BluetoothUUID("00000008-5026-444A-9E0E-D6F2450F3A77"))
        var pair = try GATTPair([
            ServiceDefinition(
                uuid: service,
                characteristics: [
                    .init(
                        uuid: characteristic, properties: [.write, .writeWithoutResponse, .notify],
                        hasClientConfiguration: true)
                ])
        ])
        _ = try pair.run(.exchangeMTU(498))
        guard case .services(let services) = try pair.run(.discoverServices(service)),
            case .characteristics(let found) = try pair.run(.discoverCharacteristics(of: services[0]))
        else { return [] }
        var random = SeededRandom(seed: 1)
        _ = try pair.run(.subscribe(found[0], isOn: true))
        _ = try pair.run(.writeCommand(random.bytes(count: 495), handle: found[0].valueHandle))
        _ = try pair.run(.write(random.bytes(count: 40), handle: found[0].valueHandle))
        pair.drive(server: .notify(id: 1, characteristic: characteristic, value: [1, 0, 0], confirmed: false))
        pair.drive(server: .notify(id: 2, characteristic: characteristic, value: [0], confirmed: true))
        return pair.wire
    }

    @Test(.enabled(if: tshark != nil, "skipped: tshark is not installed"), arguments: [27, 1021])
    func `tshark decodes the ATT opcodes, handles and values that were written`(limit: Int) throws {
        let writer = BTSnoopWriter(maximumACLBytes: limit)
        let peer = DeviceAddress(staticRandom: 1)
        let link = LinkParameters(phy: .le2M, intervalMicroseconds: 15_000)
        let start: Int64 = 1_700_000_000_000_000
        var capture = BTSnoopWriter.header + writer.connected(64, peer: peer, isCentral: true, link, at: start)
        let wire = try Self.wire()
        for (index, pdu) in wire.enumerated() {
            let isReceived = ATTOpcode.recipient(of: pdu[0]) == .client
            capture += writer.attribute(pdu, connection: 64, isReceived: isReceived, at: start + Int64(index) * 1000)
        }
        capture += writer.disconnected(64, reason: 0x16, at: start + 1_000_000)
        let lines = try Self.read(
            capture, fields: ["btatt.opcode", "btatt.handle", "btatt.value", "frame.time_epoch", "_ws.malformed"],
            filter: "btatt")
        #expect(lines.count == wire.count && wire.count > 10)
        #expect(lines.map { $0[0] } == wire.map { "0x" + Hex.encode($0.prefix(1)) })
        #expect(lines.allSatisfy { $0[4].isEmpty })
        for (index, (line, pdu)) in zip(lines, wire).enumerated() {
            #expect(Double(line[3]).map { abs($0 - 1_700_000_000 - Double(index) / 1000) < 0.0001 } == true)
            switch try ATTPDU(pdu) {
            case .writeCommand(let handle, let value), .handleValueNotification(let handle, let value),
                .handleValueIndication(let handle, let value):
                #expect(UInt16(line[1].dropFirst(2), radix: 16) == handle)
                #expect(line[2] == Hex.encode(value))
            default: break
            }
        }
    }

    @Test(.enabled(if: tshark != nil, "skipped: tshark is not installed"))
    func `tshark decodes advertisements, connections and their ends`() throws {
        let (capture, _) = BTSnoopTests.session(BTSnoopWriter())
        let lines = try Self.read(
            capture,
            fields: [
                "bthci_evt.code", "bthci_evt.le_meta_subevent", "bthci_evt.bd_addr", "bthci_evt.connection_handle",
                "bthci_evt.reason", "_ws.malformed",
            ], filter: "bthci_evt")
        #expect(
            lines == [
                ["0x3e", "0x02", "c0:ff:ee:00:01:02", "", "", ""],
                ["0x3e", "0x01", "c0:ff:ee:00:01:02", "0x0040", "", ""],
                ["0x05", "", "", "0x0040", "0x13", ""],
            ])
    }
}
