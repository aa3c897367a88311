public import DIDComm
public import Determinism
import JSON

/// A request of a client to its mediator to serve an invitation at a short link, whose QR code fits a small window.
///
/// The link of the invitation holds it whole; the mediator keeps the invitation, and answers with a `ShortLink`.
/// Sources: RFC 0746 with the goal code `shorten.oobv1`; RFC 0434, URL shortening, for the answers at the short link.
public struct ShortLinkRequest: Hashable, Sendable {
    /// The most bytes of the invitation's JSON.
    public static let maximumBytes = 8192

    /// The longest lifetime of a short link: 30 days.
    public static let maximumSeconds = 30 * 86_400

    /// The lifetime of a short link for which the client asks none: a week.
    public static let usualSeconds = 7 * 86_400

    private static let goalCode = "shorten.oobv1"

    /// The link of the invitation: an address with the parameter `oob`.
    public let link: String

    /// The lifetime, 1 to `maximumSeconds`.
    public let seconds: Int

    /// Makes a request; a lifetime outside of the limits is brought within them.
    public init(_ link: String, seconds: Int = usualSeconds) {
        self.link = link
        self.seconds = min(max(1, seconds), Self.maximumSeconds)
    }

    /// The message to the mediator.
    public func message(id: String) -> Message {
        Message(
            MessageType(.shortenURL10, "request-shortened-url"), id: id,
            body: [
                "url": .string(link), "requested_validity_seconds": .int(seconds), "goal_code": .string(Self.goalCode),
            ])
    }

    /// The message by which a client asks its mediator to serve a short link no longer.
    public static func removal(of address: String, id: String) -> Message {
        Message(
            MessageType(.shortenURL10, "invalidate-shortened-url"), id: id, body: ["shortened_url": .string(address)])
    }

    /// The reason why a mediator refuses a request: the code of RFC 0746, and a sentence.
    struct ShortLinkRefusal: Error {
        let code: String
        let reason: String
    }

    /// The invitation and the lifetime that a client's message asks for.
    static func reading(_ message: Message) throws(ShortLinkRefusal) -> (invitation: Invitation, seconds: Int) {
        let object = message.object
        guard object["goal_code"]?.string == goalCode else {
            throw ShortLinkRefusal(code: "invalid_goal_code", reason: "Only \(goalCode) is served here.")
        }
        // A client that asks for 0 wants the link to count for ever.
        let seconds = object["requested_validity_seconds"].map { $0.int ?? 0 } ?? usualSeconds
        guard (1...maximumSeconds).contains(seconds) else {
            throw ShortLinkRefusal(
                code: "validity_too_long", reason: "A short link counts for at most \(maximumSeconds) seconds.")
        }
        guard let link = object["url"]?.string, link.utf8.count <= 2 * maximumBytes,
            case .invitation(let invitation)? = try? InvitationText(parsing: link), invitation.kind == .outOfBand,
            invitation.object.encoded.count <= maximumBytes
        else {
            throw ShortLinkRefusal(
                code: "invalid_url",
                reason: "The link holds no out-of-band invitation of at most \(maximumBytes) bytes.")
        }
        return (invitation, seconds)
    }
}

/// A short link of an invitation, as a mediator answers.
public struct ShortLink: Hashable, Sendable {
    /// The most bytes of an address.
    public static let maximumBytes = 512

    /// The address; untrusted text.
    public let address: String

    /// The time until which the mediator serves it; nil for no end.
    public let expires: WallTime?

    /// Makes a short link from its parts.
    public init(_ address: String, expires: WallTime?) { (self.address, self.expires) = (address, expires) }

    /// Reads the answer of a mediator; nil for another message, and for one without a usable address.
    public init?(_ message: Message) {
        guard message.type.isSame(as: MessageType(.shortenURL10, "shortened-url")),
            let address = message.object["shortened_url"]?.string, address.utf8.count <= Self.maximumBytes,
            let endpoint = try? ServiceEndpoint(parsing: address),
            ServiceEndpoint.Transport.ofHTTP.contains(endpoint.transport)
        else { return nil }
        let expires = message.object["expires_time"]?.string.flatMap { WallTime(message: $0) }
        self.init(address, expires: expires)
    }
}

extension MessageProtocol {
    /// The protocol shorten-url 1.0 of RFC 0746.
    public static let shortenURL10 = MessageProtocol("shorten-url", 1, 0)
}
