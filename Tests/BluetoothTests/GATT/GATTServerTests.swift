import Bluetooth
import ByteCoding
import Determinism
import TestSupport
import Testing

@Suite struct GATTServerTests {
    static let service = BluetoothUUID(UInt16(0xA000))
    static let writable = BluetoothUUID(UInt16(0xA001))
    static let readable = BluetoothUUID(UInt16(0xA002))
    static let pushed = BluetoothUUID(UInt16(0xA003))
    static let secret = BluetoothUUID(UInt16(0xA004))
    private static let now = MonotonicInstant.zero

    /// Handles: 1–5 generic access, 6 generic attribute, 7 service, 9 writable, 11 readable, 13 pushed with 14 its
    /// configuration, 16 secret.
    static func server(_ configuration: GATTServer.Configuration = .init()) throws -> GATTServer {
        let characteristics: [CharacteristicDefinition] = [
            .init(uuid: writable, properties: [.write, .writeWithoutResponse]),
            .init(uuid: readable, properties: .read, initialValue: Array(0..<60)),
            .init(uuid: pushed, properties: .indicate, hasClientConfiguration: true),
            .init(uuid: secret, properties: []),
        ]
        let database = try GATTDatabase([ServiceDefinition(uuid: service, characteristics: characteristics)])
        return GATTServer(database: database, configuration: configuration)
    }

    /// Returns the PDUs that the server sends in answer to the PDU in `hex`, in hex.
    private static func answers(_ server: inout GATTServer, _ hex: String) throws -> [String] {
        let request = try #require(Hex.decode(hex))
        return server.handle(.received(request), at: now).compactMap {
            if case .send(let pdu) = $0 { Hex.encode(pdu) } else { nil }
        }
    }

    @Test(
        arguments: [
            // Discovery.
            ("100100ffff0028", "1106" + "010005000018" + "060006000118" + "0700100000a0"),
            ("100800ffff0028", "01100800" + "0a"), ("100100ffff0128", "01100100" + "0a"),
            ("100100ffff0328", "01100100" + "10"), ("100000ffff0028", "01100000" + "01"),
            ("10050001000028", "01100500" + "01"), ("060100ffff002800a0", "0707001000"),
            ("060100ffff002801a0", "01060100" + "0a"), ("060100ffff0028", "01060100" + "0a"),
            ("060100ffff032800a0", "01060100" + "0a"), ("060100ffff002800a00000", "01060100" + "0a"),
            ("08070010000328", "0907" + "08000c090001a0" + "0a00020b0002a0" + "0c00200d0003a0"),
            ("080100ffff002a", "0902" + "0300"), ("080100ffff04a0", "01081000" + "02"),
            ("080100ffff992a", "01080100" + "0a"), ("040d000e00", "0501" + "0d0003a0" + "0e000229"),
            ("041100ffff", "01041100" + "0a"), ("040000ffff", "01040000" + "01"),
            // Reading.
            ("0a0500", "0b0000"), ("0a0300", "0b"), ("0a0100", "0b0018"), ("0a0800", "0b0c090001a0"),
            ("0a0b00", "0b000102030405060708090a0b0c0d0e0f101112131415"), ("0a0e00", "0b0000"),
            ("0c0b003a00", "0d3a3b"), ("0c0b003c00", "0d"), ("0c0b003d00", "010c0b00" + "07"),
            ("0a0900", "010a0900" + "02"), ("0c09000000", "010c0900" + "02"), ("0a0000", "010a0000" + "01"),
            ("0a1100", "010a1100" + "01"), ("0e0b000500", "010e0000" + "06"),
            // Writing.
            ("120b0001", "01120b00" + "03"), ("12070001", "01120700" + "03"), ("12110001", "01121100" + "01"),
            ("120900aa", "13"), ("120e000200", "13"), ("120e000100", "01120e00" + "13"),
            ("120e0002", "01120e00" + "0d"), ("120e00020000", "01120e00" + "0d"), ("120e000201", "01120e00" + "13"),
            ("160b00000001", "01160b00" + "03"), ("1801", "19"), ("1800", "19"),
            // Requests that the server does not understand.
            ("0200", "01020000" + "04"), ("1802", "01180000" + "04"), ("3400", "01340000" + "06"),
            ("0a", "010a0000" + "04"),
        ])
    func `the GATT server answers each request as the specification requires`(request: String, answer: String) throws {
        var server = try Self.server()
        #expect(try Self.answers(&server, request) == [answer])
    }

    @Test(arguments: ["", "52", "72ff", "d2090001", "1b0900", "13", "0b00", "01120900" + "03", "1e", "ff", "03f701"])
    func `the GATT server does not answer commands it cannot carry out, and reports them as dropped`(hex: String) throws
    {
        var server = try Self.server()
        let bytes = try #require(Hex.decode(hex))
        let outputs = server.handle(.received(bytes), at: Self.now)
        #expect(outputs == [.dropped(GATTError(.unexpectedPDU, ""))])
    }

    @Test func `a PDU as long as the MTU is answered and one a byte longer is not`() throws {
        var server = try Self.server()
        let request = ATTPDU.writeRequest(handle: 9, value: Array(repeating: 1, count: 20)).bytes
        #expect(server.handle(.received(request), at: Self.now).first == .send([0x13]))
        let refusal = ATTPDU.errorResponse(opcode: 0x12, handle: 0, error: .invalidPDU).bytes
        #expect(server.handle(.received(request + [1]), at: Self.now) == [.send(refusal)])
        let command = ATTPDU.writeCommand(handle: 9, value: Array(repeating: 1, count: 21)).bytes
        #expect(server.handle(.received(command), at: Self.now) == [.dropped(GATTError(.unexpectedPDU, ""))])
    }

    @Test(arguments: [(22, 23), (23, 23), (24, 24), (185, 185), (246, 246), (247, 247), (517, 247), (65535, 247)])
    func `the GATT server's MTU is the smaller of both ends' values and at least 23`(client: Int, effective: Int) throws
    {
        var server = try Self.server(.init(maximumMTU: 247))
        let outputs = server.handle(.received(ATTPDU.exchangeMTURequest(mtu: UInt16(client)).bytes), at: Self.now)
        let answer = GATTServer.Output.send(ATTPDU.exchangeMTUResponse(mtu: 247).bytes)
        #expect(outputs == (effective == 23 ? [answer] : [answer, .mtuChanged(effective)]))
        #expect(server.mtu == effective)
    }

    @Test func `a repeated ATT MTU exchange is answered and takes effect, as deployed wallets need it`() throws {
        var server = try Self.server()
        _ = server.handle(.received(ATTPDU.exchangeMTURequest(mtu: 512).bytes), at: Self.now)
        let outputs = server.handle(.received(ATTPDU.exchangeMTURequest(mtu: 185).bytes), at: Self.now)
        #expect(outputs == [.send(ATTPDU.exchangeMTUResponse(mtu: 517).bytes), .mtuChanged(185)])
    }

    @Test func `the GATT server can refuse an MTU exchange`() throws {
        var server = try Self.server(.init(answersMTUExchange: false))
        #expect(try Self.answers(&server, "020502") == ["0102000006"])
        #expect(server.mtu == 23)
    }

    @Test func `an MTU that the GATT client of this device negotiated is used by its server too`() throws {
        var server = try Self.server()
        #expect(server.handle(.mtuAgreed(100), at: Self.now) == [.mtuChanged(100)])
        #expect(server.handle(.mtuAgreed(100), at: Self.now).isEmpty)
        #expect(server.handle(.mtuAgreed(9999), at: Self.now) == [.mtuChanged(517)])
    }

    @Test func `a GATT write with response is answered before its value is given to the application`() throws {
        var server = try Self.server()
        let outputs = server.handle(.received(ATTPDU.writeRequest(handle: 9, value: [1, 2]).bytes), at: Self.now)
        let written = GATTServer.Output.written(characteristic: Self.writable, value: [1, 2], isCommand: false)
        #expect(outputs == [.send([0x13]), written])
    }

    @Test func `a GATT write command is given to the application and not answered`() throws {
        var server = try Self.server()
        let outputs = server.handle(.received(ATTPDU.writeCommand(handle: 9, value: []).bytes), at: Self.now)
        #expect(outputs == [.written(characteristic: Self.writable, value: [], isCommand: true)])
    }

    @Test(arguments: [(0, 1), (8, 1), (11, 3), (14, 1), (17, 1)] as [(UInt16, UInt8)])
    func `a write command that is not permitted is dropped and reported with its ATT error`(
        handle: UInt16, error: UInt8
    ) throws {
        var server = try Self.server()
        let outputs = server.handle(.received(ATTPDU.writeCommand(handle: handle, value: [0]).bytes), at: Self.now)
        guard case .dropped(let dropped) = outputs.first else { return #expect(Bool(false), "\(outputs)") }
        #expect(dropped.code == .attError && dropped.wireCode == error && outputs.count == 1)
    }

    @Test func `a write request of 512 bytes is accepted and one of 513 refused, a command of 514 accepted too`() throws
    {
        for count in [512, 513, 514, 515] {
            var server = try Self.server()
            _ = server.handle(.mtuAgreed(517), at: Self.now)
            let value = [UInt8](repeating: 7, count: count)
            let request = server.handle(.received(ATTPDU.writeRequest(handle: 9, value: value).bytes), at: Self.now)
            let command = server.handle(.received(ATTPDU.writeCommand(handle: 9, value: value).bytes), at: Self.now)
            if count == 512 {
                #expect(request.contains(.written(characteristic: Self.writable, value: value, isCommand: false)))
                #expect(command == [.written(characteristic: Self.writable, value: value, isCommand: true)])
            } else {
                let refusal = ATTPDU.errorResponse(opcode: 0x12, handle: 9, error: .invalidValueLength)
                let isWithinMTU = count <= 514
                #expect((request == [.send(refusal.bytes)]) == isWithinMTU)
                let taken = GATTServer.Output.written(characteristic: Self.writable, value: value, isCommand: true)
                #expect((command == [taken]) == isWithinMTU)
            }
        }
    }

    @Test(.shows("MDR-063")) func `a GATT subscription is reported once for each change`() throws {
        var server = try Self.server()
        let on = ATTPDU.writeRequest(handle: 14, value: [2, 0]).bytes
        let off = ATTPDU.writeRequest(handle: 14, value: [0, 0]).bytes
        #expect(server.handle(.received(off), at: Self.now) == [.send([0x13])])
        let subscribed = GATTServer.Output.subscribed(characteristic: Self.pushed, isSubscribed: true)
        #expect(server.handle(.received(on), at: Self.now) == [.send([0x13]), subscribed])
        #expect(server.isSubscribed(to: Self.pushed))
        #expect(try Self.answers(&server, "0a0e00") == ["0b0200"])
        #expect(server.handle(.received(on), at: Self.now) == [.send([0x13])])
        let unsubscribed = GATTServer.Output.subscribed(characteristic: Self.pushed, isSubscribed: false)
        #expect(server.handle(.received(off), at: Self.now) == [.send([0x13]), unsubscribed])
        #expect(!server.isSubscribed(to: Self.pushed) && !server.isSubscribed(to: Self.readable))
    }

    @Test func `a client configuration of 00 01 counts as 01 00, where the characteristic notifies`() throws {
        for (properties, isAllowed) in [(.notify, true), (.indicate, false)] as [(CharacteristicProperties, Bool)] {
            let definition = CharacteristicDefinition(
                uuid: Self.pushed, properties: properties, hasClientConfiguration: true)
            let service = ServiceDefinition(uuid: Self.service, characteristics: [definition])
            var server = GATTServer(database: try GATTDatabase([service]))
            let outputs = server.handle(
                .received(ATTPDU.writeRequest(handle: 10, value: [0, 1]).bytes), at: Self.now)
            let subscribed = GATTServer.Output.subscribed(characteristic: Self.pushed, isSubscribed: true)
            #expect(outputs == (isAllowed ? [.send([0x13]), subscribed] : [.send([0x01, 0x12, 10, 0, 0x13])]))
            #expect(try Self.answers(&server, "0a0a00") == [isAllowed ? "0b0100" : "0b0000"])
            // Other bits of the second byte mean nothing in any order.
            #expect(try Self.answers(&server, "120a000002") == ["01120a0013"])
        }
    }

    @Test func `a removed service is answered as one that never was, and its client configuration is forgotten`() throws
    {
        var database = try GATTDatabase([])
        let definition = CharacteristicDefinition(uuid: Self.pushed, properties: .notify, hasClientConfiguration: true)
        let service = ServiceDefinition(uuid: Self.service, characteristics: [definition])
        try database.add(service)
        var server = GATTServer(database: database)
        #expect(try Self.answers(&server, "120a000100") == ["13"])
        #expect(server.isSubscribed(to: Self.pushed))
        database.remove(Self.service)
        server.setDatabase(database)
        #expect(try Self.answers(&server, "0a0a00") == ["010a0a0001"])
        #expect(try Self.answers(&server, "120a000100") == ["01120a0001"])
        #expect(try Self.answers(&server, "100700ffff0028") == ["011007000a"])
        let push = GATTServer.Input.notify(id: 1, characteristic: Self.pushed, value: [1], confirmed: false)
        #expect(server.handle(push, at: Self.now) == [.notifyFailed(id: 1, GATTError(.notFound, ""))])
        try database.add(service)
        server.setDatabase(database)
        #expect(!server.isSubscribed(to: Self.pushed))
        #expect(try Self.answers(&server, "0a0e00") == ["0b0000"])
    }

    @Test func `a GATT read returns the value that the application set last`() throws {
        var server = try Self.server()
        try server.setValue([9, 8], of: Self.readable)
        #expect(try Self.answers(&server, "0a0b00") == ["0b0908"])
        #expect(server.database.value(of: Self.readable) == [9, 8])
    }
}

/// Reads that the owner of the server answers.
@Suite struct PassedOnReadTests {
    private static let asked = BluetoothUUID(UInt16(0xA005))
    private static let now = MonotonicInstant.zero

    /// The value of `asked` has handle 9.
    private func server() throws -> GATTServer {
        let definition = CharacteristicDefinition(uuid: Self.asked, properties: .read, passesReadsOn: true)
        let database = try GATTDatabase([
            ServiceDefinition(uuid: GATTServerTests.service, characteristics: [definition])
        ])
        return GATTServer(database: database)
    }

    @Test func `a GATT read is passed to the application, and answered from the requested offset`() throws {
        var server = try server()
        #expect(
            server.handle(.received([0x0A, 9, 0]), at: Self.now) == [
                .readPassedOn(characteristic: Self.asked, offset: 0)
            ])
        #expect(server.handle(.answerRead(Array(0..<30)), at: Self.now) == [.send([0x0B] + Array(0..<22))])
        #expect(
            server.handle(.received([0x0C, 9, 0, 22, 0]), at: Self.now)
                == [.readPassedOn(characteristic: Self.asked, offset: 22)])
        #expect(server.handle(.answerRead(Array(0..<30)), at: Self.now) == [.send([0x0D] + Array(22..<30))])
    }

    @Test func `a GATT read past the value's end, or without a value from the application, is refused`() throws {
        var server = try server()
        _ = server.handle(.received([0x0C, 9, 0, 4, 0]), at: Self.now)
        #expect(server.handle(.answerRead([1, 2, 3]), at: Self.now) == [.send([0x01, 0x0C, 9, 0, 0x07])])
        _ = server.handle(.received([0x0A, 9, 0]), at: Self.now)
        #expect(server.handle(.answerRead(nil), at: Self.now) == [.send([0x01, 0x0A, 9, 0, 0x02])])
        #expect(server.handle(.answerRead([1]), at: Self.now) == [])
    }

    @Test func `an ATT request sent before the last one is answered is dropped, and later ones are served`() throws {
        var server = try server()
        _ = server.handle(.received([0x0A, 9, 0]), at: Self.now)
        let outputs = server.handle(.received([0x0A, 9, 0]), at: Self.now)
        #expect(outputs.map { if case .dropped = $0 { true } else { false } } == [true])
        #expect(server.handle(.answerRead([7]), at: Self.now) == [.send([0x0B, 7])])
        #expect(server.handle(.received([0x0A, 5, 0]), at: Self.now) == [.send([0x0B, 0, 0])])
    }
}
