import JSON

/// The thread of a message, the decorator `~thread` of RFC 0008.
public struct MessageThread: Hashable, Sendable {
    /// The longest identifier of a thread, in bytes.
    public static let maximumBytes = 256

    /// The longest identifier of a parent thread, in bytes: that of an implicit invitation is a DID.
    public static let maximumParentBytes = DID.maximumCharacters + 256

    /// `thid`: the identifier of the message that began the exchange; nil in that message itself.
    public var id: String?

    /// `pthid`: the thread or invitation from which the exchange grew.
    public var parentID: String?

    /// Makes the decorator's value; both nil write none.
    public init(id: String? = nil, parentID: String? = nil) {
        self.id = id
        self.parentID = parentID
    }

    /// Reads the decorator of a message.
    init(_ message: JSONReader) throws(JSONError) {
        guard let thread = try message.optional("~thread") else { return }
        id = try Self.text("thid", of: thread, maximumBytes: Self.maximumBytes)
        parentID = try Self.text("pthid", of: thread, maximumBytes: Self.maximumParentBytes)
    }

    private static func text(_ name: String, of thread: JSONReader, maximumBytes: Int) throws(JSONError) -> String? {
        guard let member = try thread.optional(name) else { return nil }
        let text = try member.string()
        guard text.utf8.count <= maximumBytes else {
            throw member.error(.stringTooLong, "an identifier of more than \(maximumBytes) bytes is")
        }
        return text.isEmpty ? nil : text
    }

    /// The decorator; nil when there is nothing in it.
    var value: JSONValue? {
        guard id != nil || parentID != nil else { return nil }
        return .object(
            JSONObject(present: ["thid": id.map { .string($0) }, "pthid": parentID.map { .string($0) }]))
    }
}
