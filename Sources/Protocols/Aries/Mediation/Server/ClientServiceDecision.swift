import DIDComm
import Determinism
import JSON

/// The handling of a client's message about a webhook or a short link.
enum ClientServiceDecision {
    /// Pass this command to the store, and answer with its result.
    case ask(MediatorStoreCommand, MediatorSession.PendingCommand)
    /// Make this change once, even if the message comes again.
    case change(MediatorStoreCommand.MediatorStoreChange, MediatorSession.PendingCommand)
    /// Answer with a problem report with this code and sentence.
    case refusal(String, String)

    /// Reads a message about the client's webhook.
    ///
    /// - Parameters:
    ///   - isOffered: true when the mediator posts to webhooks.
    ///   - isGranted: true when it serves the client.
    static func wake(_ message: Message, isOffered: Bool, isGranted: Bool) throws(AriesError) -> ClientServiceDecision {
        guard isOffered else { return .refusal("not-supported", "This mediator sends no wake-ups.") }
        guard isGranted else { return notGranted }
        switch message.type.name {
        case "set-device-info":
            do throws(AriesError) {
                return .change(.wake(try ClientWebhook.reading(message)), .wake)
            } catch {
                return .refusal("missing-value", error.reason)
            }
        case "get-device-info": return .ask(.wake, .wake)
        default: throw .unexpected(message)
        }
    }

    /// Reads a message about short links.
    ///
    /// - Parameter now: the time from which a link counts.
    static func shortLink(
        _ message: Message, isGranted: Bool, at now: WallTime
    ) throws(AriesError) -> ClientServiceDecision {
        guard isGranted else { return notGranted }
        switch message.type.name {
        case "request-shortened-url":
            do throws(ShortLinkRequest.ShortLinkRefusal) {
                let (invitation, seconds) = try ShortLinkRequest.reading(message)
                let end = WallTime(millisecondsSinceEpoch: now.millisecondsSinceEpoch + Int64(seconds) * 1000)
                return .ask(.shorten(invitation.object.encoded, until: end, for: message.id), .shortLink)
            } catch {
                return .refusal(error.code, error.reason)
            }
        case "invalidate-shortened-url":
            guard let address = message.object["shortened_url"]?.string, address.utf8.count <= ShortLink.maximumBytes
            else { return .refusal("short_url_invalid", "The message names no short link.") }
            return .ask(.removeShortLink(address), .shortLink)
        default: throw .unexpected(message)
        }
    }

    private static var notGranted: ClientServiceDecision { .refusal("not_granted", "Ask for mediation first.") }
}
