import CSystemd
import Glibc

/// Reads the arguments of a message of sd-bus, within limits.
struct DBusMessageReader {
    /// The most values of one message; a bus with a thousand devices in sight has fewer.
    static let maximumValues = 400_000
    /// The most levels to which the containers of a D-Bus message may nest.
    static let maximumDepth = 12

    private var valuesLeft = DBusMessageReader.maximumValues

    /// All arguments; those after one that cannot be read are left out.
    static func arguments(of message: OpaquePointer) -> [DBusValue] {
        var reading = DBusMessageReader()
        var values: [DBusValue] = []
        while let value = unsafe reading.next(message, 0) { values.append(value) }
        return values
    }

    private mutating func next(_ message: OpaquePointer, _ depth: Int) -> DBusValue? {
        guard depth < Self.maximumDepth, valuesLeft > 0 else { return nil }
        valuesLeft -= 1
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard unsafe sd_bus_message_peek_type(message, &type, &contents) > 0 else { return nil }
        let inner = unsafe contents.map { unsafe String(cString: $0) } ?? ""
        switch UInt8(bitPattern: type) {
        case UInt8(ascii: "y"): return unsafe number(type, UInt8(0), message).map(DBusValue.byte)
        case UInt8(ascii: "b"): return unsafe number(type, Int32(0), message).map { .bool($0 != 0) }
        case UInt8(ascii: "n"): return unsafe number(type, Int16(0), message).map(DBusValue.int16)
        case UInt8(ascii: "q"): return unsafe number(type, UInt16(0), message).map(DBusValue.uint16)
        case UInt8(ascii: "i"): return unsafe number(type, Int32(0), message).map(DBusValue.int32)
        case UInt8(ascii: "u"): return unsafe number(type, UInt32(0), message).map(DBusValue.uint32)
        case UInt8(ascii: "x"): return unsafe number(type, Int64(0), message).map(DBusValue.int64)
        case UInt8(ascii: "t"): return unsafe number(type, UInt64(0), message).map(DBusValue.uint64)
        case UInt8(ascii: "d"): return unsafe number(type, Double(0), message).map(DBusValue.double)
        case UInt8(ascii: "s"): return unsafe text(type, message).map(DBusValue.string)
        case UInt8(ascii: "o"): return unsafe text(type, message).map(DBusValue.path)
        case UInt8(ascii: "g"): return unsafe text(type, message).map(DBusValue.signature)
        case UInt8(ascii: "h"): return unsafe descriptor(type, message)
        case UInt8(ascii: "a") where inner == "y": return unsafe bytes(message)
        case UInt8(ascii: "a") where inner.hasPrefix("{"): return unsafe dictionary(inner, message, depth)
        case UInt8(ascii: "a"):
            return unsafe members(type, inner, message, depth).map { .array(of: inner, $0) }
        case UInt8(ascii: "r"): return unsafe members(type, inner, message, depth).map(DBusValue.structure)
        case UInt8(ascii: "v"):
            return unsafe members(type, inner, message, depth)?.first.map(DBusValue.variant)
        default: return nil
        }
    }

    private func number<Number>(_ type: CChar, _ zero: Number, _ message: OpaquePointer) -> Number? {
        var number = zero
        let status = unsafe withUnsafeMutablePointer(to: &number) {
            unsafe sd_bus_message_read_basic(message, type, $0)
        }
        return status > 0 ? number : nil
    }

    private func text(_ type: CChar, _ message: OpaquePointer) -> String? {
        var pointer: UnsafePointer<CChar>?
        let status = unsafe withUnsafeMutablePointer(to: &pointer) {
            unsafe sd_bus_message_read_basic(message, type, $0)
        }
        guard status > 0, let pointer = unsafe pointer else { return nil }
        return unsafe String(cString: pointer)
    }

    /// Reads a file descriptor as a duplicate, because the message closes its own when it is released.
    private func descriptor(_ type: CChar, _ message: OpaquePointer) -> DBusValue? {
        guard let number = unsafe number(type, Int32(-1), message) else { return nil }
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return nil }
        let descriptor = FileDescriptor(copy)
        descriptor.makeQuiet()
        return .descriptor(descriptor)
    }

    private func bytes(_ message: OpaquePointer) -> DBusValue? {
        var start: UnsafeRawPointer?
        var count = 0
        guard unsafe sd_bus_message_read_array(message, CChar(UInt8(ascii: "y")), &start, &count) >= 0 else {
            return nil
        }
        guard count > 0, let start = unsafe start else { return .bytes([]) }
        return unsafe .bytes([UInt8](UnsafeRawBufferPointer(start: start, count: count)))
    }

    private mutating func members(
        _ type: CChar, _ contents: String, _ message: OpaquePointer, _ depth: Int
    ) -> [DBusValue]? {
        guard unsafe sd_bus_message_enter_container(message, type, contents) > 0 else { return nil }
        var values: [DBusValue] = []
        while unsafe sd_bus_message_at_end(message, 0) == 0 {
            guard let value = unsafe next(message, depth + 1) else { return nil }
            values.append(value)
        }
        return unsafe sd_bus_message_exit_container(message) >= 0 ? values : nil
    }

    private mutating func dictionary(_ contents: String, _ message: OpaquePointer, _ depth: Int) -> DBusValue? {
        let pair = String(contents.dropFirst().dropLast())
        let array = CChar(UInt8(ascii: "a"))
        guard let key = pair.first.map(String.init),
            unsafe sd_bus_message_enter_container(message, array, contents) > 0
        else { return nil }
        var entries: [DBusValue.DBusDictionaryEntry] = []
        while unsafe sd_bus_message_at_end(message, 0) == 0 {
            guard let both = unsafe members(CChar(UInt8(ascii: "e")), pair, message, depth + 1), both.count == 2 else {
                return nil
            }
            entries.append(DBusValue.DBusDictionaryEntry(both[0], both[1]))
        }
        guard unsafe sd_bus_message_exit_container(message) >= 0 else { return nil }
        return .dictionary(key: key, value: String(pair.dropFirst()), entries)
    }
}
