/// The name of a member as a key: names are the same when their code points are, and not, as strings of Swift are, when
/// they would be after normalisation.
public struct JSONName: Hashable, Sendable {
    /// The name.
    public let text: String

    /// Makes a key of a name.
    public init(text: String) { self.text = text }

    /// Whether the code points are the same.
    public static func == (left: JSONName, right: JSONName) -> Bool { areSame(left.text, right.text) }

    /// Hashes the bytes of the name.
    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Equal code points are always equal strings, and equal strings with other code points are rare.
    static func areSame(_ left: String, _ right: String) -> Bool {
        left == right && left.utf8.elementsEqual(right.utf8)
    }
}
