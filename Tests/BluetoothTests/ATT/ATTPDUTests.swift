import Bluetooth
import ByteCoding
import Determinism
import TestSupport
import Testing

@Suite struct ATTPDUTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let pdu: ATTPDU
        let hex: String
        let line: String
        /// The shorter lengths that are whole PDUs of their own, because a value or a list may be shorter.
        var shorter: [Int] = []
        /// True when the PDU with one byte more is a whole PDU too.
        var isOpenEnded = false
        var testDescription: String { line }
    }

    private static let long = BluetoothUUID(littleEndian: Array(UInt8(0)...15)) ?? .primaryService
    private static let longHex = "000102030405060708090a0b0c0d0e0f"

    static let samples: [Sample] = requests + answers + writes

    private static let requests: [Sample] = [
        .init(
            pdu: .errorResponse(opcode: 0x0A, handle: 0x1234, error: .readNotPermitted), hex: "010a341202",
            line: "Error Response Read Not Permitted (0x02) to Read Request at 0x1234"),
        .init(pdu: .exchangeMTURequest(mtu: 517), hex: "020502", line: "Exchange MTU Request 517"),
        .init(pdu: .exchangeMTUResponse(mtu: 23), hex: "031700", line: "Exchange MTU Response 23"),
        .init(
            pdu: .findInformationRequest(start: 1, end: 0xFFFF), hex: "040100ffff",
            line: "Find Information Request 0x0001–0xffff"),
        .init(
            pdu: .findByTypeValueRequest(start: 1, end: 0xFFFF, type: 0x2800, value: [0x01, 0x00]),
            hex: "060100ffff00280100",
            line: "Find By Type Value Request 0x0001–0xffff type 0x2800 2 bytes 0100", shorter: [7, 8],
            isOpenEnded: true),
        .init(
            pdu: .readByTypeRequest(start: 1, end: 9, type: .characteristicDeclaration), hex: "08010009000328",
            line: "Read By Type Request 0x0001–0x0009 type 0x2803"),
        .init(
            pdu: .readByTypeRequest(start: 1, end: 9, type: long), hex: "0801000900" + longHex,
            line: "Read By Type Request 0x0001–0x0009 type 0F0E0D0C-0B0A-0908-0706-050403020100", shorter: [7]),
        .init(pdu: .readRequest(handle: 3), hex: "0a0300", line: "Read Request 0x0003"),
        .init(
            pdu: .readBlobRequest(handle: 3, offset: 22), hex: "0c03001600", line: "Read Blob Request 0x0003 from 22"),
        .init(
            pdu: .readMultipleRequest(handles: [3, 5]), hex: "0e03000500", line: "Read Multiple Request 0x0003, 0x0005"),
        .init(
            pdu: .readByGroupTypeRequest(start: 1, end: 0xFFFF, type: .primaryService), hex: "100100ffff0028",
            line: "Read By Group Type Request 0x0001–0xffff type 0x2800"),
    ]

    private static let answers: [Sample] = [
        .init(
            pdu: .findInformationResponse([
                .init(handle: 1, type: .primaryService), .init(handle: 2, type: .deviceName),
            ]),
            hex: "050101000028" + "0200002a", line: "Find Information Response 0x0001 0x2800, 0x0002 0x2a00",
            shorter: [6]),
        .init(
            pdu: .findInformationResponse([.init(handle: 1, type: long)]), hex: "05020100" + longHex,
            line: "Find Information Response 0x0001 0F0E0D0C-0B0A-0908-0706-050403020100"),
        .init(
            pdu: .findByTypeValueResponse([.init(start: 1, end: 5), .init(start: 9, end: 0xFFFF)]),
            hex: "07010005000900ffff", line: "Find By Type Value Response 0x0001–0x0005, 0x0009–0xffff", shorter: [5]),
        .init(
            pdu: .readByTypeResponse([.init(handle: 2, value: [7]), .init(handle: 4, value: [8])]),
            hex: "0903020007" + "040008", line: "Read By Type Response 0x0002 1 byte 07, 0x0004 1 byte 08",
            shorter: [5]),
        .init(
            pdu: .readByTypeResponse([.init(handle: 2, value: [])]), hex: "09020200",
            line: "Read By Type Response 0x0002 0 bytes"),
        .init(
            pdu: .readResponse(value: [1]), hex: "0b01", line: "Read Response 1 byte 01", shorter: [1],
            isOpenEnded: true),
        .init(
            pdu: .readBlobResponse(value: [1, 2]), hex: "0d0102", line: "Read Blob Response 2 bytes 0102",
            shorter: [1, 2], isOpenEnded: true),
        .init(
            pdu: .readMultipleResponse(values: [1, 2]), hex: "0f0102", line: "Read Multiple Response 2 bytes 0102",
            shorter: [1, 2], isOpenEnded: true),
        .init(
            pdu: .readByGroupTypeResponse([.init(start: 1, end: 5, value: [0, 0x18])]), hex: "1106010005000018",
            line: "Read By Group Type Response 0x0001–0x0005 2 bytes 0018"),
    ]

    private static let writes: [Sample] = [
        .init(
            pdu: .writeRequest(handle: 0x12, value: [0xAA]), hex: "121200aa", line: "Write Request 0x0012 1 byte aa",
            shorter: [3], isOpenEnded: true),
        .init(pdu: .writeResponse, hex: "13", line: "Write Response"),
        .init(
            pdu: .writeCommand(handle: 0x12, value: Array(0...16)), hex: "521200" + longHex + "10",
            line: "Write Command 0x0012 17 bytes \(longHex)…", shorter: Array(3...19), isOpenEnded: true),
        .init(
            pdu: .signedWriteCommand(handle: 1, value: [9], signature: Array(0...11)),
            hex: "d2010009000102030405060708090a0b", line: "Signed Write Command 0x0001 1 byte 09", shorter: [15],
            isOpenEnded: true),
        .init(
            pdu: .prepareWriteRequest(handle: 1, offset: 18, value: [9]), hex: "160100120009",
            line: "Prepare Write Request 0x0001 from 18 1 byte 09", shorter: [5], isOpenEnded: true),
        .init(
            pdu: .prepareWriteResponse(handle: 1, offset: 18, value: [9]), hex: "170100120009",
            line: "Prepare Write Response 0x0001 from 18 1 byte 09", shorter: [5], isOpenEnded: true),
        .init(pdu: .executeWriteRequest(commits: true), hex: "1801", line: "Execute Write Request commit"),
        .init(pdu: .executeWriteRequest(commits: false), hex: "1800", line: "Execute Write Request cancel"),
        .init(pdu: .executeWriteResponse, hex: "19", line: "Execute Write Response"),
        .init(
            pdu: .handleValueNotification(handle: 1, value: []), hex: "1b0100",
            line: "Handle Value Notification 0x0001 0 bytes", isOpenEnded: true),
        .init(
            pdu: .handleValueIndication(handle: 1, value: [0]), hex: "1d010000",
            line: "Handle Value Indication 0x0001 1 byte 00", shorter: [3], isOpenEnded: true),
        .init(pdu: .handleValueConfirmation, hex: "1e", line: "Handle Value Confirmation"),
        .init(
            pdu: .unknown(opcode: 0x23, parameters: [1]), hex: "2301", line: "Unknown PDU 0x23 1 byte 01", shorter: [1],
            isOpenEnded: true),
    ]

    @Test(arguments: samples)
    func `an ATT PDU is written as the specification lays it out and read back`(sample: Sample) throws {
        #expect(Hex.encode(sample.pdu.bytes) == sample.hex)
        #expect(try ATTPDU(sample.pdu.bytes) == sample.pdu)
    }

    @Test(arguments: samples)
    func `an ATT PDU is described in one line`(sample: Sample) {
        #expect(sample.pdu.description == sample.line)
    }

    @Test(arguments: samples)
    func `an ATT PDU cut short or too long is refused`(sample: Sample) {
        let bytes = sample.pdu.bytes
        #expect(DecoderVerifier.acceptedTruncations(of: bytes) { try ATTPDU($0) } == sample.shorter)
        #expect(DecoderVerifier.acceptedExtensions(of: bytes) { try ATTPDU($0) }.isEmpty != sample.isOpenEnded)
    }

    @Test func `every ATT opcode has a sample in these tests`() {
        #expect(Set(Self.samples.map(\.pdu.opcode)) == Set(ATTOpcode.allCases.map(\.rawValue) + [0x23]))
    }

    @Test func `an empty ATT PDU is refused`() {
        #expect(throws: BluetoothFormatError(.emptyPDU, "")) { try ATTPDU([]) }
    }

    @Test(arguments: ["0a", "0a000000", "0900", "09010200", "0501", "0501010000", "0e0100", "07", "1106010002000a"])
    func `an ATT PDU whose lengths contradict each other is refused`(hex: String) throws {
        let bytes = try #require(Hex.decode(hex))
        #expect(throws: BluetoothFormatError(.wrongPDULength, "")) { try ATTPDU(bytes) }
    }

    @Test(arguments: ["0500010000", "0503010000", "1802"])
    func `an ATT PDU with an undefined value in a field is refused`(hex: String) throws {
        let bytes = try #require(Hex.decode(hex))
        #expect(throws: BluetoothFormatError(.wrongPDUField, "")) { try ATTPDU(bytes) }
    }

    @Test func `every accepted ATT PDU is written back byte for byte`() {
        var random = SeededRandom(seed: 11)
        var accepted = 0
        for _ in 0..<40_000 {
            var bytes = random.bytes(count: random.within(0...40))
            if let opcode = ATTOpcode.allCases.randomElement(&random), !bytes.isEmpty { bytes[0] = opcode.rawValue }
            guard let pdu = try? ATTPDU(bytes) else { continue }
            accepted += 1
            #expect(!pdu.description.isEmpty)
            // A 128-bit form of a short UUID is written short; random bytes never hit one.
            #expect(pdu.bytes == bytes)
        }
        #expect(accepted > 10_000)
    }

    @Test func `an ATT list is written up to the first entry of another length`() throws {
        let values = ATTPDU.readByTypeResponse([.init(handle: 1, value: [1]), .init(handle: 2, value: [1, 2])])
        #expect(try ATTPDU(values.bytes) == .readByTypeResponse([.init(handle: 1, value: [1])]))
        let groups = ATTPDU.readByGroupTypeResponse([
            .init(start: 1, end: 2, value: [1, 2]), .init(start: 3, end: 4, value: []),
        ])
        #expect(try ATTPDU(groups.bytes) == .readByGroupTypeResponse([.init(start: 1, end: 2, value: [1, 2])]))
        let types = ATTPDU.findInformationResponse([
            .init(handle: 1, type: Self.long), .init(handle: 2, type: .deviceName),
        ])
        #expect(try ATTPDU(types.bytes) == .findInformationResponse([.init(handle: 1, type: Self.long)]))
    }

    @Test func `an ATT opcode tells whether client or server handles the PDU, and whether it must be answered`() {
        let forServer = ATTOpcode.allCases.filter { ATTOpcode.recipient(of: $0.rawValue) == .server }
        #expect(
            forServer == [
                .exchangeMTURequest, .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest,
                .readRequest, .readBlobRequest, .readMultipleRequest, .readByGroupTypeRequest, .writeRequest,
                .prepareWriteRequest, .executeWriteRequest, .handleValueConfirmation, .writeCommand,
                .signedWriteCommand,
            ])
        let unanswered = forServer.filter { !ATTOpcode.isRequest($0.rawValue) }
        #expect(unanswered == [.handleValueConfirmation, .writeCommand, .signedWriteCommand])
    }

    @Test func `a description of an ATT PDU cuts long lists and shows unknown codes as numbers`() {
        let many = ATTPDU.readMultipleRequest(handles: Array(1...9))
        #expect(many.description.hasPrefix("Read Multiple Request 9 entries: 0x0001, "))
        #expect(many.description.hasSuffix("0x0008, …"))
        #expect(ATTErrorCode(rawValue: 0x80).description == "Application Error (0x80)")
        #expect(ATTErrorCode(rawValue: 0x42).description == "Error 0x42")
        let strange = ATTPDU.errorResponse(opcode: 0x77, handle: 0, error: .invalidPDU)
        #expect(strange.description == "Error Response Invalid PDU (0x04) to 0x77 at 0x0000")
    }
}

extension Array {
    /// One element drawn by a repeatable generator; nil when there is none.
    func randomElement(_ random: inout SeededRandom) -> Element? {
        isEmpty ? nil : self[random.within(0...count - 1)]
    }
}
