import Bluetooth
import Determinism
import Testing

@Suite struct GATTServerPushTests {
    private static let now = MonotonicInstant.zero
    private static let late = MonotonicInstant.zero + .seconds(30)
    private static let confirmation = GATTServer.Input.received([0x1E])

    private static func push(_ id: UInt64, _ value: [UInt8] = [7], confirmed: Bool) -> GATTServer.Input {
        .notify(id: id, characteristic: GATTServerTests.pushed, value: value, confirmed: confirmed)
    }

    @Test func `the GATT server notifies a client that never subscribed`() throws {
        var server = try GATTServerTests.server()
        #expect(
            server.handle(Self.push(1, confirmed: false), at: Self.now) == [.send([0x1B, 13, 0, 7]), .notified(id: 1)])
        #expect(server.nextDeadline == nil)
    }

    @Test
    func `a push by UUID goes to the characteristic in the service written to last, at first to the first`()
        throws
    {
        let shared = BluetoothUUID(UInt16(0x2037))
        let services = (1...2).map { number in
            ServiceDefinition(
                uuid: BluetoothUUID(UInt16(0xFF00 + number)),
                characteristics: [
                    CharacteristicDefinition(uuid: BluetoothUUID(UInt16(0xFF10 + number)), properties: .write),
                    CharacteristicDefinition(uuid: shared, properties: .notify),
                ])
        }
        let database = try GATTDatabase(services)
        var server = GATTServer(database: database)
        func pushed() -> UInt8? {
            let outputs = server.handle(
                .notify(id: 1, characteristic: shared, value: [7], confirmed: false), at: Self.now)
            guard case .send(let pdu)? = outputs.first else { return nil }
            return pdu[1]
        }
        let first = try #require(pushed())
        for number in [2, 1] as [UInt16] {
            let uuid = BluetoothUUID(0xFF10 + number)
            let handle = UInt8(try #require(database.valueHandle(of: uuid)))
            _ = server.handle(.received([0x12, handle, 0, 1]), at: Self.now)
            #expect(pushed() == handle + 2)
        }
        #expect(pushed() == first)
    }

    @Test func `a value of 512 bytes is pushed where the MTU has room for more, and one of 513 is not`() throws {
        var server = try GATTServerTests.server()
        _ = server.handle(.received(ATTPDU.exchangeMTURequest(mtu: 517).bytes), at: Self.now)
        for isConfirmed in [false, true] {
            let long = server.handle(
                Self.push(1, [UInt8](repeating: 7, count: 513), confirmed: isConfirmed), at: Self.now)
            #expect(long == [.notifyFailed(id: 1, GATTError(.tooLarge, ""))])
            let full = server.handle(
                Self.push(2, [UInt8](repeating: 7, count: 512), confirmed: isConfirmed), at: Self.now)
            guard case .send(let pdu)? = full.first else { return #expect(Bool(false), "\(full)") }
            #expect(pdu.count == 515)
        }
    }

    @Test func `a second indication waits until the first is confirmed`() throws {
        var server = try GATTServerTests.server()
        #expect(server.handle(Self.push(1, [1], confirmed: true), at: Self.now) == [.send([0x1D, 13, 0, 1])])
        #expect(server.handle(Self.push(2, [2], confirmed: true), at: Self.now).isEmpty)
        #expect(server.handle(Self.push(3, [3], confirmed: false), at: Self.now).count == 2)
        #expect(
            server.handle(Self.confirmation, at: Self.late) == [.notified(id: 1), .send([0x1D, 13, 0, 2])])
        #expect(server.nextDeadline == Self.late + .seconds(30))
        #expect(server.handle(Self.confirmation, at: Self.late) == [.notified(id: 2)])
        #expect(server.nextDeadline == nil)
        #expect(server.handle(Self.confirmation, at: Self.late) == [.dropped(GATTError(.unexpectedPDU, ""))])
    }

    @Test func `an indication unconfirmed for 30 s ends the link and fails those that wait`() throws {
        var server = try GATTServerTests.server()
        _ = server.handle(Self.push(1, confirmed: true), at: Self.now)
        _ = server.handle(Self.push(2, confirmed: true), at: Self.now)
        #expect(server.nextDeadline == Self.late)
        #expect(server.handle(.deadline, at: .zero + .milliseconds(29_999)).isEmpty)
        let error = GATTError(.transactionTimeout, "")
        #expect(
            server.handle(.deadline, at: Self.late)
                == [.notifyFailed(id: 1, error), .notifyFailed(id: 2, error), .linkFailed(error)])
        #expect(!server.isOpen && server.nextDeadline == nil)
        #expect(server.handle(Self.confirmation, at: Self.late).isEmpty)
        #expect(server.handle(.received([0x0A, 1, 0]), at: Self.late).isEmpty)
        let lost = GATTServer.Output.notifyFailed(id: 3, GATTError(.linkLost, ""))
        #expect(server.handle(Self.push(3, confirmed: false), at: Self.late) == [lost])
        #expect(server.handle(.mtuAgreed(100), at: Self.late).isEmpty)
    }

    @Test func `a lost link fails the GATT indications that wait`() throws {
        var server = try GATTServerTests.server()
        _ = server.handle(Self.push(1, confirmed: true), at: Self.now)
        let lost = GATTServer.Output.notifyFailed(id: 1, GATTError(.linkLost, ""))
        #expect(server.handle(.linkDown, at: Self.now) == [lost])
        #expect(server.handle(.linkDown, at: Self.now).isEmpty)
        #expect(server.handle(.deadline, at: Self.late).isEmpty)
    }

    @Test func `the allowed number of indications may wait and one more is refused`() throws {
        var server = try GATTServerTests.server(.init(maximumQueuedIndications: 2))
        for id in UInt64(1)...3 { _ = server.handle(Self.push(id, confirmed: true), at: Self.now) }
        let full = GATTServer.Output.notifyFailed(id: 4, GATTError(.queueFull, ""))
        #expect(server.handle(Self.push(4, confirmed: true), at: Self.now) == [full])
        _ = server.handle(Self.confirmation, at: Self.now)
        #expect(server.handle(Self.push(5, confirmed: true), at: Self.now).isEmpty)
    }

    @Test(arguments: [false, true])
    func `a pushed value that fills the MTU is sent and one a byte longer refused`(confirmed: Bool) throws {
        var server = try GATTServerTests.server()
        let value = [UInt8](repeating: 1, count: 20)
        guard case .send(let pdu) = server.handle(Self.push(1, value, confirmed: confirmed), at: Self.now).first else {
            return #expect(Bool(false), "nothing was sent")
        }
        #expect(pdu.count == 23)
        let refused = GATTServer.Output.notifyFailed(id: 2, GATTError(.tooLarge, ""))
        #expect(server.handle(Self.push(2, value + [1], confirmed: confirmed), at: Self.now) == [refused])
    }

    @Test func `an indication that waits fails if the MTU has become too small when it is sent`() throws {
        var server = try GATTServerTests.server()
        _ = server.handle(.mtuAgreed(100), at: Self.now)
        _ = server.handle(Self.push(1, confirmed: true), at: Self.now)
        _ = server.handle(Self.push(2, [UInt8](repeating: 1, count: 90), confirmed: true), at: Self.now)
        _ = server.handle(Self.push(3, [3], confirmed: true), at: Self.now)
        _ = server.handle(.received(ATTPDU.exchangeMTURequest(mtu: 50).bytes), at: Self.now)
        #expect(
            server.handle(Self.confirmation, at: Self.now) == [
                .notified(id: 1), .notifyFailed(id: 2, GATTError(.tooLarge, "")), .send([0x1D, 13, 0, 3]),
            ])
    }

    @Test func `a notification of an unknown characteristic fails`() throws {
        var server = try GATTServerTests.server()
        let input = GATTServer.Input.notify(
            id: 1, characteristic: BluetoothUUID(UInt16(0xBEEF)), value: [], confirmed: false)
        #expect(server.handle(input, at: Self.now) == [.notifyFailed(id: 1, GATTError(.notFound, ""))])
    }
}
