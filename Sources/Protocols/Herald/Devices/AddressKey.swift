import Bluetooth

/// Addresses and pseudo addresses as keys of one index: the two highest bits say which it is, so that no key is 0.
enum AddressKey {
    private static let addressMark: UInt64 = 1 << 63
    private static let pseudoMark: UInt64 = 1 << 62

    static func key(of address: DeviceAddress) -> UInt64 {
        address.value | UInt64(address.kind.rawValue) << 48 | addressMark
    }

    static func key(of address: PseudoDeviceAddress) -> UInt64 { address.value | pseudoMark }

    /// The address that a key was made of; nil for a key of a pseudo address.
    static func address(of key: UInt64) -> DeviceAddress? {
        guard key & addressMark != 0 else { return nil }
        return DeviceAddress(value: key, kind: key >> 48 & 1 == 1 ? .random : .public)
    }

    /// The pseudo address that a key was made of; nil for a key of an address, and for 0.
    static func pseudoAddress(of key: UInt64) -> PseudoDeviceAddress? {
        key & pseudoMark != 0 ? PseudoDeviceAddress(value: key) : nil
    }
}
