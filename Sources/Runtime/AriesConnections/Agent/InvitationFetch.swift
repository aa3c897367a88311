public import Aries
public import WebAddressing
public import WebTransport

/// Fetches the invitation that a short link leads to.
///
/// A link may lead to JSON, to a text that is a longer link, or by redirects to a URL with the invitation in it; a
/// URL that holds one is not fetched. Where links may lead, how far and for how long is bounded.
/// Source: RFC 0160 and RFC 0434 on URL shortening, seed 002.
public struct InvitationFetch: Sendable {
    /// The most short links that may be followed one after the other, apart from redirects.
    public static let maximumLinks = 3

    private let fetch: GuardedFetch
    private let rules: FetchRules

    /// Makes a fetch.
    ///
    /// - Parameters:
    ///   - policy: where links may lead.
    ///   - allowsInsecure: whether links without TLS are followed, whose answers an attacker on the way can change.
    ///   - deadline: how long one link may take, redirects included.
    public init(
        _ fetch: GuardedFetch, policy: IPAddressPolicy = .publicOnly, allowsInsecure: Bool = false,
        deadline: Duration = FetchRules().deadline
    ) {
        self.fetch = fetch
        var rules = FetchRules()
        rules.policy = policy
        rules.allowsInsecure = allowsInsecure
        rules.deadline = deadline
        rules.accept = "application/json, text/plain;q=0.5, */*;q=0.1"
        self.rules = rules
    }

    /// Follows a link to an invitation or to a connectionless request.
    ///
    /// - Throws: the codes of `WebAddressError` and `FetchError`, and as `InvitationText.init(body:at:)`.
    public func content(at link: String) async throws -> InvitationText {
        var link = link
        var asked: [WebAddress] = []
        while asked.count < Self.maximumLinks {
            let address = try WebAddress(parsing: link).withoutFragment
            guard !asked.contains(address) else {
                throw FetchError(.redirectLoop, "The links lead in a circle.", at: address)
            }
            asked.append(address)
            let found = try await ask(address)
            guard case .shortLink(let next) = found else { return found }
            link = next
        }
        throw FetchError(.redirectLimit, "More than \(Self.maximumLinks) links lead from one to the next.")
    }

    private func ask(_ address: WebAddress) async throws -> InvitationText {
        do {
            let result = try await fetch.get(address, rules: rules)
            return try InvitationText(body: result.body, at: result.address.description)
        } catch let error as FetchError {
            // The URL that a redirect names may be the invitation, whether a server answers there or not.
            let targets = [error.redirectTarget, error.address?.description].compactMap(\.self)
            guard let target = targets.first(where: InvitationText.holdsInvitation) else { throw error }
            return try InvitationText(parsing: target)
        }
    }
}
