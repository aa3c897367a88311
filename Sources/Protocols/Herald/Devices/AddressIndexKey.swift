import Bluetooth

/// Encodes addresses and pseudo addresses as keys of one index; the two highest bits give the kind, so no key is 0.
enum AddressIndexKey {
    private static let addressMark: UInt64 = 1 << 63
    private static let pseudoMark: UInt64 = 1 << 62

    static func key(of address: DeviceAddress) -> UInt64 {
        address.value | UInt64(address.kind.rawValue) << 48 | addressMark
    }

    static func key(of address: PseudoDeviceAddress) -> UInt64 { address.value | pseudoMark }

    /// Returns the address in a key; nil for a key of a pseudo address.
    static func address(of key: UInt64) -> DeviceAddress? {
        guard key & addressMark != 0 else { return nil }
        return DeviceAddress(value: key, kind: key >> 48 & 1 == 1 ? .random : .public)
    }

    /// Returns the pseudo address in a key; nil for a key of an address, and for 0.
    static func pseudoAddress(of key: UInt64) -> PseudoDeviceAddress? {
        key & pseudoMark != 0 ? PseudoDeviceAddress(value: key) : nil
    }
}
