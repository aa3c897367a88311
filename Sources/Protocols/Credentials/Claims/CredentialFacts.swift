package import JSON

/// The claims of a credential in any format, as people look for them: names, pictures, dates and others.
///
/// Nothing here is checked, and texts are as they came: the caller makes each of them safe where it shows it. The
/// numbers of claims and pictures, and the depth, are bounded.
package struct CredentialFacts: Sendable {
    /// A claim's text with the language that the credential gives it.
    package struct Text: Hashable, Sendable {
        package let text: String
        package let language: String?

        package init(_ text: String, language: String? = nil) {
            self.text = text
            self.language = language
        }
    }

    /// One claim with its path of names from the outermost to the innermost.
    package struct Claim: Hashable, Sendable {
        package let path: [String]
        package let value: Text

        /// True when the claim is at the top level and named as a person's name or a part of one.
        package var isName: Bool {
            path.count == 1 && CredentialFacts.allNames.contains(CredentialFacts.plain(path[0]))
        }
    }

    /// A picture of a credential, as received.
    package enum Picture: Hashable, Sendable {
        /// A picture as text, such as `data:image/png;base64,…`, or base 64 only.
        case text(String)
        /// A picture as the bytes in a mobile document.
        case bytes([UInt8])
    }

    /// The most claims that are listed.
    package static let maximumClaims = 300
    /// The most pictures that are kept.
    package static let maximumPictures = 4
    private static let maximumDepth = 12
    private static let pictureNames: Set<String> = ["portrait", "face", "photo", "picture", "image"]
    private static let wholeNames = ["fullname"]
    private static let looseNames = ["name", "displayname"]
    private static let givenNames = ["givenname", "firstname", "givennames"]
    private static let familyNames = ["familyname", "lastname", "surname"]
    private static let allNames = Set(wholeNames + looseNames + givenNames + familyNames)

    private let content: CredentialContent
    /// True when the credential is proven to be of its issuer.
    package private(set) var isIssued = false
    private var named: [(name: String, depth: Int, texts: [Text])] = []
    /// All claims except pictures, in the order of the credential.
    package private(set) var claims: [Claim] = []
    /// The number of claims and pictures that were left out, because there were too many.
    package private(set) var omittedClaims = 0
    /// The pictures of the credential, in its order.
    package private(set) var pictures: [Picture] = []

    /// Makes the facts from a verification report.
    ///
    /// Issuer and end of validity come from the members of its own format alone; a member of another format is a claim
    /// like any other, and so is a name that the credential gives its issuer.
    package init(_ report: CredentialReport) {
        content = report.content
        isIssued = report.issuance == .genuine
        let top = content.claims?.object ?? JSONObject()
        for picture in content.pictures { take(.bytes(picture.bytes)) }
        switch report.format {
        case .jwt, .linkedData: takeSubjects(of: top)
        case .sdJWT where top["vct"] == nil && top["credentialSubject"] != nil: takeSubjects(of: top)
        case .sdJWT, .cwt:
            for member in top where !Self.isFrame(member.name) { take(member.value, path: [member.name]) }
        case .mobileDocument, .aadhaar, .healthCard, .unknown:
            for member in top { take(member.value, path: [member.name]) }
        }
    }

    /// Makes the facts from a subject's claims without a report, such as the answers to a request.
    package init(subject claims: JSONObject) {
        content = CredentialContent()
        for member in claims { take(member.value, path: [member.name]) }
    }

    private mutating func takeSubjects(of top: JSONObject) {
        let subject = top["credentialSubject"]
        for entry in subject?.array ?? [subject].compactMap({ $0 }) { take(entry, path: []) }
        guard let name = top["issuer"]?["name"] else { return }
        // It names the issuer, and is never taken for the holder's.
        let ofSubjects = named
        take(name, path: ["issuer", "name"])
        named = ofSubjects
    }

    /// Returns true for a claim about the token (RFC 7519, section 4.1; draft-ietf-oauth-sd-jwt-vc, section 2.2.2).
    private static func isFrame(_ name: String) -> Bool {
        ["iss", "sub", "aud", "iat", "nbf", "exp", "jti", "cti", "cnf", "vct", "vct#integrity", "status"].contains(name)
    }

    private mutating func take(_ value: JSONValue, path: [String]) {
        guard path.count <= Self.maximumDepth, claims.count < Self.maximumClaims else {
            omittedClaims += 1
            return
        }
        // The claims hold no more than the kind and size of a picture that came as bytes.
        if content.pictures.contains(where: { $0.path == path }) { return }
        if let list = Self.languages(value) { return add(list, path: path) }
        if let object = value.object {
            for member in object { take(member.value, path: path + [member.name]) }
        } else if let array = value.array {
            for (index, entry) in array.enumerated() {
                take(entry, path: array.count == 1 ? path : path + [String(index + 1)])
            }
        } else if let text = value.string {
            if isPicture(text, path.last ?? "") { take(.text(text)) } else { add([Text(text)], path: path) }
        } else {
            add([Text(value.isNull ? "–" : value.text)], path: path)
        }
    }

    private func isPicture(_ text: String, _ name: String) -> Bool {
        text.hasPrefix("data:image/") || (Self.pictureNames.contains(Self.plain(name)) && text.utf8.count > 200)
    }

    private mutating func take(_ picture: Picture) {
        if pictures.count < Self.maximumPictures { pictures.append(picture) } else { omittedClaims += 1 }
    }

    private mutating func add(_ texts: [Text], path: [String]) {
        named.append((Self.plain(path.last ?? ""), path.count, texts))
        for text in texts {
            guard claims.count < Self.maximumClaims else {
                omittedClaims += 1
                continue
            }
            claims.append(Claim(path: path, value: text))
        }
    }

    /// Returns the texts of a list by language, such as `[{"language": "eng", "value": "…"}]`; nil for other values.
    private static func languages(_ value: JSONValue) -> [Text]? {
        let list = value.array ?? [value]
        guard !list.isEmpty, list.count <= 64 else { return nil }
        var texts: [Text] = []
        for entry in list {
            guard let text = entry["value"]?.string ?? entry["@value"]?.string else { return nil }
            texts.append(Text(text, language: entry["language"]?.string ?? entry["@language"]?.string))
        }
        return texts
    }

    private static func plain(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }

    /// Returns the texts of the first of `names` that exists; of several claims with one name, the outermost.
    private func first(of names: [String]) -> [Text]? {
        for name in names {
            let found = named.filter { $0.name == name }
            if let outermost = found.min(by: { $0.depth < $1.depth }) { return outermost.texts }
        }
        return nil
    }

    /// The holder's name, in each of its languages.
    package var holderNames: [Text] {
        if let whole = first(of: Self.wholeNames) { return whole }
        if let given = first(of: Self.givenNames), let family = first(of: Self.familyNames) {
            // A part that has one language only goes with each of the other part's.
            return (given.count < family.count ? family : given).map { one in
                let first = given.first { $0.language == one.language } ?? given[0]
                let last = family.first { $0.language == one.language } ?? family[0]
                return Text("\(first.text) \(last.text)", language: one.language)
            }
        }
        return first(of: Self.looseNames) ?? first(of: Self.givenNames) ?? first(of: Self.familyNames) ?? []
    }

    /// The name that the trust store gives the issuer.
    package var issuerName: String? { content.issuerName }

    /// The identifier of the credential's issuer.
    package var issuer: String? { content.issuer }

    /// The identifier of the issuer for display, in quotation marks where it could mislead.
    ///
    /// Where the issuer did not issue the credential, and where it is a text that could be taken for a name.
    package var quotedIssuer: String? {
        issuer.map { isIssued && !$0.utf8.contains(UInt8(ascii: " ")) ? $0 : "“\($0)”" }
    }

    /// The types of the credential, without the general W3C type if there are others.
    package var types: [String] {
        let types = content.types.filter { $0 != "VerifiableCredential" }
        return types.isEmpty ? content.types : types
    }

    /// The start of the validity as the credential writes it: a date, or seconds since 1970.
    package var validFrom: JSONValue? { Self.date(content.validity?.from) }

    /// The end of the validity, written like `validFrom`.
    package var validUntil: JSONValue? { Self.date(content.validity?.until) }

    private static func date(_ value: JSONValue?) -> JSONValue? {
        if let text = value?.string { return .string(text) }
        guard let seconds = value?.number?.double, (0..<253_402_300_800).contains(seconds) else { return nil }
        return .int(Int(seconds))
    }
}
