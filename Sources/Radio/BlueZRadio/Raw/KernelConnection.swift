import ByteCoding

/// A connection as the kernel lists it.
struct KernelConnection: Hashable, Sendable {
    /// The number that packets carry, 0 to 0x0EFF.
    var handle: UInt16
    /// The other device, its address as a number.
    var address: UInt64
    /// True for a link of Bluetooth Low Energy.
    var isLowEnergy: Bool
    /// True when this side asked for the connection, which makes it the central.
    var isOutgoing: Bool
    /// True when the connection is up.
    var isConnected: Bool

    /// Reads the answer of HCIGETCONNLIST: adapter and count (16 bits each), then 16 bytes for each connection: handle,
    /// address, type, direction, state, mode; what is cut short is left out.
    static func list(_ answer: [UInt8]) -> [KernelConnection] {
        var reader = ByteReader(answer)
        guard reader.littleEndian(UInt16.self) != nil, let count = reader.littleEndian(UInt16.self) else { return [] }
        var connections: [KernelConnection] = []
        for _ in 0..<count {
            guard let handle = reader.littleEndian(UInt16.self), let address = reader.bytes(6),
                let type = reader.byte(),
                let outgoing = reader.byte(), let state = reader.littleEndian(UInt16.self),
                reader.littleEndian(UInt32.self) != nil
            else { break }
            connections.append(
                KernelConnection(
                    handle: handle & 0x0FFF, address: UInt64(littleEndianBytes: address),
                    isLowEnergy: type == 0x80, isOutgoing: outgoing != 0, isConnected: state == 1))
        }
        return connections
    }
}
