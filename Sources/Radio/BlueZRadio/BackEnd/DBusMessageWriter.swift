import CSystemd

/// Writes arguments into a message of sd-bus.
enum DBusMessageWriter {
    /// Appends `value`; false when the library refuses, which it does for text that D-Bus does not allow.
    static func append(_ value: DBusValue, to message: OpaquePointer) -> Bool {
        switch value {
        case .bool(let flag): unsafe basic("b", Int32(flag ? 1 : 0), message)
        case .byte(let number): unsafe basic("y", number, message)
        case .int16(let number): unsafe basic("n", number, message)
        case .uint16(let number): unsafe basic("q", number, message)
        case .int32(let number): unsafe basic("i", number, message)
        case .uint32(let number): unsafe basic("u", number, message)
        case .int64(let number): unsafe basic("x", number, message)
        case .uint64(let number): unsafe basic("t", number, message)
        case .double(let number): unsafe basic("d", number, message)
        case .string(let string): unsafe text("s", string, message)
        case .path(let string): unsafe text("o", string, message)
        case .signature(let string): unsafe text("g", string, message)
        case .descriptor(let descriptor): unsafe basic("h", descriptor.number, message)
        case .bytes(let bytes): unsafe array(bytes, message)
        case .array(let element, let values):
            unsafe container("a", element, message) { values.allSatisfy { unsafe append($0, to: message) } }
        case .dictionary(let key, let value, let entries): unsafe dictionary(key, value, entries, message)
        case .structure(let members):
            unsafe container("r", members.map(\.typeSignature).joined(), message) {
                members.allSatisfy { unsafe append($0, to: message) }
            }
        case .variant(let inner):
            unsafe container("v", inner.typeSignature, message) { unsafe append(inner, to: message) }
        }
    }

    private static func dictionary(
        _ key: String, _ value: String, _ entries: [DBusValue.DBusDictionaryEntry], _ message: OpaquePointer
    ) -> Bool {
        unsafe container("a", "{\(key)\(value)}", message) {
            entries.allSatisfy { entry in
                unsafe container("e", key + value, message) {
                    unsafe append(entry.key, to: message) && append(entry.value, to: message)
                }
            }
        }
    }

    private static func basic<Number>(_ type: Unicode.Scalar, _ number: Number, _ message: OpaquePointer) -> Bool {
        unsafe withUnsafePointer(to: number) {
            unsafe sd_bus_message_append_basic(message, CChar(type.value), $0) >= 0
        }
    }

    private static func text(_ type: Unicode.Scalar, _ string: String, _ message: OpaquePointer) -> Bool {
        guard !string.utf8.contains(0) else { return false }
        return unsafe string.withCString { unsafe sd_bus_message_append_basic(message, CChar(type.value), $0) >= 0 }
    }

    private static func array(_ bytes: [UInt8], _ message: OpaquePointer) -> Bool {
        unsafe bytes.withUnsafeBytes {
            unsafe sd_bus_message_append_array(message, CChar(UInt8(ascii: "y")), $0.baseAddress, $0.count) >= 0
        }
    }

    private static func container(
        _ type: Unicode.Scalar, _ contents: String, _ message: OpaquePointer, _ body: () -> Bool
    ) -> Bool {
        unsafe sd_bus_message_open_container(message, CChar(type.value), contents) >= 0 && body()
            && sd_bus_message_close_container(message) >= 0
    }
}
