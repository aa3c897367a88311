import JSON

/// The claims that people look for in a credential, in whatever format it came: names, pictures, dates, and all others.
///
/// Nothing here is checked. Every text is made safe, and the numbers of objects, rows and pictures are bounded.
struct CredentialFacts {
    /// A text with the language that the credential gives it.
    struct Text: Hashable {
        let text: DisplayText
        let language: String?

        init(_ text: String, language: String? = nil) {
            self.text = DisplayText(text)
            self.language = language.flatMap { $0.utf8.count <= 35 ? DisplayText($0, limit: 35).text : nil }
        }
    }

    /// One claim, by its names from the outside to the inside.
    struct Row: Hashable {
        let label: String
        let value: Text
    }

    /// The most claims that are listed.
    static let maximumRows = 300
    /// The most pictures that are shown.
    static let maximumPictures = 4
    private static let maximumDepth = 12
    private static let pictureNames: Set<String> = ["portrait", "face", "photo", "picture", "image"]
    private static let wholeNames = ["fullname", "name", "displayname"]
    private static let givenNames = ["givenname", "firstname", "givennames"]
    private static let familyNames = ["familyname", "lastname", "surname"]

    private let top: JSONObject
    private(set) var rows: [Row] = []
    /// Claims that were not listed, because there were too many.
    private(set) var omittedRows = 0
    private(set) var pictures: [Result<Picture, Picture.Fault>] = []
    private var named: [(name: String, texts: [Text])] = []

    /// Reads claims, with the pictures that stand beside them as bytes.
    init(_ claims: JSONValue?, pictures: [[UInt8]] = []) {
        top = claims?.object ?? JSONObject()
        self.pictures = pictures.prefix(Self.maximumPictures).map { bytes in
            Result { () throws(Picture.Fault) in try Picture(bytes: bytes) }
        }
        // The subject alone where there is one: an issuer has a name too.
        if let subject = top["credentialSubject"] {
            for entry in subject.array ?? [subject] { take(entry, path: []) }
        } else {
            for member in top where !Self.isFrame(member.name) { take(member.value, path: [member.name]) }
        }
    }

    /// Members of tokens that are about the token.
    private static func isFrame(_ name: String) -> Bool {
        [
            "iss", "iat", "nbf", "exp", "jti", "cnf", "vct", "status", "@context", "type", "issuer", "proof", "id",
            "validFrom", "validUntil", "issuanceDate", "expirationDate", "credentialStatus", "credentialSchema",
        ].contains(name)
    }

    private mutating func take(_ value: JSONValue, path: [String]) {
        guard path.count <= Self.maximumDepth, rows.count < Self.maximumRows else {
            omittedRows += 1
            return
        }
        if let list = Self.languages(value) { return add(list, path: path) }
        if let object = value.object {
            for member in object { take(member.value, path: path + [member.name]) }
        } else if let array = value.array {
            for (index, entry) in array.enumerated() {
                take(entry, path: array.count == 1 ? path : path + [String(index + 1)])
            }
        } else if let text = value.string {
            if isPicture(text, path.last ?? "") { takePicture(text) } else { add([Text(text)], path: path) }
        } else {
            add([Text(value.isNull ? "–" : value.text)], path: path)
        }
    }

    private func isPicture(_ text: String, _ name: String) -> Bool {
        text.hasPrefix("data:image/") || (Self.pictureNames.contains(Self.plain(name)) && text.utf8.count > 200)
    }

    private mutating func takePicture(_ text: String) {
        guard pictures.count < Self.maximumPictures else {
            omittedRows += 1
            return
        }
        pictures.append(Result { () throws(Picture.Fault) in try Picture(text: text) })
    }

    private mutating func add(_ texts: [Text], path: [String]) {
        named.append((Self.plain(path.last ?? ""), texts))
        let label = path.map { DisplayText($0, limit: 80).text }.joined(separator: " › ")
        for text in texts {
            guard rows.count < Self.maximumRows else {
                omittedRows += 1
                continue
            }
            rows.append(Row(label: label, value: text))
        }
    }

    /// The texts of a list by language, such as `[{"language": "eng", "value": "…"}]`; nil for anything else.
    private static func languages(_ value: JSONValue) -> [Text]? {
        guard let list = value.array ?? (value.object == nil ? nil : [value]), !list.isEmpty, list.count <= 64 else {
            return nil
        }
        var texts: [Text] = []
        for entry in list {
            guard let text = entry["value"]?.string ?? entry["@value"]?.string else { return nil }
            texts.append(Text(text, language: entry["language"]?.string ?? entry["@language"]?.string))
        }
        return texts
    }

    private static func plain(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }

    private func first(of names: [String]) -> [Text]? {
        for name in names {
            if let found = named.first(where: { $0.name == name && !$0.texts.isEmpty }) { return found.texts }
        }
        return nil
    }

    /// The holder's name, in each of its languages.
    var holderNames: [Text] {
        if let whole = first(of: ["fullname"]) { return whole }
        if let given = first(of: Self.givenNames), let family = first(of: Self.familyNames) {
            return given.map { one in
                let other = family.first { $0.language == one.language } ?? family[0]
                return Text("\(one.text.text) \(other.text.text)", language: one.language)
            }
        }
        return first(of: Self.wholeNames) ?? first(of: Self.givenNames) ?? first(of: Self.familyNames) ?? []
    }

    /// The names that the issuer has in the credential.
    var issuerNames: [Text] {
        guard let name = top["issuer"]?["name"] else { return [] }
        if let list = Self.languages(name) { return list }
        return name.string.map { [Text($0)] } ?? []
    }

    /// The identifier of the issuer.
    var issuer: Text? {
        (top["issuer"]?.string ?? top["issuer"]?["id"]?.string ?? top["iss"]?.string).map { Text($0) }
    }

    /// When it becomes valid, as the credential writes it: a date, or seconds since 1970.
    var validFrom: JSONValue? { date(["validFrom", "issuanceDate", "nbf", "iat"]) }

    /// When it stops being valid.
    var validUntil: JSONValue? { date(["validUntil", "expirationDate", "exp"]) }

    private func date(_ names: [String]) -> JSONValue? {
        for name in names {
            if let text = top[name]?.string { return .string(DisplayText(text, limit: 40).text) }
            if let seconds = top[name]?.number?.double, (0..<253_402_300_800).contains(seconds) {
                return .int(Int(seconds))
            }
        }
        return nil
    }
}
