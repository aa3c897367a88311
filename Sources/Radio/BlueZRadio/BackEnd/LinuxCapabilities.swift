import CSystemd
import Glibc

/// The two Linux capabilities that the radio may have, raised only around the call that needs them.
enum LinuxCapabilities {
    /// A Linux capability, by its number.
    enum LinuxCapability: Int, CaseIterable {
        /// CAP_NET_ADMIN: the management socket.
        case netAdmin = 12
        /// CAP_NET_RAW: the right to send raw packets.
        case netRaw = 13
    }

    /// Returns true when this process is permitted to enable the right.
    static func isPermitted(_ right: LinuxCapability) -> Bool {
        read().map { $0.permitted & 1 << UInt32(right.rawValue) != 0 } ?? false
    }

    /// Runs `body` with the right, if it is permitted, and gives it back.
    ///
    /// The rights of a thread are its own: `body` must not change threads, which it cannot, as it does not wait.
    static func with<Value>(_ right: LinuxCapability, _ body: () -> Value) -> Value {
        let bit: UInt32 = 1 << UInt32(right.rawValue)
        guard let before = read(), before.permitted & bit != 0, before.effective & bit == 0 else {
            return body()
        }
        write(before, effective: before.effective | bit)
        defer { write(before, effective: before.effective) }
        return body()
    }

    private struct CapabilitySets {
        var effective: UInt32
        var permitted: UInt32
        var inheritable: UInt32
        var upper: __user_cap_data_struct
    }

    private static func header() -> __user_cap_header_struct {
        __user_cap_header_struct(version: 0x2008_0522, pid: 0)
    }

    private static func read() -> CapabilitySets? {
        var header = Self.header()
        var data = [__user_cap_data_struct](repeating: __user_cap_data_struct(), count: 2)
        guard unsafe capget(&header, &data) == 0 else { return nil }
        return CapabilitySets(
            effective: data[0].effective, permitted: data[0].permitted, inheritable: data[0].inheritable, upper: data[1]
        )
    }

    private static func write(_ sets: CapabilitySets, effective: UInt32) {
        var header = Self.header()
        var data = [
            __user_cap_data_struct(effective: effective, permitted: sets.permitted, inheritable: sets.inheritable),
            sets.upper,
        ]
        _ = unsafe capset(&header, &data)
    }
}
