import Bluetooth
import ByteCoding
import Determinism
import TestSupport
import Testing

/// A client whose input and output are in hex.
struct ClientScript {
    var client = GATTClient()
    var now = MonotonicInstant.zero

    mutating func perform(_ id: UInt64, _ procedure: GATTClient.Procedure) -> [GATTClient.Output] {
        client.handle(.perform(id: id, procedure), at: now)
    }

    mutating func receive(_ hex: String) throws -> [GATTClient.Output] {
        client.handle(.received(try #require(Hex.decode(hex))), at: now)
    }
}

extension GATTClient.Output {
    static func sends(_ hex: String) -> GATTClient.Output { .send(Hex.decode(hex) ?? []) }
}

@Suite struct GATTClientTests {
    private static func services(_ handles: [(UInt16, UInt16)], _ uuid: UInt16 = 1) -> [RemoteService] {
        handles.map { RemoteService(uuid: BluetoothUUID(uuid), startHandle: $0.0, endHandle: $0.1) }
    }

    @Test(arguments: [(517, 517, 517), (517, 22, 23), (9999, 600, 517), (0, 517, 23), (185, 512, 185), (512, 185, 185)])
    func `the MTU becomes the smaller of both requests, between 23 and 517`(client: Int, server: Int, effective: Int) {
        var script = ClientScript()
        let asked = UInt16(min(max(client, 23), 517))
        #expect(script.perform(1, .exchangeMTU(client)) == [.send(ATTPDU.exchangeMTURequest(mtu: asked).bytes)])
        let answer = ATTPDU.exchangeMTUResponse(mtu: UInt16(server)).bytes
        let done = GATTClient.Output.completed(id: 1, .mtu(effective))
        #expect(
            script.client.handle(.received(answer), at: .zero)
                == (effective == 23 ? [done] : [.mtuChanged(effective), done]))
    }

    @Test func `a refused MTU exchange keeps the MTU and fails with the ATT error`() throws {
        var script = ClientScript()
        _ = script.perform(1, .exchangeMTU(100))
        let outputs = try script.receive("0102000006")
        guard case .failed(1, let error) = outputs.first else { return #expect(Bool(false), "\(outputs)") }
        #expect(error.code == .attError && error.wireCode == 6)
        #expect(script.client.mtu == 23 && script.client.isOpen)
    }

    @Test func `a command of 512 bytes passes where the MTU has room, and one of 513 does not`() throws {
        var script = ClientScript()
        _ = script.perform(1, .exchangeMTU(517))
        _ = script.client.handle(.received(ATTPDU.exchangeMTUResponse(mtu: 517).bytes), at: .zero)
        let (full, long) = ([UInt8](repeating: 7, count: 512), [UInt8](repeating: 7, count: 513))
        #expect(script.perform(2, .writeCommand(full, handle: 9)).last == .completed(id: 2, .done))
        #expect(script.perform(3, .writeCommand(long, handle: 9)) == [.failed(id: 3, GATTError(.tooLarge, ""))])
    }

    @Test func `a notification that fills an MTU of 517 is taken, and an indication of up to 512 bytes`() throws {
        var script = ClientScript()
        _ = script.perform(1, .exchangeMTU(517))
        _ = script.client.handle(.received(ATTPDU.exchangeMTUResponse(mtu: 517).bytes), at: .zero)
        for count in [512, 513, 514, 515] {
            let value = [UInt8](repeating: 7, count: count)
            let notified = script.client.handle(
                .received(ATTPDU.handleValueNotification(handle: 9, value: value).bytes), at: .zero)
            let indicated = script.client.handle(
                .received(ATTPDU.handleValueIndication(handle: 9, value: value).bytes), at: .zero)
            #expect(notified.contains(.value(value, handle: 9, isIndication: false)) == (count <= 514))
            #expect((indicated.first == .send(ATTPDU.handleValueConfirmation.bytes)) == (count <= 514))
            #expect(indicated.contains(.value(value, handle: 9, isIndication: true)) == (count <= 512))
        }
    }

    @Test func `the GATT client has one request on the air at a time, and sends the others in order`() throws {
        var script = ClientScript()
        #expect(script.perform(1, .read(handle: 3)) == [.sends("0a0300")])
        #expect(script.perform(2, .read(handle: 4)).isEmpty)
        #expect(script.perform(3, .writeCommand([7], handle: 9)) == [.sends("52090007"), .completed(id: 3, .done)])
        #expect(script.client.pendingCount == 2)
        #expect(try script.receive("0baa") == [.completed(id: 1, .value([0xAA])), .sends("0a0400")])
        #expect(try script.receive("0b") == [.completed(id: 2, .value([]))])
        #expect(script.client.nextDeadline == nil)
    }

    @Test func `a discovery by UUID returns all services of the answer`() throws {
        var script = ClientScript()
        #expect(script.perform(1, .discoverServices(BluetoothUUID(UInt16(1)))) == [.sends("060100ffff00280100")])
        #expect(
            try script.receive("0701000500" + "08000900")
                == [.completed(id: 1, .services(Self.services([(1, 5), (8, 9)])))])
    }

    @Test func `a discovery by UUID without a match returns no services and no error`() throws {
        var script = ClientScript()
        _ = script.perform(1, .discoverServices(BluetoothUUID(UInt16(1))))
        #expect(try script.receive("010601000a") == [.completed(id: 1, .services([]))])
    }

    @Test func `a service that reaches the last handle ends the discovery`() throws {
        var script = ClientScript()
        _ = script.perform(1, .discoverServices(nil))
        #expect(
            try script.receive("11060100ffff0100")
                == [.completed(id: 1, .services(Self.services([(1, 0xFFFF)])))])
    }

    @Test func `discovered notifying and indicating characteristics have their descriptors`() throws {
        var script = ClientScript()
        let service = RemoteService(uuid: BluetoothUUID(UInt16(1)), startHandle: 10, endHandle: 20)
        #expect(script.perform(1, .discoverCharacteristics(of: service)) == [.sends("080a0014000328")])
        // 11 can be read and has a descriptor, 14 notifies and has two, 18 indicates and has two handles to its end.
        #expect(
            try script.receive("0907" + "0a00020b0001a0" + "0d00100e0002a0" + "110020120003a0")
                == [.sends("08130014000328")])
        #expect(try script.receive("010813000a") == [.sends("040f001000")])
        #expect(try script.receive("05010f000129") == [.sends("0410001000")])
        #expect(try script.receive("050110000229") == [.sends("0413001400")])
        let found = [
            RemoteCharacteristic(uuid: BluetoothUUID(UInt16(0xA001)), properties: .read, valueHandle: 11),
            RemoteCharacteristic(
                uuid: BluetoothUUID(UInt16(0xA002)), properties: .notify, valueHandle: 14,
                clientConfigurationHandle: 16),
            RemoteCharacteristic(uuid: BluetoothUUID(UInt16(0xA003)), properties: .indicate, valueHandle: 18),
        ]
        #expect(try script.receive("010413000a") == [.completed(id: 1, .characteristics(found))])
    }

    @Test func `the descriptor discovery goes on to the service's end when no client configuration is found`() throws {
        var script = ClientScript()
        let service = RemoteService(uuid: BluetoothUUID(UInt16(1)), startHandle: 10, endHandle: 13)
        _ = script.perform(1, .discoverCharacteristics(of: service))
        #expect(try script.receive("0907" + "0a00100b0002a0") == [.sends("080c000d000328")])
        _ = try script.receive("01080c000a")
        let found = RemoteCharacteristic(
            uuid: BluetoothUUID(UInt16(0xA002)), properties: .notify, valueHandle: 11)
        #expect(
            try script.receive("05010c0001290d000129") == [.completed(id: 1, .characteristics([found]))])
    }

    @Test func `a service with no handles after its own has no characteristics`() {
        var script = ClientScript()
        for (start, end) in [(5, 4), (0, 9), (0, 0)] as [(UInt16, UInt16)] {
            let service = RemoteService(uuid: .deviceName, startHandle: start, endHandle: end)
            #expect(
                script.perform(1, .discoverCharacteristics(of: service)) == [.completed(id: 1, .characteristics([]))])
        }
    }

    @Test(arguments: ["0b", "07"])
    func `a long read that the server ends with an ATT error returns the bytes read so far`(error: String) throws {
        var script = ClientScript()
        _ = script.perform(1, .read(handle: 3))
        let first = String(repeating: "ab", count: 22)
        #expect(try script.receive("0b" + first) == [.sends("0c03001600")])
        let value = [UInt8](repeating: 0xAB, count: 22)
        #expect(try script.receive("010c0300" + error) == [.completed(id: 1, .value(value))])
    }

    @Test func `a remote value of 512 bytes is read and a longer one refused`() throws {
        for last in [512 % 22, 512 % 22 + 1] {
            var script = ClientScript()
            _ = script.perform(1, .read(handle: 3))
            let part = String(repeating: "ab", count: 22)
            _ = try script.receive("0b" + part)
            for _ in 0..<(512 / 22 - 1) { _ = try script.receive("0d" + part) }
            let outputs = try script.receive("0d" + String(repeating: "ab", count: last))
            let value = [UInt8](repeating: 0xAB, count: 512)
            #expect(
                outputs
                    == [
                        last == 512 % 22
                            ? .completed(id: 1, .value(value)) : .failed(id: 1, GATTError(.badAnswer, ""))
                    ])
        }
    }

    @Test func `a value that fits the MTU is written in one request, and a longer one in parts`() throws {
        var script = ClientScript()
        #expect(
            script.perform(1, .write([UInt8](repeating: 1, count: 20), handle: 9))
                == [.sends("120900" + String(repeating: "01", count: 20))])
        #expect(try script.receive("13") == [.completed(id: 1, .done)])
        let first = "09000000" + String(repeating: "01", count: 18)
        #expect(script.perform(2, .write([UInt8](repeating: 1, count: 21), handle: 9)) == [.sends("16" + first)])
        #expect(try script.receive("17" + first) == [.sends("1609001200010101")])
        #expect(try script.receive("1709001200010101") == [.sends("1801")])
        #expect(try script.receive("19") == [.completed(id: 2, .done)])
    }

    @Test(arguments: ["1708000000", "1709000100", "1709000002"])
    func `a long write whose part is echoed wrongly is discarded at the server`(echo: String) throws {
        var script = ClientScript()
        _ = script.perform(1, .write([UInt8](repeating: 1, count: 21), handle: 9))
        #expect(try script.receive(echo) == [.sends("1800")])
        #expect(try script.receive("19") == [.failed(id: 1, GATTError(.badAnswer, ""))])
    }

    @Test(arguments: ["19", "0118000006"])
    func `a long write with a refused part discards the earlier parts and reports the error`(answer: String) throws {
        var script = ClientScript()
        _ = script.perform(1, .write([UInt8](repeating: 1, count: 21), handle: 9))
        #expect(try script.receive("0116090009") == [.sends("1800")])
        let outputs = try script.receive(answer)
        guard case .failed(1, let error) = outputs.first else { return #expect(Bool(false), "\(outputs)") }
        #expect(error.wireCode == 9)
    }

    @Test func `a write of 512 bytes is started and one of 513 refused`() {
        var script = ClientScript()
        let value = [UInt8](repeating: 1, count: 512)
        #expect(script.perform(1, .write(value + [1], handle: 9)) == [.failed(id: 1, GATTError(.tooLarge, ""))])
        #expect(script.perform(2, .write(value, handle: 9)).count == 1)
    }

    @Test func `a write command that fits the MTU is sent and one a byte longer refused`() {
        var script = ClientScript()
        let value = [UInt8](repeating: 1, count: 20)
        #expect(
            script.perform(1, .writeCommand(value + [1], handle: 9)) == [.failed(id: 1, GATTError(.tooLarge, ""))])
        #expect(script.perform(2, .writeCommand(value, handle: 9)).last == .completed(id: 2, .done))
    }

    private static let subscriptions: [(CharacteristicProperties, Bool, String)] = [
        (.notify, true, "1207000100"), (.indicate, true, "1207000200"),
        ([.notify, .indicate], true, "1207000100"), (.notify, false, "1207000000"),
    ]

    @Test(.shows("MDR-064"), arguments: subscriptions)
    func `a subscription asks for notifications or indications as the characteristic declares`(
        properties: CharacteristicProperties, isOn: Bool, request: String
    ) throws {
        var script = ClientScript()
        let characteristic = RemoteCharacteristic(
            uuid: .deviceName, properties: properties, valueHandle: 6, clientConfigurationHandle: 7)
        #expect(script.perform(1, .subscribe(characteristic, isOn: isOn)) == [.sends(request)])
        #expect(try script.receive("13") == [.completed(id: 1, .done)])
    }

    @Test func `a subscription to a characteristic without descriptor completes, and pushed values arrive`() throws {
        var script = ClientScript()
        let characteristic = RemoteCharacteristic(uuid: .deviceName, properties: .indicate, valueHandle: 6)
        #expect(script.perform(1, .subscribe(characteristic, isOn: true)) == [.completed(id: 1, .done)])
        #expect(try script.receive("1b060001") == [.value([1], handle: 6, isIndication: false)])
        #expect(try script.receive("1d060002") == [.sends("1e"), .value([2], handle: 6, isIndication: true)])
    }

    @Test func `notifications and indications arrive while a request is pending`() throws {
        var script = ClientScript()
        _ = script.perform(1, .read(handle: 3))
        #expect(try script.receive("1d060002") == [.sends("1e"), .value([2], handle: 6, isIndication: true)])
        #expect(try script.receive("0b01") == [.completed(id: 1, .value([1]))])
    }

    @Test func `an MTU that the GATT server of this device negotiated is used by its client too`() {
        var script = ClientScript()
        #expect(script.client.handle(.mtuAgreed(100), at: .zero) == [.mtuChanged(100)])
        #expect(script.client.handle(.mtuAgreed(100), at: .zero).isEmpty)
    }
}
