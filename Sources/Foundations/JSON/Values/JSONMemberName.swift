/// The name of a JSON member as a key, which is equal to another one of the same code points.
///
/// Strings of Swift are also equal when they would be after normalisation.
public struct JSONMemberName: Hashable, Sendable {
    /// The text of the name.
    public let text: String

    /// Makes a key of a name.
    public init(text: String) { self.text = text }

    /// Returns true when both names have the same code points.
    public static func == (left: JSONMemberName, right: JSONMemberName) -> Bool { areSame(left.text, right.text) }

    /// Hashes the bytes of the name.
    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Returns true when both strings have the same code points; Swift also calls others equal.
    static func areSame(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        var (left, right) = (left, right)
        return left.withUTF8 { left in
            right.withUTF8 { areSame(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer($0)) }
        }
    }

    /// Compares two strings of one byte length eight bytes at a time, because every look-up of a member comes here.
    private static func areSame(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while left.count - offset >= 8 {
            let one = left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard one == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
            offset += 8
        }
        while offset < left.count {
            guard left[offset] == right[offset] else { return false }
            offset += 1
        }
        return true
    }
}
