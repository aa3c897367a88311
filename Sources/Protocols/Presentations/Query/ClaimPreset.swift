import ByteCoding
public import JSON

/// A short name for a claim that a verifier can request.
public enum ClaimPreset: String, CaseIterable, Hashable, Sendable {
    /// The claim that the holder is 16 years old or older.
    case ageOver16 = "age-over-16"
    /// The claim that the holder is 18 years old or older.
    case ageOver18 = "age-over-18"
    /// The claim that the holder is 21 years old or older.
    case ageOver21 = "age-over-21"
    /// The claim with the holder's name.
    case name
    /// The claim with the holder's date of birth.
    case birthDate = "birth-date"
    /// The claim with the holder's email address.
    case email
    /// The claim with the holder's portrait.
    case portrait
    /// The preset asks for any credential.
    case any

    /// Reads a comma-separated list of preset names; `over-18` is short for `age-over-18`.
    ///
    /// - Throws: `request.preset`.
    public static func list(_ text: String) throws(PresentationError) -> [ClaimPreset] {
        var presets: [ClaimPreset] = []
        for name in text.parts(at: ",", omittingEmptySubsequences: false) {
            guard let preset = ClaimPreset(rawValue: String(name)) ?? ClaimPreset(rawValue: "age-\(name)") else {
                let names = allCases.map { $0.rawValue.hasPrefix("age-") ? $0.rawValue.dropFirst(4) : $0.rawValue[...] }
                throw PresentationError(
                    .requestPreset,
                    "There is no preset \(name.prefix(40)); there are: \(names.joined(separator: ", ")).")
            }
            if !presets.contains(preset) { presets.append(preset) }
        }
        return presets
    }

    /// Returns the presentation definition that asks for one credential with all of these claims.
    public static func definition(of presets: [ClaimPreset]) -> JSONValue {
        let fields = presets.flatMap(\.fields)
        return [
            "id": "request", "purpose": .string(presets.map(\.rawValue).joined(separator: ", ")),
            "input_descriptors": [["id": "credential", "constraints": ["fields": .array(fields)]]],
        ]
    }

    private var fields: [JSONValue] {
        switch self {
        case .ageOver16: [Self.field(["ageOver16", "age_over_16"], filter: ["const": true])]
        case .ageOver18: [Self.field(["ageOver18", "age_over_18"], filter: ["const": true])]
        case .ageOver21: [Self.field(["ageOver21", "age_over_21"], filter: ["const": true])]
        // A wallet that sends nothing else leaves the given name out where it is not asked for.
        case .name:
            [
                Self.field(["name", "fullName", "familyName", "family_name"]),
                Self.field(["givenName", "given_name"], isOptional: true),
            ]
        case .birthDate: [Self.field(["birthDate", "birthdate", "birth_date", "dateOfBirth"])]
        case .email: [Self.field(["email"])]
        case .portrait: [Self.field(["portrait", "face", "photo", "picture", "image"])]
        case .any: []
        }
    }

    /// Returns the field of a claim with any of these names, in a W3C credential's subject or an SD-JWT VC.
    private static func field(_ names: [String], filter: JSONValue? = nil, isOptional: Bool = false) -> JSONValue {
        let paths = names.flatMap { ["$.credentialSubject.\($0)", "$.\($0)"] }
        return .object(
            JSONObject(present: [
                "path": .strings(paths), "filter": filter, "optional": isOptional ? true : nil,
            ]))
    }
}
