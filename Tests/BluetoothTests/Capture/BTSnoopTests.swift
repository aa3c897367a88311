import Bluetooth
import ByteCoding
import Determinism
import Testing

@Suite struct BTSnoopTests {
    private static let peer = DeviceAddress(value: 0xC0FF_EE00_0102, kind: .random)
    private static let time: Int64 = 1_700_000_000_123_456
    private static let link = LinkParameters(phy: .le2M, intervalMicroseconds: 15_000)

    /// A short session, with the events that must come out of its capture.
    static func session(_ writer: BTSnoopWriter) -> (bytes: [UInt8], contents: [CaptureEvent.Content]) {
        let report = AdvertisementReport(address: peer, kind: .connectable, rssi: -40, data: [2, 1, 6])
        let long = ATTPDU.writeCommand(handle: 9, value: Array(0...255) + Array(0...255)).bytes
        let connection = HCIConnection(
            handle: 64, isCentral: true, peer: peer, intervalSteps: 12, supervisionSteps: 500)
        let bytes =
            BTSnoopWriter.header + writer.advertisement(report, at: time)
            + writer.connected(64, peer: peer, isCentral: true, link, at: time + 1)
            + writer.attribute([2, 5, 2], connection: 64, isReceived: false, at: time + 2)
            + writer.attribute([3, 5, 2], connection: 64, isReceived: true, at: time + 3)
            + writer.attribute(long, connection: 64, isReceived: false, at: time + 4)
            + writer.frame(L2CAPFrame(channel: 5, payload: [1]).bytes, connection: 64, isReceived: true, at: time + 5)
            + writer.disconnected(64, reason: 0x13, at: time + 6)
        return (
            bytes,
            [
                .advertisement(report), .connected(connection),
                .attribute(connection: 64, isReceived: false, pdu: [2, 5, 2]),
                .attribute(connection: 64, isReceived: true, pdu: [3, 5, 2]),
                .attribute(connection: 64, isReceived: false, pdu: long),
                .frame(connection: 64, isReceived: true, L2CAPFrame(channel: 5, payload: [1])),
                .disconnected(connection: 64, reason: 0x13),
            ]
        )
    }

    @Test func `a btsnoop record is laid out as the format requires`() {
        let bytes = BTSnoopWriter().disconnected(1, reason: 0x13, at: 0)
        #expect(Hex.encode(BTSnoopWriter.header) == "6274736e6f6f7000" + "00000001" + "000003ea")
        #expect(
            Hex.encode(bytes)
                == "00000007" + "00000007" + "00000003" + "00000000" + "00dcddb30f2f8000" + "04050400010013")
    }

    @Test(arguments: [27, 100, 1021])
    func `a btsnoop capture is read back to the same events however its frames were fragmented`(limit: Int) throws {
        let (bytes, contents) = Self.session(BTSnoopWriter(maximumACLBytes: limit))
        let file = try BTSnoopFile(parsing: bytes)
        #expect(file.problem == nil)
        #expect(file.events.map(\.content) == contents)
        #expect(file.events.map(\.microsecondsSinceEpoch) == (0..<7).map { Self.time + $0 })
        #expect(BTSnoopWriter.header + file.records.flatMap(\.bytes) == bytes)
    }

    @Test func `a btsnoop time before its epoch is clamped and does not wrap around`() throws {
        let times: [(UInt64, Int64)] = [(1 << 63, .min), (UInt64(bitPattern: .min + 0x00DC_DDB3_0F2F_8000), .min)]
        for (written, expected) in times {
            var bytes = BTSnoopWriter.header + BTSnoopWriter().disconnected(1, reason: 0x13, at: 0)
            for index in 0..<8 { bytes[16 + 16 + index] = UInt8(truncatingIfNeeded: written >> (56 - 8 * index)) }
            #expect(try BTSnoopFile(parsing: bytes).records.map(\.microsecondsSinceEpoch) == [expected])
        }
    }

    @Test func `a btsnoop capture cut short anywhere keeps the records that are whole`() throws {
        let (bytes, _) = Self.session(BTSnoopWriter())
        let whole = try BTSnoopFile(parsing: bytes).records
        for count in 0..<bytes.count {
            let cut = Array(bytes[..<count])
            if count < 16 {
                #expect(throws: BluetoothFormatError(.notACapture, "")) { try BTSnoopFile(parsing: cut) }
            } else {
                let file = try BTSnoopFile(parsing: cut)
                #expect(whole.starts(with: file.records))
                let length = 16 + file.records.reduce(0) { $0 + $1.bytes.count }
                #expect(file.problem == (length == count ? nil : .badRecord(offset: length)))
            }
        }
    }

    @Test func `a btsnoop capture with another file or link type is refused`() {
        var header = BTSnoopWriter.header
        header[15] = 0xE9
        #expect(throws: BluetoothFormatError(.captureOfOtherLink, "")) { try BTSnoopFile(parsing: header) }
        header[11] = 2
        #expect(throws: BluetoothFormatError(.notACapture, "")) { try BTSnoopFile(parsing: header) }
    }

    @Test func `a capture of the allowed number of records is read, and one more is reported`() throws {
        let record = BTSnoopWriter().disconnected(1, reason: 0x13, at: 0)
        let bytes = BTSnoopWriter.header + record + record
        #expect(try BTSnoopFile(parsing: bytes, limit: 2).problem == nil)
        let cut = try BTSnoopFile(parsing: bytes, limit: 1)
        #expect(cut.problem == .tooManyRecords && cut.records.count == 1)
    }

    @Test func `a capture packet of the greatest length is read, and one that announces more is not`() throws {
        for count in [BTSnoopRecord.maximumPacketBytes, BTSnoopRecord.maximumPacketBytes + 1] {
            let record = BTSnoopRecord(
                microsecondsSinceEpoch: 0, isReceived: false, isControl: false,
                packet: [UInt8](repeating: 5, count: count))
            let file = try BTSnoopFile(parsing: BTSnoopWriter.header + record.bytes)
            #expect((file.problem == nil) == (count == BTSnoopRecord.maximumPacketBytes))
        }
    }

    @Test func `a time that btsnoop cannot hold is clamped`() throws {
        let record = BTSnoopRecord(microsecondsSinceEpoch: .max, isReceived: false, isControl: false, packet: [])
        let file = try BTSnoopFile(parsing: BTSnoopWriter.header + record.bytes)
        #expect(file.records.first?.microsecondsSinceEpoch ?? 0 > Self.time)
    }

    @Test func `a capture packet that cannot be reassembled is reported and the others are read`() {
        var decoder = CaptureDecoder()
        func contents(_ packet: [UInt8]) -> [CaptureEvent.Content] {
            decoder.events(
                of: .init(microsecondsSinceEpoch: 0, isReceived: false, isControl: false, packet: packet)
            ).map(\.content)
        }
        func isProblem(_ contents: [CaptureEvent.Content]) -> Bool {
            if case .problem = contents.first { contents.count == 1 } else { false }
        }
        #expect(isProblem(contents([])) && isProblem(contents([2, 0])))
        #expect(isProblem(contents([2, 64, 0x10, 1, 0, 9])))
        #expect(isProblem(contents([4, 0x3E, 0x13, 1, 0x3E, 64, 0] + [UInt8](repeating: 0, count: 15))))
        #expect(contents([1, 3, 12, 0]).isEmpty)
        let frame = HCIPacket.data(connection: 64, isFirst: true, fragment: L2CAPFrame(payload: [0x13]).bytes)
        #expect(
            contents(frame.bytes(isReceived: false))
                == [.attribute(connection: 64, isReceived: false, pdu: [0x13])])
    }

    @Test func `the allowed number of connections in a capture is decoded, and one more is reported`() {
        var decoder = CaptureDecoder()
        let limit = CaptureDecoder.maximumConnections
        var last: [CaptureEvent.Content] = []
        for handle in 0...UInt16(limit) {
            for isReceived in [false, true] {
                let packet = HCIPacket.data(
                    connection: handle, isFirst: true, fragment: L2CAPFrame(payload: [0x13]).bytes)
                last = decoder.events(
                    of: .init(
                        microsecondsSinceEpoch: 0, isReceived: isReceived, isControl: false,
                        packet: packet.bytes(isReceived: isReceived))
                ).map(\.content)
                let isWhole = last == [.attribute(connection: handle, isReceived: isReceived, pdu: [0x13])]
                #expect(isWhole == (Int(handle) < limit))
            }
        }
    }

    @Test func `any bytes after the header of a capture are read without a trap`() throws {
        var random = SeededRandom(seed: 9)
        let (bytes, _) = Self.session(BTSnoopWriter(maximumACLBytes: 27))
        for _ in 0..<500 {
            var damaged = bytes
            for _ in 0..<random.within(1...8) {
                damaged[random.within(16...bytes.count - 1)] = random.bytes(count: 1)[0]
            }
            let file = try BTSnoopFile(parsing: damaged)
            #expect(file.events.count <= bytes.count)
        }
    }
}
