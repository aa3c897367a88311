import JSON

/// The reason why the transport could not deliver a message of a handshake.
public struct HandshakeDeliveryFailure: Hashable, Sendable {
    /// The stable code of the cause, from any module.
    public let code: String

    /// One sentence that states the cause.
    public let reason: String

    /// True when a retry is useless until a change on this side, such as when our own rules refuse the address.
    public let isPermanent: Bool

    /// Makes a delivery failure from its parts.
    public init(code: String, reason: String, isPermanent: Bool) {
        self.code = code
        self.reason = reason
        self.isPermanent = isPermanent
    }

    /// The failure as JSON for a store.
    var json: JSONObject {
        ["code": .string(code), "reason": .string(reason), "isPermanent": .bool(isPermanent)]
    }

    init(stored reader: JSONValueReader) throws {
        self.init(
            code: try reader.string("code"), reason: try reader.string("reason"),
            isPermanent: try reader.bool("isPermanent"))
    }
}
