import JSON

/// Checks the members of a W3C credential or presentation that its data model requires.
///
/// As far as they do not depend on the proof.
///
/// Source: W3C VCDM 1.1, sections 4 and 5; VCDM 2.0, section 4.
struct W3CMemberChecks {
    /// The versions of the W3C data model.
    enum Version: Hashable, Sendable {
        case one
        case two

        /// The address that the first context of a document of this version must have.
        var context: String {
            switch self {
            case .one: "https://www.w3.org/2018/credentials/v1"
            case .two: "https://www.w3.org/ns/credentials/v2"
            }
        }
    }

    /// The credential or presentation as a JSON object.
    let object: JSONObject

    /// The types of the credential or presentation; empty without any.
    var types: [String] { Self.texts(object["type"]) }

    /// The issuer's identifier; nil without one.
    var issuer: String? { object["issuer"]?.string ?? object["issuer"]?["id"]?.string }

    /// The holder's identifier; nil without one.
    var holder: String? { object["holder"]?.string ?? object["holder"]?["id"]?.string }

    /// The identifiers of the credential's subjects.
    var subjects: [String] {
        let value = object["credentialSubject"]
        return (value?.array ?? [value].compactMap { $0 }).compactMap { $0["id"]?.string }
    }

    /// Records whether context, types, issuer and subject follow the data model.
    ///
    /// - Parameter outside: members that need not be there, because a claim of the token stands for them.
    func check(
        _ version: Version, isPresentation: Bool, outside: Set<String> = [], into list: inout CredentialCheckList
    ) {
        let contexts = object["@context"]?.array ?? [object["@context"]].compactMap { $0 }
        if contexts.first?.string != version.context {
            list.fail(.vcContextFirst, "The first context is not \(version.context).", at: .pointer("/@context"))
        }
        if let type = object["type"], type.string == nil, type.array?.allSatisfy({ $0.string != nil }) != true {
            list.fail(.vcType, "The type is neither a text nor texts.", at: .pointer("/type"))
        }
        let wanted = isPresentation ? "VerifiablePresentation" : "VerifiableCredential"
        if !types.contains(wanted) {
            list.fail(.vcType, "The type \(wanted) is missing.", at: .pointer("/type"))
        }
        if !isPresentation { checkCredential(version, outside, into: &list) }
        if !list.failed(.form) { list.pass(.form, "The members that the data model demands are there.") }
    }

    private func checkCredential(_ version: Version, _ outsideNames: Set<String>, into list: inout CredentialCheckList)
    {
        switch object["issuer"] {
        case nil: list.fail(.vcMissingMember, "The credential names no issuer.", at: .pointer("/issuer"))
        case .string?,
            .object? where issuer != nil:
            break
        default: list.fail(.vcType, "The issuer is neither a text nor an object with an id.", at: .pointer("/issuer"))
        }
        switch object["credentialSubject"] {
        case nil: list.fail(.vcMissingMember, "The credential has no subject.", at: .pointer("/credentialSubject"))
        case .object?: break
        case .array(let subjects)? where !subjects.isEmpty && subjects.allSatisfy { $0.object != nil }: break
        default:
            list.fail(.vcType, "The subject is not an object.", at: .pointer("/credentialSubject"))
        }
        if version == .one, object["issuanceDate"] == nil, !outsideNames.contains("issuanceDate") {
            list.fail(.vcMissingMember, "The credential has no issuanceDate.", at: .pointer("/issuanceDate"))
        }
        let former = ["issuanceDate", "expirationDate"].filter { object[$0] != nil }
        if version == .two, let name = former.first {
            list.fail(.vcType, "The member \(name) is none of version 2.0.", at: .pointer("/" + name))
        }
    }

    /// Records whether the request's time is in the periods that the members state.
    func checkTimes(_ request: VerificationRequest, into list: inout CredentialCheckList) {
        let done: Void? = list.attempt { () throws(CredentialError) in
            try CredentialTime.check(
                from: try seconds("issuanceDate"), to: try seconds("expirationDate"), request, "The credential")
            try CredentialTime.check(
                from: try seconds("validFrom"), to: try seconds("validUntil"), request, "The credential")
        }
        if done != nil { list.pass(.time, "The time lies in the credential's validity.") }
    }

    /// Returns the time in a member in seconds since 1970; nil when it is absent.
    ///
    /// Throws `credential.time-format`.
    func seconds(_ name: String) throws(CredentialError) -> Double? {
        guard let value = object[name] else { return nil }
        guard let text = value.string else {
            throw CredentialError(.timeFormat, "The member \(name) is not text.", at: .pointer("/" + name))
        }
        return try CredentialTime.seconds(dateTime: text, "The member \(name)")
    }

    /// The period of validity as the members write it; nil when they state neither end.
    var validity: CredentialContent.ValidityPeriod? {
        let start = object["validFrom"] ?? object["issuanceDate"]
        let end = object["validUntil"] ?? object["expirationDate"]
        return start == nil && end == nil ? nil : CredentialContent.ValidityPeriod(from: start, until: end)
    }

    /// Records whether the credential has a type that the policy requests.
    func checkType(_ policy: VerificationPolicy, into list: inout CredentialCheckList) {
        if policy.types.isEmpty {
            list.pass(.type, "No type is demanded.")
        } else if types.contains(where: policy.types.containsExactly) {
            list.pass(.type, "The credential is of a type that is asked for.")
        } else {
            list.fail(.vcType, "The credential is not of a type that was asked for.", in: .type)
        }
    }

    /// Records contexts that the trust store does not list for the issuer.
    func checkContexts(_ request: VerificationRequest, into list: inout CredentialCheckList) {
        guard let issuer, let wanted = request.trust.issuer(issuer)?.contexts else { return }
        let given = object["@context"]?.array ?? [object["@context"]].compactMap { $0 }
        if given.map(PinnedJSONLDContext.word) != wanted.map(Optional.init) {
            list.fail(
                .ctxUnpinned, "The contexts are not those that the trust store names for the issuer.",
                at: .pointer("/@context"))
        }
    }

    static func texts(_ value: JSONValue?) -> [String] {
        value?.string.map { [$0] } ?? value?.array?.compactMap(\.string) ?? []
    }
}
