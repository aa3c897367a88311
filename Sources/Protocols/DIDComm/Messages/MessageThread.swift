import JSON

/// The thread of a message, the decorator `~thread` of RFC 0008.
public struct MessageThread: Hashable, Sendable {
    /// The longest identifier of a thread, in bytes.
    public static let maximumBytes = 256

    /// The longest identifier of a parent thread, in bytes: that of an implicit invitation is a DID.
    public static let maximumParentBytes = DID.maximumCharacters + 256

    /// The thread identifier `thid` of the message that began the exchange; nil in that message itself.
    public var id: String?

    /// The parent thread identifier `pthid`: the thread or invitation from which the exchange began.
    public var parentID: String?

    /// Makes a thread decorator; with both identifiers nil, none is written.
    public init(id: String? = nil, parentID: String? = nil) {
        self.id = id
        self.parentID = parentID
    }

    /// Reads the thread decorator of a message.
    init(_ message: JSONValueReader) throws(JSONError) {
        guard let thread = try message.optional("~thread") else { return }
        id = try Self.text("thid", of: thread, maximumBytes: Self.maximumBytes)
        parentID = try Self.text("pthid", of: thread, maximumBytes: Self.maximumParentBytes)
    }

    private static func text(_ name: String, of thread: JSONValueReader, maximumBytes: Int) throws(JSONError) -> String?
    {
        guard let member = try thread.optional(name) else { return nil }
        let text = try member.string()
        guard text.utf8.count <= maximumBytes else {
            throw member.error(.stringTooLong, "an identifier of more than \(maximumBytes) bytes is")
        }
        return text.isEmpty ? nil : text
    }

    /// The thread decorator as JSON; nil when it is empty.
    var value: JSONValue? {
        guard id != nil || parentID != nil else { return nil }
        return .object(
            JSONObject(present: ["thid": id.map { .string($0) }, "pthid": parentID.map { .string($0) }]))
    }
}
