import CSystemd
import Glibc

/// The `WriteValue` call by which bluetoothd passes on a central's write.
///
/// It has a parser of its own because it arrives thousands of times.
///
/// `WriteValue(ay value, a{sv} options)` of `org.bluez.GattCharacteristic1`. Other options are ignored.
struct WriteValueCall: Hashable, Sendable {
    /// The bytes that the central wrote.
    var value: [UInt8] = []
    /// The object of the device that wrote.
    var device: String?
    /// The MTU of its link.
    var mtu: Int?
    /// The offset of the bytes in the value.
    var offset = 0
    /// True for a write command, which has no answer; nil where bluetoothd does not tell.
    var isCommand: Bool?
    /// True when the call only asks if a prepared write would be permitted.
    var isPreparation = false

    /// Makes a write of `value`, for tests.
    init(_ value: [UInt8] = []) { self.value = value }

    /// Reads a `WriteValue` call; nil, with the message as it was, for another call or options of wrong types.
    init?(of message: OpaquePointer) {
        guard unsafe sd_bus_message_is_method_call(message, BlueZNames.characteristic, "WriteValue") > 0,
            unsafe sd_bus_message_has_signature(message, "aya{sv}") > 0
        else { return nil }
        guard unsafe read(message) else {
            _ = unsafe sd_bus_message_rewind(message, 1)
            return nil
        }
    }

    private mutating func read(_ message: OpaquePointer) -> Bool {
        var start: UnsafeRawPointer?
        var count = 0
        guard unsafe sd_bus_message_read_array(message, Self.type("y"), &start, &count) >= 0 else { return false }
        if count > 0, let start = unsafe start {
            value = unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
        }
        guard unsafe sd_bus_message_enter_container(message, Self.type("a"), "{sv}") > 0 else { return false }
        for _ in 0..<64 {
            let status = unsafe sd_bus_message_enter_container(message, Self.type("e"), "sv")
            guard status > 0 else { return status == 0 }
            guard unsafe readOption(message), unsafe sd_bus_message_exit_container(message) >= 0 else { return false }
        }
        return false
    }

    private mutating func readOption(_ message: OpaquePointer) -> Bool {
        guard let name = unsafe Self.text("s", message) else { return false }
        if unsafe strcmp(name, "device") == 0 { return unsafe readDevice(message) }
        if unsafe strcmp(name, "mtu") == 0 {
            guard let number = unsafe Self.number("q", UInt16(0), message) else { return false }
            mtu = Int(number)
        } else if unsafe strcmp(name, "offset") == 0 {
            guard let number = unsafe Self.number("q", UInt16(0), message) else { return false }
            offset = Int(number)
        } else if unsafe strcmp(name, "prepare-authorize") == 0 {
            guard let flag = unsafe Self.number("b", Int32(0), message) else { return false }
            isPreparation = flag != 0
        } else if unsafe strcmp(name, "type") == 0 {
            guard unsafe sd_bus_message_enter_container(message, Self.type("v"), "s") > 0,
                let kind = unsafe Self.text("s", message)
            else { return false }
            isCommand = unsafe strcmp(kind, "command") == 0
            return unsafe sd_bus_message_exit_container(message) >= 0
        } else {
            return unsafe sd_bus_message_skip(message, "v") >= 0
        }
        return true
    }

    private mutating func readDevice(_ message: OpaquePointer) -> Bool {
        guard unsafe sd_bus_message_enter_container(message, Self.type("v"), "o") > 0,
            let path = unsafe Self.text("o", message)
        else { return false }
        device = unsafe String(cString: path)
        return unsafe sd_bus_message_exit_container(message) >= 0
    }

    private static func type(_ letter: Unicode.Scalar) -> CChar { CChar(letter.value) }

    private static func text(_ letter: Unicode.Scalar, _ message: OpaquePointer) -> UnsafePointer<CChar>? {
        var pointer: UnsafePointer<CChar>?
        let status = unsafe withUnsafeMutablePointer(to: &pointer) {
            unsafe sd_bus_message_read_basic(message, type(letter), $0)
        }
        return unsafe status > 0 ? pointer : nil
    }

    /// A number in a variant; nil when the variant holds something else.
    private static func number<Number>(
        _ letter: Unicode.Scalar, _ zero: Number, _ message: OpaquePointer
    ) -> Number? {
        var number = zero
        guard unsafe sd_bus_message_enter_container(message, type("v"), String(letter)) > 0 else { return nil }
        let status = unsafe withUnsafeMutablePointer(to: &number) {
            unsafe sd_bus_message_read_basic(message, type(letter), $0)
        }
        return unsafe status > 0 && sd_bus_message_exit_container(message) >= 0 ? number : nil
    }
}
