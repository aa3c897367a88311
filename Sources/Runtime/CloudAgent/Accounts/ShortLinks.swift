import Aries
import ByteCoding
import DIDComm
import Determinism
import JSON

/// The invitations of clients that the agent serves at short links.
///
/// A client asks for a link by a message of RFC 0746. The invitation is kept, sealed, with the client's other requests:
/// so it is deleted with the account, and the newest `StoreLimits.shortLinks` of an account count.
struct ShortLinks: Sendable {
    let context: MediatorContext
    let storage: MonitoredStore

    private var secret: MediatorSecret { context.secret }

    /// Keeps an invitation of an account; the same `@id` gets the same link again.
    func keep(
        _ invitation: [UInt8], until end: WallTime, for id: String, of account: Int64
    ) async throws(CloudAgentError) -> ShortLink {
        let name = secret.shortLinkName(of: account, for: id)
        let sealed = Self.sealed(invitation, until: end, by: secret)
        let request = StoredClientRequest(secret.hash(shortLink: name), .shortLink)
        let outcome = try await storage.store.write(adding: sealed.count) { (transaction) throws(CloudAgentError) in
            try transaction.requests.perform(.nothing, of: account, by: request) { _ in sealed }
        }
        var expires = end
        if case .repeated(let kept) = outcome { expires = try Self.opened(kept, by: secret).end }
        return ShortLink("\(context.endpoints.http.text)/i/\(name)", expires: expires)
    }

    /// Removes the invitation at a short link; false for an address that is no short link of the account.
    func remove(_ address: String, of account: Int64) async throws(CloudAgentError) -> Bool {
        guard let name = address.parts(at: "/").last.map(String.init), secret.account(ofShortLink: name) == account
        else { return false }
        let id = secret.hash(shortLink: name)
        return try await storage.store.write { (transaction) throws(CloudAgentError) in
            try transaction.requests.forget(id, of: account)
        }
    }

    /// The invitation at a short link; nil for another name, after the link's time, and when the store fails.
    func invitation(named name: String) async -> Invitation? {
        guard let account = secret.account(ofShortLink: name) else { return nil }
        let id = secret.hash(shortLink: name)
        do throws(CloudAgentError) {
            guard let kept = try await storage.store.read({ try $0.requests.answer(to: id, of: account) }) else {
                return nil
            }
            let (bytes, end) = try Self.opened(kept, by: secret)
            guard context.wallTime() < end else {
                _ = try await storage.store.write { (transaction) throws(CloudAgentError) in
                    try transaction.requests.forget(id, of: account)
                }
                return nil
            }
            return (try? JSONValue(parsing: bytes))?.object.flatMap { try? Invitation($0) }
        } catch {
            storage.health.failed(error)
            return nil
        }
    }

    private static func sealed(_ invitation: [UInt8], until end: WallTime, by secret: MediatorSecret) -> [UInt8] {
        let value = JSONValue.array([
            .int(Int(end.millisecondsSinceEpoch)), .string(String(decoding: invitation, as: UTF8.self)),
        ])
        return secret.seal(value.encoded, as: .shortLink)
    }

    private static func opened(
        _ sealed: [UInt8], by secret: MediatorSecret
    ) throws(CloudAgentError) -> (invitation: [UInt8], end: WallTime) {
        let bytes = try secret.open(sealed, as: .shortLink)
        guard let parts = (try? JSONValue(parsing: bytes))?.array, parts.count == 2, let end = parts[0].int,
            let invitation = parts[1].string
        else { throw CloudAgentError(.damaged, "A short link in the store cannot be read.") }
        return (Array(invitation.utf8), WallTime(millisecondsSinceEpoch: Int64(end)))
    }
}
