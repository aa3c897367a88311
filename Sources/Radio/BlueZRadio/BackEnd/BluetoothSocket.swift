import ByteCoding
import Glibc

/// The kernel's Bluetooth sockets: management, raw packets of one adapter, and questions that need no right.
enum BluetoothSocket {
    private static let family: UInt16 = 31
    private static let hciProtocol: Int32 = 1
    private static let noDevice: UInt16 = 0xFFFF

    /// Opens the management socket; the kernel trusts it as long as it is open if the process may administer networks
    /// now.
    static func management() -> FileDescriptor? { bound(device: noDevice, channel: 3) }

    /// Opens a socket for raw packets of adapter `index`.
    ///
    /// - Parameter events: the HCI events that it is given, as bits; none by default.
    static func raw(index: UInt16, events: [UInt8] = []) -> FileDescriptor? {
        guard let descriptor = bound(device: index, channel: 0) else { return nil }
        guard !events.isEmpty else { return descriptor }
        // struct hci_filter: packet types, two words of events, the opcode; 16 bytes, of which the last two are none.
        var mask: UInt64 = 0
        for event in events { mask |= 1 << UInt64(event & 63) }
        var filter: [UInt8] = []
        filter.appendLittleEndian(UInt32(1 << 4))
        filter.appendLittleEndian(UInt32(truncatingIfNeeded: mask))
        filter.appendLittleEndian(UInt32(truncatingIfNeeded: mask >> 32))
        filter.appendLittleEndian(UInt32(0))
        let status = unsafe filter.withUnsafeBytes {
            unsafe setsockopt(descriptor.number, 0, 2, $0.baseAddress, socklen_t($0.count))
        }
        return status == 0 ? descriptor : nil
    }

    /// The connections of adapter `index`, as the kernel writes them: a header of four bytes, 16 bytes for each; nil
    /// when there is no such adapter or no Bluetooth at all.
    static func connectionList(index: UInt16) -> [UInt8]? {
        guard let descriptor = plain() else { return nil }
        var list = [UInt8](repeating: 0, count: 4 + 16 * 32)
        list[0] = UInt8(truncatingIfNeeded: index)
        list[1] = UInt8(truncatingIfNeeded: index >> 8)
        list[2] = 32
        let status = unsafe list.withUnsafeMutableBytes { buffer in
            unsafe buffer.baseAddress.map { unsafe ioctl(descriptor.number, 0x8004_48D4, $0) } ?? -1
        }
        return status == 0 ? list : nil
    }

    private static func plain() -> FileDescriptor? {
        let number = socket(Int32(family), Int32(SOCK_RAW.rawValue), hciProtocol)
        guard number >= 0 else { return nil }
        let descriptor = FileDescriptor(number)
        descriptor.makeQuiet()
        return descriptor
    }

    private static func bound(device: UInt16, channel: UInt16) -> FileDescriptor? {
        guard let descriptor = plain() else { return nil }
        // struct sockaddr_hci: family, device, channel.
        let address: [UInt16] = [family, device, channel]
        let status = unsafe address.withUnsafeBytes { buffer in
            unsafe buffer.withMemoryRebound(to: sockaddr.self) {
                unsafe bind(descriptor.number, $0.baseAddress, socklen_t(6))
            }
        }
        return status == 0 ? descriptor : nil
    }
}
