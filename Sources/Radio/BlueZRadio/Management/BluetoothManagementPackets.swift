import Bluetooth
import ByteCoding

/// A command to the kernel's management socket.
///
/// On the wire, little endian: opcode, adapter, count of parameters (16 bits each), parameters. Source: BlueZ,
/// doc/mgmt-api.txt.
struct BluetoothManagementCommand: Hashable, Sendable {
    /// The code of the command.
    var opcode: UInt16
    /// The index of the adapter.
    var index: UInt16
    /// The parameters of the command.
    var parameters: [UInt8]

    /// The command as it is sent.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(opcode)
        bytes.appendLittleEndian(index)
        bytes.appendLittleEndian(UInt16(clamping: parameters.count))
        return bytes + parameters.prefix(Int(UInt16.max))
    }

    /// Asks for the limits of advertising, and for the instances that are in use.
    static func readAdvertisingFeatures(_ index: UInt16) -> BluetoothManagementCommand {
        BluetoothManagementCommand(opcode: 0x003D, index: index, parameters: [])
    }

    /// Removes one advertising instance of an adapter.
    static func removeAdvertising(_ index: UInt16, instance: UInt8) -> BluetoothManagementCommand {
        BluetoothManagementCommand(opcode: 0x003F, index: index, parameters: [instance])
    }

    /// Sets the parameters of an advertising instance: flags made by us, and the requested interval.
    ///
    /// The kernel's own flags field would leave out "BR/EDR not supported" on an adapter that has both, and other
    /// devices would then try BR/EDR.
    static func advertisingParameters(
        _ index: UInt16, instance: UInt8, isConnectable: Bool, interval: Duration
    ) -> BluetoothManagementCommand {
        let steps = UInt32(clamping: min(max(interval.nanosecondsClamped / 625_000, 0x20), 0x4000))
        let connectable: UInt32 = isConnectable ? 1 : 0
        let hasInterval: UInt32 = 0x4000
        var parameters = [instance]
        parameters.appendLittleEndian(connectable | hasInterval)
        parameters.appendLittleEndian(UInt16(0))  // duration
        parameters.appendLittleEndian(UInt16(0))  // time-out
        parameters.appendLittleEndian(steps)
        parameters.appendLittleEndian(steps)
        parameters.append(0)  // transmit power: not asked for
        return BluetoothManagementCommand(opcode: 0x0054, index: index, parameters: parameters)
    }

    /// Gives an instance its data and starts it.
    ///
    /// - Precondition: both have at most 255 bytes.
    static func advertisingData(
        _ index: UInt16, instance: UInt8, data: [UInt8], scanResponse: [UInt8]
    ) -> BluetoothManagementCommand {
        let counts = [instance, UInt8(clamping: data.count), UInt8(clamping: scanResponse.count)]
        return BluetoothManagementCommand(opcode: 0x0055, index: index, parameters: counts + data + scanResponse)
    }

    /// Ends a link at once.
    static func disconnect(_ index: UInt16, _ peer: DeviceAddress) -> BluetoothManagementCommand {
        let kind: UInt8 = peer.kind == .public ? 1 : 2
        return BluetoothManagementCommand(opcode: 0x0014, index: index, parameters: peer.littleEndian + [kind])
    }
}

extension Duration {
    fileprivate var nanosecondsClamped: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? (seconds < 0 ? 0 : .max) : scaled &+ attoseconds / 1_000_000_000
    }
}

/// An event of the kernel's management socket.
enum BluetoothManagementEvent: Hashable, Sendable {
    /// A command was carried out, with its answer, or refused with a status other than 0.
    case answered(opcode: UInt16, index: UInt16, status: UInt8, answer: [UInt8])
    /// An adapter has come.
    case adapterAdded(index: UInt16)
    /// An adapter has gone.
    case adapterRemoved(index: UInt16)
    /// A link of LE ended.
    case disconnected(index: UInt16, DeviceAddress, DisconnectCause)
    /// An instance was removed, by this process or another.
    case advertisingRemoved(index: UInt16, instance: UInt8)
    /// An event of another kind.
    case other(event: UInt16, index: UInt16)

    /// The kernel's reason for the end of a link (management event `Device Disconnected`).
    enum DisconnectCause: UInt8, Hashable, Sendable {
        /// The kernel does not state the cause.
        case unspecified = 0
        /// The peer was silent for the supervision time-out.
        case timeout = 1
        /// This machine ended the link.
        case local = 2
        /// The other side ended it.
        case remote = 3
        /// The key was wrong.
        case authentication = 4
        /// This machine goes to sleep, which ends the link.
        case suspended = 5
    }

    /// Status of a command for which a right is missing.
    static let permissionDenied: UInt8 = 0x14

    /// Reads one message; nil when it is cut short, goes on too long, or lacks what its kind has.
    init?(parsing bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard let event = reader.littleEndian(UInt16.self), let index = reader.littleEndian(UInt16.self),
            let count = reader.littleEndian(UInt16.self), reader.remainingCount == Int(count)
        else { return nil }
        switch event {
        case 0x0001, 0x0002:
            guard let opcode = reader.littleEndian(UInt16.self), let status = reader.byte() else { return nil }
            self = .answered(opcode: opcode, index: index, status: status, answer: Array(reader.rest()))
        case 0x0004: self = .adapterAdded(index: index)
        case 0x0005: self = .adapterRemoved(index: index)
        case 0x000C:
            guard let address = reader.bytes(6), let kind = reader.byte(), let cause = reader.byte() else { return nil }
            guard kind != 0, let peer = DeviceAddress(littleEndian: address, kind: kind == 1 ? .public : .random) else {
                self = .other(event: event, index: index)
                return
            }
            self = .disconnected(index: index, peer, DisconnectCause(rawValue: cause) ?? .unspecified)
        case 0x0024:
            guard let instance = reader.byte() else { return nil }
            self = .advertisingRemoved(index: index, instance: instance)
        default: self = .other(event: event, index: index)
        }
    }
}

/// The advertising features of an adapter.
struct AdvertisingFeatures: Hashable, Sendable {
    /// The most advertising instances that the adapter supports.
    var maximumInstances: UInt8
    /// The numbers of the instances that are in use.
    var instances: [UInt8]

    /// Reads the answer to `readAdvertisingFeatures`; nil when it is cut short.
    init?(parsing answer: [UInt8]) {
        var reader = ByteReader(answer)
        guard reader.littleEndian(UInt32.self) != nil, reader.bytes(2) != nil, let maximum = reader.byte(),
            let count = reader.byte(), let taken = reader.bytes(Int(count)), reader.isAtEnd
        else { return nil }
        maximumInstances = maximum
        instances = Array(taken)
    }

    /// The instance to take: the highest that is free, because bluetoothd counts from 1; nil when all are taken.
    ///
    /// - Parameter own: the instances of this program, which the kernel may not list.
    func free(besides own: Set<UInt8>) -> UInt8? {
        guard maximumInstances > 0 else { return nil }
        return (1...maximumInstances).reversed().first { !instances.contains($0) && !own.contains($0) }
    }
}
