import Aries
import JSON
public import Tuvali
import WebAddressing

/// The content of a code that was typed, pasted or scanned at a desk; nothing of it is followed or fetched.
public struct ScannedCode: Hashable, Sendable {
    /// The kinds of codes that a desk recognises.
    public enum Kind: String, CaseIterable, Sendable {
        /// The code that this station shows itself.
        case ownCode = "own-code"
        /// The code of another verifier of Tuvali.
        case verifier
        /// An invitation to connect.
        case invitation
        /// An offer of a credential, for a wallet.
        case offer
        /// A request of another verifier, for a wallet.
        case request
        /// A link to a page.
        case link
        /// The engagement of a mobile document.
        case mobileDocument = "mobile-document"
        /// The scanner types for another keyboard layout than that of the machine.
        case otherLayout = "other-layout"
        /// The code is of no known kind.
        case unknown
    }

    /// The most bytes that are looked at.
    public static let maximumBytes = 4096

    /// The recognised kind of the code.
    public let kind: Kind
    /// The data that the code names, as label and text that is safe to show.
    ///
    /// The labels are `name`, `words`, `label`, `issuer`, `types`, `host` and `text`.
    public let facts: [LabelledFact]

    /// One fact of a code.
    public struct LabelledFact: Hashable, Sendable {
        /// The subject of the fact, such as `issuer`.
        public let label: String
        /// The code's text about the subject.
        public let text: String

        init(_ label: String, _ text: String, limit: Int = 200) {
            self.label = label
            self.text = DisplayText(text, limit: limit).text
        }
    }

    /// A text that was typed for another keyboard layout, and is not known.
    static let otherLayout = ScannedCode(kind: .otherLayout)

    private init(kind: Kind) {
        self.kind = kind
        facts = []
    }

    /// Makes the explanation of a scanned text; white space around it does not matter.
    ///
    /// - Parameter own: the code that the station shows; nil for none.
    public init(_ text: String, own: TuvaliURI? = nil) {
        // Bytes beyond the limit are cut off, and with them a character that they would part.
        let text = String(decoding: text.utf8.prefix(Self.maximumBytes), as: UTF8.self).trimmed
        if let uri = try? TuvaliURI(parsing: text) {
            kind = uri == own ? .ownCode : .verifier
            facts = [
                LabelledFact("name", uri.name),
                LabelledFact("words", KeyCheckWords.words(for: uri.key).joined(separator: " ")),
            ]
            return
        }
        let scheme = text.prefix { $0 != ":" }.lowercased()
        switch scheme {
        case "openid-credential-offer": (kind, facts) = (.offer, Self.offer(text))
        case "openid4vp", "haip", "eudi-openid4vp", "mdoc-openid4vp":
            kind = .request
            facts = [Self.parameter("client_id", of: text).map { LabelledFact("issuer", $0) }].compactMap(\.self)
        case "mdoc", "mdl": (kind, facts) = (.mobileDocument, [])
        default: (kind, facts) = Self.other(text)
        }
    }

    private static func other(_ text: String) -> (Kind, [LabelledFact]) {
        if let found = try? InvitationText(parsing: text), case .invitation(let invitation) = found {
            return (.invitation, [invitation.label.map { LabelledFact("label", $0) }].compactMap(\.self))
        }
        if let address = try? WebAddress(parsing: text) {
            if parameter("credential_offer", of: text) != nil || parameter("credential_offer_uri", of: text) != nil {
                return (.offer, offer(text))
            }
            return (.link, [LabelledFact("host", "\(address.host)")])
        }
        return (.unknown, text.isEmpty ? [] : [LabelledFact("text", text)])
    }

    /// The issuer and types of an offer in the link itself; the host where the link refers to an offer elsewhere.
    private static func offer(_ text: String) -> [LabelledFact] {
        if let body = parameter("credential_offer", of: text), let value = try? JSONValue(parsing: body) {
            let types = (value["credential_configuration_ids"] ?? value["credentials"])?.array?.compactMap(\.string)
            return [
                value["credential_issuer"]?.string.map { LabelledFact("issuer", $0) },
                types.map { LabelledFact("types", $0.prefix(8).joined(separator: ", ")) },
            ].compactMap(\.self)
        }
        guard let link = parameter("credential_offer_uri", of: text), let address = try? WebAddress(parsing: link)
        else {
            return []
        }
        return [LabelledFact("host", "\(address.host)")]
    }

    private static func parameter(_ name: String, of text: String) -> String? {
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        let start = Array((name + "=").utf8)
        let parts = text.utf8[text.utf8.index(after: mark)...].split(separator: UInt8(ascii: "&"))
        return parts.prefix(32).first { $0.starts(with: start) }.flatMap { decoded($0.dropFirst(start.count)) }
    }

    private static func decoded(_ text: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte == UInt8(ascii: "+") ? 32 : byte)
                continue
            }
            guard let number = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), rest.count >= 2 else {
                return nil
            }
            bytes.append(number)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension String {
    fileprivate var trimmed: String {
        let start = drop(while: \.isWhitespace)
        let end = start.lastIndex { !$0.isWhitespace }
        return end.map { String(start[...$0]) } ?? ""
    }
}
