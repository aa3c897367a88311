import Credentials
package import Presentations
import Terminal

/// A verifier's request as text: the verifier, the signer, and the requested claims.
package struct VerifierRequestText: Sendable {
    /// The most columns of a DID that is nothing but a key, where it is shortened.
    static let keyColumns = 56

    private let request: PresentationRequest
    private let shortensKeys: Bool

    /// Makes the text of a request; `shortensKeys` cuts the middle of a did:jwk or did:key, as for a screen.
    package init(_ request: PresentationRequest, shortensKeys: Bool = false) {
        self.request = request
        self.shortensKeys = shortensKeys
    }

    /// The lines of the text, a label and a value each.
    package var rows: [(label: String, value: String)] {
        var rows = [
            ("asked by", request.clientID.map(text(ofName:)) ?? "a verifier that gives no name")
        ]
        rows.append(("signed by", signer))
        if let purpose = request.purpose { rows.append(("purpose", TerminalText.sanitised(purpose, limit: 200))) }
        for query in request.queries { rows.append(("asks for", Self.text(of: query))) }
        for set in request.sets {
            let options = set.options.map { $0.joined(separator: " and ") }.joined(separator: ", or ")
            rows.append((set.isRequired ? "needs" : "takes too", TerminalText.sanitised(options, limit: 400)))
        }
        rows.append(("bound", request.isBound ? "to the session with this verifier" : "to no session"))
        return rows
    }

    /// The signer of the request, in words.
    package var signer: String {
        switch request.signer {
        case .unsigned: "unsigned: anyone could have written it"
        case .unknown(let name): "unknown: \(text(ofName: name)), not pinned by you"
        case .known(let name): text(ofName: name)
        }
    }

    /// Formats the name of a verifier or signer, safe to show.
    ///
    /// A key keeps its beginning and its end; names that a person reads are not shortened in the middle, which could
    /// hide whose they are.
    private func text(ofName name: String) -> String {
        let text = TerminalText.sanitised(name, limit: shortensKeys ? 200 : 1024)
        let isKey = ["did:jwk:", "did:key:", "decentralized_identifier:did:jwk:"].contains { text.hasPrefix($0) }
        guard shortensKeys, isKey, name.utf8.count > Self.keyColumns else { return text }
        let whole = TerminalText.sanitised(name, limit: 1024)
        let half = (Self.keyColumns - 1) / 2
        return TerminalText.cut(whole, to: Self.keyColumns - 1 - half) + "…" + String(whole.suffix(half))
    }

    private static func text(of query: CredentialQuery) -> String {
        let types = query.types.map { $0.joined(separator: "+") }.joined(separator: " or ")
        let formats = query.formats.map(\.rawValue).joined(separator: " or ")
        let names = query.claims.map { $0.name + ($0.isOptional ? " (optional)" : "") }
        let claims =
            query.claimSets.isEmpty
            ? names.joined(separator: ", ")
            : query.claimSets.map { $0.map { names[$0] }.joined(separator: ", ") }.joined(separator: "; or ")
        let parts = [
            claims.isEmpty ? "any claims" : claims, types.isEmpty ? nil : "type \(types)",
            formats.isEmpty ? nil : "format \(formats)",
        ]
        return TerminalText.sanitised(
            "\(query.id): " + parts.compactMap { $0 }.joined(separator: "; "), limit: 400)
    }
}
