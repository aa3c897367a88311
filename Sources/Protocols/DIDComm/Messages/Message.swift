import ByteCoding
public import Determinism
public import JSON

/// One message of DIDComm v1 before it is packed or after it was unpacked: a JSON object with a type and an identifier.
///
/// Source: RFC 0044, RFC 0008, RFC 0011 (decorators).
public struct Message: Hashable, Sendable {
    /// The limits of a message: 1 MiB and a depth of 32, unless a protocol sets less.
    public static let limits = JSONLimits.standard

    /// The longest identifier, in bytes.
    public static let maximumIDBytes = MessageThread.maximumBytes

    /// The type of the message: protocol, version and name.
    public let type: MessageType

    /// The identifier `@id` of the message, which the sender chose.
    public let id: String

    /// The thread that the message belongs to.
    public let thread: MessageThread

    /// All members of the message, including type, identifier and decorators.
    public let object: JSONObject

    /// Parses the plaintext of an envelope as a message.
    ///
    /// Throws `didcomm.message.malformed` for what is no JSON object or lacks `@id`, and
    /// `didcomm.message.type-malformed`.
    public init(parsing bytes: [UInt8], limits: JSONLimits = Message.limits) throws(DIDCommError) {
        do throws(JSONError) {
            try self.init(object: JSONValueReader(JSONValue(parsing: bytes, limits: limits)).object())
        } catch {
            throw DIDCommError(malformed: error)
        }
    }

    /// Makes a message of a JSON object, with the same checks as `init(parsing:limits:)`.
    public init(_ object: JSONObject) throws(DIDCommError) {
        do throws(JSONError) {
            try self.init(object: object)
        } catch {
            throw DIDCommError(malformed: error)
        }
    }

    /// Makes a message to send: type, identifier, then `body`, then the thread.
    public init(_ type: MessageType, id: String, thread: MessageThread = MessageThread(), body: JSONObject = [:]) {
        self.type = type
        self.id = id
        self.thread = thread
        var object: JSONObject = ["@type": .string(type.description), "@id": .string(id)]
        for member in body { object[member.name] = member.value }
        object["~thread"] = thread.value
        self.object = object
    }

    private init(object: JSONObject) throws(JSONError) {
        let reader = JSONValueReader(object: object)
        let typeReader = try reader.member("@type")
        guard let type = try? MessageType(parsing: typeReader.string()) else {
            throw typeReader.error(.wrongKind, "the type of a message is needed, but another text is")
        }
        let idReader = try reader.member("@id")
        let id = try idReader.string()
        guard (1...Self.maximumIDBytes).contains(id.utf8.count) else {
            throw idReader.error(.stringTooLong, "an identifier of 1 to \(Self.maximumIDBytes) bytes is needed, none")
        }
        self.type = type
        self.id = id
        thread = try MessageThread(reader)
        self.object = object
    }

    /// The identifier of the message's thread: `thid`, or its own identifier when it began the thread.
    public var threadID: String { thread.id ?? id }

    /// A reader of the message's members, whose errors name the place.
    public var reader: JSONValueReader { JSONValueReader(object: object) }

    /// The bytes of the message's JSON, ready to be packed.
    public var encoded: [UInt8] { object.encoded }

    /// Returns a copy of the message with a decorator set or, with nil, removed.
    ///
    /// - Parameter name: a name that begins with `~`, except `~thread`; others are a mistake of the caller and trap.
    public func decorated(_ name: String, _ value: JSONValue?) -> Message {
        precondition(name.hasPrefix("~") && name != "~thread", "decorators begin with ~")
        var object = object
        object[name] = value
        return Message(type: type, id: id, thread: thread, object: object)
    }

    private init(type: MessageType, id: String, thread: MessageThread, object: JSONObject) {
        self.type = type
        self.id = id
        self.thread = thread
        self.object = object
    }
}

/// Reads and sets decorators that any message may have.
extension Message {
    /// True when the sender requests an acknowledgement, RFC 0317.
    public var asksForAck: Bool {
        guard let decorator = object["~please_ack"], !decorator.isNull, decorator.bool != false else { return false }
        return true
    }

    /// The return route of RFC 0092: `all`, `thread` or `none`; nil when the message does not have it.
    public var returnRoute: String? { object["~transport"]?["return_route"]?.string }

    /// A copy of the message with `return_route` `all` (RFC 0092), which requests answers on the same connection.
    public var askingForReturnRoute: Message { decorated("~transport", ["return_route": "all"]) }

    /// Returns a fresh message identifier: a random UUID of version 4 in lower-case digits.
    public static func makeID(from random: inout some RandomSource) -> String {
        var bytes = random.bytes(count: 16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Hex.encode(bytes)
        var groups: [Substring] = []
        var rest = digits[...]
        for count in [8, 4, 4, 4, 12] {
            groups.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return groups.joined(separator: "-")
    }
}

extension DIDCommError {
    /// Makes the error for a message whose members are missing or wrong.
    init(malformed error: JSONError) {
        let isType = error.path == .member(.root, "@type") && error.code != .missing
        self.init(isType ? .typeMalformed : .messageMalformed, error.description)
    }
}
