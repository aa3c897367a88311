import Credentials
package import Presentations
import Terminal

/// A verifier's request as text: who asks, who signed it, and for what.
package struct RequestText: Sendable {
    private let request: PresentationRequest

    /// Takes a request.
    package init(_ request: PresentationRequest) { self.request = request }

    /// Label and value of each row.
    package var rows: [(label: String, value: String)] {
        var rows = [
            ("asks", request.clientID.map { TerminalText.sanitised($0, limit: 200) } ?? "does not say who it is")
        ]
        rows.append(("signed by", signer))
        if let purpose = request.purpose { rows.append(("purpose", TerminalText.sanitised(purpose, limit: 200))) }
        for query in request.queries { rows.append(("wants", Self.text(of: query))) }
        for set in request.sets {
            let options = set.options.map { $0.joined(separator: " and ") }.joined(separator: ", or ")
            rows.append((set.isRequired ? "needs" : "takes too", TerminalText.sanitised(options, limit: 400)))
        }
        rows.append(("bound", request.isBound ? "to the session with this verifier" : "to no session"))
        return rows
    }

    /// Who signed the request.
    package var signer: String {
        switch request.signer {
        case .unsigned: "unsigned: anyone could have written it"
        case .unknown(let name): "unknown: \(TerminalText.sanitised(name, limit: 200)), not pinned by you"
        case .known(let name): TerminalText.sanitised(name, limit: 200)
        }
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
