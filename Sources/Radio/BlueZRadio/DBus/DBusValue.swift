/// A value of D-Bus, with the types that its signature needs.
///
/// Bytes (`ay`) have a case of their own, because values of attributes are bytes.
indirect enum DBusValue: Hashable, Sendable {
    /// A boolean, signature `b`.
    case bool(Bool)
    /// An unsigned 8-bit integer, signature `y`.
    case byte(UInt8)
    /// A signed 16-bit integer, signature `n`.
    case int16(Int16)
    /// An unsigned 16-bit integer, signature `q`.
    case uint16(UInt16)
    /// A signed 32-bit integer, signature `i`.
    case int32(Int32)
    /// An unsigned 32-bit integer, signature `u`.
    case uint32(UInt32)
    /// A signed 64-bit integer, signature `x`.
    case int64(Int64)
    /// An unsigned 64-bit integer, signature `t`.
    case uint64(UInt64)
    /// A double-precision number, signature `d`.
    case double(Double)
    /// A string, signature `s`.
    case string(String)
    /// An object path, signature `o`.
    case path(String)
    /// A type signature, signature `g`.
    case signature(String)
    /// A file descriptor, signature `h`.
    case descriptor(FileDescriptor)
    /// An array of bytes, signature `ay`.
    case bytes([UInt8])
    /// An array of elements with one signature.
    case array(of: String, [DBusValue])
    /// An array of pairs; the signatures are those of key and value.
    case dictionary(key: String, value: String, [DBusDictionaryEntry])
    /// A structure of values.
    case structure([DBusValue])
    /// A value with its type, signature `v`.
    case variant(DBusValue)

    /// A pair of a dictionary.
    struct DBusDictionaryEntry: Hashable, Sendable {
        /// The key of a dictionary entry.
        var key: DBusValue
        /// The value of a dictionary entry.
        var value: DBusValue

        /// Makes a dictionary entry from its key and its value.
        init(_ key: DBusValue, _ value: DBusValue) {
            self.key = key
            self.value = value
        }
    }

    /// A map from names to variants, `a{sv}`, in the order given.
    static func properties(_ entries: [(name: String, value: DBusValue)]) -> DBusValue {
        .dictionary(
            key: "s", value: "v", entries.map { DBusDictionaryEntry(.string($0.name), .variant($0.value)) })
    }

    /// A list of strings, `as`.
    static func strings(_ strings: [String]) -> DBusValue {
        .array(of: "s", strings.map(DBusValue.string))
    }

    /// The type as D-Bus writes it.
    var typeSignature: String {
        switch self {
        case .bool: "b"
        case .byte: "y"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .path: "o"
        case .signature: "g"
        case .descriptor: "h"
        case .bytes: "ay"
        case .array(let element, _): "a" + element
        case .dictionary(let key, let value, _): "a{\(key)\(value)}"
        case .structure(let members): "(" + members.map(\.typeSignature).joined() + ")"
        case .variant: "v"
        }
    }
}

// MARK: - Reading what came

extension DBusValue {
    /// The value without the variants around it.
    var plain: DBusValue {
        if case .variant(let inner) = self { inner.plain } else { self }
    }

    /// The value as a truth value; nil for another type.
    var flag: Bool? { if case .bool(let flag) = plain { flag } else { nil } }

    /// The value as a text, of a string, path or signature; nil for another type.
    var text: String? {
        switch plain {
        case .string(let text), .path(let text), .signature(let text): text
        default: nil
        }
    }

    /// The value as a whole number of any width; nil for another type, and for one that does not fit.
    var number: Int? {
        switch plain {
        case .byte(let number): Int(number)
        case .int16(let number): Int(number)
        case .uint16(let number): Int(number)
        case .int32(let number): Int(number)
        case .uint32(let number): Int(number)
        case .int64(let number): Int(exactly: number)
        case .uint64(let number): Int(exactly: number)
        default: nil
        }
    }

    /// The value as bytes; nil for another type.
    ///
    /// An empty list of whatever type is no bytes.
    var byteArray: [UInt8]? {
        switch plain {
        case .bytes(let bytes): bytes
        case .array(_, let elements) where elements.isEmpty: []
        default: nil
        }
    }

    /// The strings or paths of a list, without invalid ones; nil for another type.
    var texts: [String]? {
        if case .array(_, let elements) = plain { elements.compactMap(\.text) } else { nil }
    }

    /// The pairs of a dictionary; nil for another type.
    var entries: [DBusDictionaryEntry]? {
        if case .dictionary(_, _, let entries) = plain { entries } else { nil }
    }

    /// The value as a file descriptor; nil for another type.
    var openFile: FileDescriptor? {
        if case .descriptor(let descriptor) = plain { descriptor } else { nil }
    }

    /// A dictionary with names for keys; the last of equal names counts, and other keys are left out.
    var properties: [String: DBusValue]? {
        entries.map { entries in
            Dictionary(
                entries.compactMap { entry in entry.key.text.map { ($0, entry.value.plain) } },
                uniquingKeysWith: { _, last in last })
        }
    }
}
