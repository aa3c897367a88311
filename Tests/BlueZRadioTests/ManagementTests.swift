import Bluetooth
import Radio
import TestSupport
import Testing

@testable import BlueZRadio

@Suite struct ManagementTests {
    private static let peer = DeviceAddress(value: 0x0102_0304_0506, kind: .random)

    @Test func `management commands are written in little-endian order with their length`() {
        #expect(BluetoothManagementCommand.readAdvertisingFeatures(1).bytes == [0x3D, 0, 1, 0, 0, 0])
        #expect(BluetoothManagementCommand.removeAdvertising(0, instance: 5).bytes == [0x3F, 0, 0, 0, 1, 0, 5])
        #expect(
            BluetoothManagementCommand.disconnect(0, Self.peer).bytes == [0x14, 0, 0, 0, 7, 0, 6, 5, 4, 3, 2, 1, 2])
        #expect(
            BluetoothManagementCommand.advertisingData(2, instance: 3, data: [2, 1, 6], scanResponse: [1, 9]).bytes
                == [0x55, 0, 2, 0, 8, 0, 3, 3, 2, 2, 1, 6, 1, 9])
    }

    @Test func `the advertising interval is written in units of 625 microseconds, from 20 ms to 10.24 s`() {
        func steps(_ interval: Duration) -> [UInt8] {
            let command = BluetoothManagementCommand.advertisingParameters(
                0, instance: 1, isConnectable: true, interval: interval)
            return Array(command.parameters[9..<13])
        }
        #expect(steps(.milliseconds(100)) == [160, 0, 0, 0])
        #expect(steps(.milliseconds(19)) == [0x20, 0, 0, 0])
        #expect(steps(.milliseconds(10_240)) == [0, 0x40, 0, 0])
        #expect(steps(.seconds(11)) == [0, 0x40, 0, 0])
        #expect(steps(.seconds(Int64.max)) == [0, 0x40, 0, 0])
    }

    @Test func `the management command leaves the flags field of advertisements to our own data`() {
        func flags(_ isConnectable: Bool) -> [UInt8] {
            let command = BluetoothManagementCommand.advertisingParameters(
                0, instance: 1, isConnectable: isConnectable, interval: .milliseconds(100))
            return Array(command.parameters[1..<5])
        }
        #expect(flags(true) == [1, 0x40, 0, 0])
        #expect(flags(false) == [0, 0x40, 0, 0])
    }

    private static let messages: [(bytes: [UInt8], event: BluetoothManagementEvent)] = [
        ([1, 0, 0, 0, 4, 0, 0x3F, 0, 0, 5], .answered(opcode: 0x3F, index: 0, status: 0, answer: [5])),
        ([2, 0, 1, 0, 3, 0, 0x3D, 0, 0x14], .answered(opcode: 0x3D, index: 1, status: 0x14, answer: [])),
        ([4, 0, 1, 0, 0, 0], .adapterAdded(index: 1)), ([5, 0, 1, 0, 0, 0], .adapterRemoved(index: 1)),
        (
            [0x0C, 0, 0, 0, 8, 0, 6, 5, 4, 3, 2, 1, 2, 3],
            .disconnected(index: 0, DeviceAddress(value: 0x0102_0304_0506, kind: .random), .remote)
        ),
        ([0x0C, 0, 0, 0, 8, 0, 6, 5, 4, 3, 2, 1, 0, 3], .other(event: 0x0C, index: 0)),
        ([0x24, 0, 0, 0, 1, 0, 5], .advertisingRemoved(index: 0, instance: 5)),
        ([0x12, 0, 0, 0, 1, 0, 9], .other(event: 0x12, index: 0)),
    ]

    @Test func `a management event is read whole and refused in any other length`() {
        for (bytes, event) in Self.messages {
            #expect(BluetoothManagementEvent(parsing: bytes) == event)
            #expect(DecoderVerifier.acceptedTruncations(of: bytes) { BluetoothManagementEvent(parsing: $0) } == [])
            #expect(DecoderVerifier.acceptedExtensions(of: bytes) { BluetoothManagementEvent(parsing: $0) } == [])
        }
    }

    @Test func `an unknown disconnect reason is read as unspecified`() {
        let bytes: [UInt8] = [0x0C, 0, 0, 0, 8, 0, 6, 5, 4, 3, 2, 1, 1, 99]
        let peer = DeviceAddress(value: 0x0102_0304_0506, kind: .public)
        #expect(BluetoothManagementEvent(parsing: bytes) == .disconnected(index: 0, peer, .unspecified))
        #expect(DisconnectReason(.timeout) == .supervisionTimeout)
        #expect(DisconnectReason(.local) == .local)
        #expect(DisconnectReason(.remote) == .peer)
        #expect(DisconnectReason(.authentication) == .protocolFailure)
        #expect(DisconnectReason(.suspended) == .radioLost)
    }

    @Test func `the highest free advertising instance is chosen, because bluetoothd counts from 1`() throws {
        let answer: [UInt8] = [0, 0, 0, 0, 31, 31, 5, 2, 5, 1]
        let features = try #require(AdvertisingFeatures(parsing: answer))
        #expect(features.free(besides: []) == 4)
        #expect(features.free(besides: [4, 3]) == 2)
        #expect(features.free(besides: [2, 3, 4]) == nil)
        #expect(DecoderVerifier.acceptedTruncations(of: answer) { AdvertisingFeatures(parsing: $0) } == [])
        #expect(DecoderVerifier.acceptedExtensions(of: answer) { AdvertisingFeatures(parsing: $0) } == [])
        #expect(AdvertisingFeatures(parsing: [0, 0, 0, 0, 31, 31, 1, 1, 1])?.free(besides: []) == nil)
        #expect(AdvertisingFeatures(parsing: [0, 0, 0, 0, 31, 31, 0, 0])?.free(besides: []) == nil)
        #expect(AdvertisingFeatures(parsing: [0, 0, 0, 0, 31, 31, 255, 0])?.free(besides: []) == 255)
    }
}

@Suite struct RawPacketFlowControlTests {
    private let link = LinkID(1)

    @Test func `a controller is given half of the raw packets that it takes, and one more when it has sent one`() {
        var flow = RawPacketFlowControl(bytes: 251, count: 8)
        #expect(flow.limit == 4)
        for number in 0..<4 {
            #expect(flow.hasRoom, "packet \(number)")
            flow.sent(on: 0x40, of: link)
        }
        #expect(!flow.hasRoom)
        flow.take([4, 0x13, 5, 1, 0x40, 0, 1, 0])
        #expect(flow.hasRoom)
        flow.sent(on: 0x40, of: link)
        #expect(!flow.hasRoom)
    }

    @Test(arguments: [(0, 2), (1, 1), (3, 1), (255, 127)])
    func `half of the packets that a controller takes are used, one at least, and two when it does not say`(
        count: Int, limit: Int
    ) {
        #expect(RawPacketFlowControl(bytes: 27, count: count).limit == limit)
    }

    @Test func `raw packets of several connections share the room of the controller`() {
        var flow = RawPacketFlowControl(bytes: 251, count: 4)
        flow.sent(on: 0x40, of: link)
        flow.sent(on: 0x41, of: LinkID(2))
        #expect(!flow.hasRoom)
        flow.take([4, 0x13, 9, 2, 0x42, 0, 1, 0, 0x41, 0, 3, 0])
        #expect(flow.hasRoom)
        flow.sent(on: 0x41, of: LinkID(2))
        #expect(!flow.hasRoom)
        flow.forget { $0 == LinkID(2) }
        #expect(flow.hasRoom)
    }

    @Test func `a connection number that a new link has got begins without raw packets on their way`() {
        var flow = RawPacketFlowControl(bytes: 251, count: 4)
        flow.sent(on: 0x40, of: link)
        flow.sent(on: 0x40, of: link)
        flow.sent(on: 0x40, of: LinkID(2))
        #expect(flow.hasRoom)
    }

    @Test(arguments: [[], [4, 0x13], [4, 0x13, 5, 1, 0x40, 0, 1], [4, 0x0E, 5, 1, 0x40, 0, 1, 0], [2, 0x13, 5, 1]])
    func `an event that is cut short or another one makes no room for raw packets`(packet: [UInt8]) {
        var flow = RawPacketFlowControl(bytes: 251, count: 2)
        flow.sent(on: 0x40, of: link)
        flow.take(packet)
        #expect(!flow.hasRoom)
    }
}

@Suite struct RawHCINotificationTests {
    @Test func `a short notification is sent as one HCI packet`() {
        let packets = RawHCINotification.packets([0xAA, 0xBB], attribute: 0x0012, connection: 0x0041, buffer: 251)
        #expect(packets == [[2, 0x41, 0x00, 9, 0, 5, 0, 4, 0, 0x1B, 0x12, 0, 0xAA, 0xBB]])
    }

    @Test
    func `a long notification is split at the controller's buffer size, and only its first packet starts a frame`() {
        let value = [UInt8](repeating: 7, count: 40)
        let packets = RawHCINotification.packets(value, attribute: 1, connection: 0x0041, buffer: 27)
        #expect(packets.map(\.count) == [32, 25])
        #expect(packets.map { Array($0[1...2]) } == [[0x41, 0x00], [0x41, 0x10]])
        let exact = RawHCINotification.packets(
            [UInt8](repeating: 7, count: 20), attribute: 1, connection: 1, buffer: 27)
        #expect(exact.count == 1)
        let over = RawHCINotification.packets([UInt8](repeating: 7, count: 21), attribute: 1, connection: 1, buffer: 27)
        #expect(over.count == 2)
    }

    @Test func `a buffer size below that of every controller is not used`() {
        #expect(
            RawHCINotification.packets([UInt8](repeating: 7, count: 20), attribute: 1, connection: 1, buffer: 0).count
                == 1
        )
    }

    @Test func `the buffer size is read only from the answer to its own command`() throws {
        let answer = try #require(RawHCINotification.buffers(in: [4, 0x0E, 7, 1, 2, 0x20, 0, 251, 0, 8]))
        #expect(answer == (251, 8))
        let shared = try #require(RawHCINotification.buffers(in: [4, 0x0E, 7, 1, 2, 0x20, 0, 0, 0, 0]))
        #expect(shared == (27, 0))
        #expect(RawHCINotification.buffers(in: [4, 0x0E, 7, 1, 2, 0x20, 0x0C, 251, 0, 8]) == nil)
        #expect(RawHCINotification.buffers(in: [4, 0x0E, 7, 1, 3, 0x20, 0, 251, 0, 8]) == nil)
        #expect(RawHCINotification.buffers(in: [4, 0x0E, 7, 1, 2, 0x20, 0, 251]) == nil)
    }

    @Test func `the kernel's list of Bluetooth connections is read`() {
        let one: [UInt8] = [0x41, 0, 6, 5, 4, 3, 2, 1, 0x80, 0, 1, 0, 0, 0, 0, 0]
        let two: [UInt8] = [0x42, 0, 9, 9, 9, 9, 9, 9, 1, 1, 5, 0, 1, 0, 0, 0]
        let list = KernelConnection.list([0, 0, 2, 0] + one + two + [UInt8](repeating: 0, count: 16))
        #expect(
            list == [
                KernelConnection(
                    handle: 0x41, address: 0x0102_0304_0506, isLowEnergy: true, isOutgoing: false, isConnected: true),
                KernelConnection(
                    handle: 0x42, address: 0x0909_0909_0909, isLowEnergy: false, isOutgoing: true, isConnected: false),
            ])
        #expect(KernelConnection.list([0, 0, 2, 0] + one + two.dropLast()).count == 1)
        #expect(KernelConnection.list([0, 0, 1]).isEmpty)
    }
}
