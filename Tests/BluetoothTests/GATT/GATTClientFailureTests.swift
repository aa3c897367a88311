import Bluetooth
import ByteCoding
import Determinism
import Testing

@Suite struct GATTClientFailureTests {
    private static let service = RemoteService(uuid: .deviceName, startHandle: 10, endHandle: 20)
    private static let badAnswer = GATTError(.badAnswer, "")

    private static let strange: [(GATTClient.Procedure, String)] = [
        // Find By Type Value: end before start, handle 0, overlapping.
        (.discoverServices(.deviceName), "0705000400"),
        (.discoverServices(.deviceName), "0700000100"),
        (.discoverServices(.deviceName), "070100050005000600"),
        // Read By Group Type: out of order, a UUID of four bytes.
        (.discoverServices(nil), "1106080009000100010002000100"),
        (.discoverServices(nil), "11080100020001000000"),
        // Declarations: before the service, value before the declaration, past the service, repeated, too short.
        (.discoverCharacteristics(of: service), "09070900020a0001a0"),
        (.discoverCharacteristics(of: service), "09070b00020b0001a0"),
        (.discoverCharacteristics(of: service), "0907140002150001a0"),
        (.discoverCharacteristics(of: service), "09070a00020b0001a00a00020b0001a0"),
        (.discoverCharacteristics(of: service), "09060a00020b0001"),
    ]

    @Test(arguments: strange)
    func `a malformed or misordered ATT answer fails the procedure and keeps the link`(
        procedure: GATTClient.Procedure, answer: String
    ) throws {
        var script = ClientScript()
        _ = script.perform(1, procedure)
        #expect(try script.receive(answer) == [.failed(id: 1, Self.badAnswer)])
        #expect(script.client.isOpen && script.client.pendingCount == 0 && script.client.nextDeadline == nil)
    }

    @Test(arguments: ["05010c000129" + "0b000129", "05010b000129", "050115000129"])
    func `descriptors out of order or out of range fail the discovery`(answer: String) throws {
        var script = ClientScript()
        _ = script.perform(1, .discoverCharacteristics(of: Self.service))
        _ = try script.receive("0907" + "0a00100b0001a0")
        #expect(try script.receive("01080c000a") == [.sends("040c001400")])
        #expect(try script.receive(answer) == [.failed(id: 1, Self.badAnswer)])
    }

    @Test(arguments: [
        "13", "0700010002", "0d01", "0112030002", "09", "0300", "0b" + String(repeating: "00", count: 23),
    ])
    func `an answer to another request, or an unreadable one, ends the link`(answer: String) throws {
        var script = ClientScript()
        _ = script.perform(1, .read(handle: 3))
        _ = script.perform(2, .read(handle: 4))
        #expect(
            try script.receive(answer)
                == [.failed(id: 1, Self.badAnswer), .failed(id: 2, Self.badAnswer), .linkFailed(Self.badAnswer)])
        #expect(!script.client.isOpen)
        #expect(try script.receive("0b01").isEmpty)
        #expect(script.perform(3, .read(handle: 3)) == [.failed(id: 3, GATTError(.linkLost, ""))])
        #expect(script.perform(4, .writeCommand([], handle: 3)) == [.failed(id: 4, GATTError(.linkLost, ""))])
    }

    @Test(arguments: ["", "13", "0b01", "0102000006", "2300", "ff00", "0300", "1e", "5201", "1b01", "1d00"])
    func `an ATT answer without a pending request is dropped`(hex: String) throws {
        var script = ClientScript()
        #expect(try script.receive(hex) == [.dropped(GATTError(.unexpectedPDU, ""))])
    }

    @Test func `a malformed notification does not disturb the pending request`() throws {
        var script = ClientScript()
        _ = script.perform(1, .read(handle: 3))
        #expect(try script.receive("1b01") == [.dropped(GATTError(.unexpectedPDU, ""))])
        #expect(try script.receive("1b0100" + String(repeating: "00", count: 21)).count == 1)
        #expect(try script.receive("0b01") == [.completed(id: 1, .value([1]))])
    }

    @Test(arguments: ["020502", "0a0300", "120300", "3400"])
    func `a request to a device without a GATT server is refused`(hex: String) throws {
        var script = ClientScript()
        let refusal = "01" + hex.prefix(2) + "0000" + "06"
        #expect(try script.receive(hex) == [.sends(refusal), .dropped(GATTError(.unexpectedPDU, ""))])
    }

    @Test func `a request that is not answered for 30 s fails everything on the link`() throws {
        var script = ClientScript()
        _ = script.perform(1, .read(handle: 3))
        _ = script.perform(2, .read(handle: 4))
        #expect(script.client.nextDeadline == .zero + .seconds(30))
        #expect(script.client.handle(.deadline, at: .zero + .milliseconds(29_999)).isEmpty)
        let error = GATTError(.transactionTimeout, "")
        #expect(
            script.client.handle(.deadline, at: .zero + .seconds(30))
                == [.failed(id: 1, error), .failed(id: 2, error), .linkFailed(error)])
        #expect(script.client.handle(.deadline, at: .zero + .seconds(60)).isEmpty)
        #expect(script.client.handle(.linkDown, at: .zero + .seconds(60)).isEmpty)
        #expect(script.client.handle(.mtuAgreed(100), at: .zero + .seconds(60)).isEmpty)
    }

    @Test func `each ATT request has the full time-out of its own`() throws {
        var script = ClientScript()
        _ = script.perform(1, .read(handle: 3))
        script.now = .zero + .seconds(29)
        _ = try script.receive("0b" + String(repeating: "00", count: 22))
        #expect(script.client.nextDeadline == .zero + .seconds(59))
    }

    @Test func `a lost link fails the pending procedure and those that wait`() {
        var script = ClientScript()
        _ = script.perform(1, .read(handle: 3))
        _ = script.perform(2, .read(handle: 4))
        let error = GATTError(.linkLost, "")
        #expect(script.client.handle(.linkDown, at: .zero) == [.failed(id: 1, error), .failed(id: 2, error)])
    }

    @Test func `the allowed number of procedures may wait and one more is refused`() {
        var script = ClientScript(client: GATTClient(configuration: .init(maximumQueuedProcedures: 2)))
        for id in UInt64(1)...3 { _ = script.perform(id, .read(handle: 3)) }
        #expect(script.client.pendingCount == 3)
        #expect(script.perform(4, .read(handle: 3)) == [.failed(id: 4, GATTError(.queueFull, ""))])
    }

    @Test func `a discovery of the allowed number of services completes, and one more is a bad answer`() throws {
        for count in [3, 4] {
            var script = ClientScript(client: GATTClient(configuration: .init(maximumDiscovered: 3)))
            _ = script.perform(1, .discoverServices(nil))
            for handle in 1..<count {
                _ = try script.receive("1106" + "0\(handle)000\(handle)000100")
            }
            let last = try script.receive("1106" + "0\(count)000\(count)000100")
            #expect((last == [.failed(id: 1, Self.badAnswer)]) == (count == 4))
        }
    }

    @Test func `a discovery of the allowed number of characteristics completes, and one more is a bad answer`() throws {
        for limit in [2, 1] {
            var script = ClientScript(client: GATTClient(configuration: .init(maximumDiscovered: limit)))
            _ = script.perform(1, .discoverCharacteristics(of: Self.service))
            let last = try script.receive("0907" + "0a00020b0001a0" + "0c00020d0001a0")
            #expect((last == [.failed(id: 1, Self.badAnswer)]) == (limit == 1))
        }
    }

    @Test func `a procedure fails when it has sent the allowed number of requests`() throws {
        for limit in [2, 1] {
            var script = ClientScript(client: GATTClient(configuration: .init(maximumRequests: limit)))
            _ = script.perform(1, .discoverServices(nil))
            let outputs = try script.receive("1106" + "010001000100")
            #expect((outputs == [.failed(id: 1, Self.badAnswer)]) == (limit == 1))
        }
    }

    @Test func `a cancelled procedure that waits is never started`() throws {
        var script = ClientScript()
        _ = script.perform(1, .read(handle: 3))
        _ = script.perform(2, .read(handle: 4))
        _ = script.perform(3, .read(handle: 5))
        #expect(script.client.handle(.cancel(id: 2), at: .zero).isEmpty)
        #expect(try script.receive("0b") == [.completed(id: 1, .value([])), .sends("0a0500")])
    }

    @Test func `the pending request of a cancelled procedure is answered before the next one is sent`() throws {
        var script = ClientScript()
        _ = script.perform(1, .exchangeMTU(512))
        _ = script.client.handle(.cancel(id: 1), at: .zero)
        #expect(script.perform(2, .exchangeMTU(185)).isEmpty)
        #expect(try script.receive("030502") == [.mtuChanged(512), .sends("02b900")])
        #expect(try script.receive("030502") == [.mtuChanged(185), .completed(id: 2, .mtu(185))])
    }

    @Test func `a cancelled discovery sends no further request`() throws {
        var script = ClientScript()
        _ = script.perform(1, .discoverServices(nil))
        _ = script.client.handle(.cancel(id: 1), at: .zero)
        #expect(try script.receive("1106" + "010001000100").isEmpty)
        #expect(script.client.pendingCount == 0)
    }

    @Test(arguments: [21, 18 + 18])
    func `a cancelled long write is discarded at the server`(count: Int) throws {
        var script = ClientScript()
        _ = script.perform(1, .write([UInt8](repeating: 1, count: count), handle: 9))
        _ = script.client.handle(.cancel(id: 1), at: .zero)
        let echo = "1709000000" + String(repeating: "01", count: 18)
        #expect(try script.receive(echo) == [.sends("1800")])
        #expect(try script.receive("19").isEmpty)
        #expect(script.client.pendingCount == 0)
    }

    @Test func `a cancelled long write whose echo is wrong is discarded all the same`() throws {
        var script = ClientScript()
        _ = script.perform(1, .write([UInt8](repeating: 1, count: 21), handle: 9))
        _ = script.client.handle(.cancel(id: 1), at: .zero)
        #expect(try script.receive("1709000000") == [.sends("1800")])
        #expect(try script.receive("0118000006").isEmpty)
    }

    @Test func `a cancelled request that is never answered still ends the link at its time-out`() {
        var script = ClientScript()
        _ = script.perform(1, .read(handle: 3))
        _ = script.client.handle(.cancel(id: 1), at: .zero)
        let error = GATTError(.transactionTimeout, "")
        #expect(script.client.handle(.deadline, at: .zero + .seconds(30)) == [.linkFailed(error)])
    }

    @Test func `GATT errors are equal by code and carry the details for a log`() {
        let error = GATTError(.attError, "why", wireCode: 3)
        #expect(error == GATTError(.attError, "") && error != GATTError(.badAnswer, "why"))
        #expect(error.hashValue == GATTError(.attError, "").hashValue)
        #expect("\(error)" == "gatt.att-error: why")
        #expect(error.wireCode == 3)
    }
}
