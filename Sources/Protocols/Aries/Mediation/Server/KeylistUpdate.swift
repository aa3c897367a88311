public import DIDComm
import JSON

/// A change of the mediator's key list that a client requests.
public struct KeylistUpdate: Hashable, Sendable {
    /// The result of a key change, in the words of RFC 0211.
    public enum Result: String, Hashable, Sendable, CaseIterable {
        /// The change was made.
        case success
        /// The change was not needed: the key list is already as requested.
        case noChange = "no_change"
        /// The change is not allowed: a key of the mediator, an unsafe key, or too many keys of the client.
        case clientError = "client_error"
        /// The change failed, and the client may request it again.
        case serverError = "server_error"
    }

    /// The most key changes in one message.
    public static let maximumCount = 100

    /// The recipient key to add or remove.
    public let key: Verkey

    /// True when the key is added, false when it is removed.
    public let isAddition: Bool

    /// Makes a key change from its parts.
    public init(_ key: Verkey, isAddition: Bool) {
        self.key = key
        self.isAddition = isAddition
    }
}

/// An entry of `keylist-update` as it was received; an unreadable entry is answered too.
struct RequestedKeylistUpdate: Hashable, Sendable {
    let name: JSONValue
    let action: JSONValue
    /// The requested key change; nil for an entry that is no change of a key.
    let change: KeylistUpdate?

    init(_ entry: JSONValue) {
        name = entry["recipient_key"] ?? ""
        action = entry["action"] ?? ""
        guard let text = entry["recipient_key"]?.string, let key = try? Verkey(parsing: text),
            (try? key.checkSafety()) != nil
        else {
            change = nil
            return
        }
        switch action.string {
        case "add": change = KeylistUpdate(key, isAddition: true)
        case "remove": change = KeylistUpdate(key, isAddition: false)
        default: change = nil
        }
    }

    func answer(_ result: KeylistUpdate.Result) -> JSONValue {
        ["recipient_key": name, "action": action, "result": .string(result.rawValue)]
    }
}
