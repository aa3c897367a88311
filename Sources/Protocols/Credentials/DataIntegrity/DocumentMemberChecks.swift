import CryptoSuite
import JSON

/// Checks the data model's rules for JSON-LD documents with proofs, beyond those that apply to tokens too.
///
/// Source: W3C VCDM 1.1, sections 4 and 5; VCDM 2.0, section 4.
struct DocumentMemberChecks {
    private let members: W3CMemberChecks
    private let isPresentation: Bool

    init(_ object: JSONObject, isPresentation: Bool) {
        members = W3CMemberChecks(object: object)
        self.isPresentation = isPresentation
    }

    /// The data model version that the first context names; 2.0 when it names neither.
    var version: W3CMemberChecks.Version { contexts.first == W3CMemberChecks.Version.one.context ? .one : .two }

    /// The issuer's identifier in the document; nil without one.
    var issuer: String? { members.issuer }

    /// The holder's identifier in the document; nil without one.
    var holder: String? { members.holder }

    /// The addresses of the document's contexts.
    var contexts: [String] { W3CMemberChecks.texts(members.object["@context"]) }

    /// Records whether the document follows the data model of its version.
    func check(_ request: VerificationRequest, into list: inout CredentialCheckList) {
        checkContexts(request, into: &list)
        // Rare faults are looked for first, and their places only when there are any.
        if members.object.contains(where: \.value.holdsNull) {
            checkNulls(.object(members.object), at: .pointer(""), into: &list)
        }
        if !isPresentation {
            checkIdentifiers(into: &list)
            checkParts(into: &list)
            checkDates(into: &list)
        }
        members.check(version, isPresentation: isPresentation, into: &list)
    }

    private func checkContexts(_ request: VerificationRequest, into list: inout CredentialCheckList) {
        let place = CheckLocation.pointer("/@context")
        if contexts.contains(W3CMemberChecks.Version.one.context),
            contexts.contains(W3CMemberChecks.Version.two.context)
        {
            list.fail(.vcContextFirst, "The contexts of two versions stand in one document.", at: place)
        }
        if members.object["@context"]?.array == nil, version == .one || members.object["@context"]?.object != nil {
            list.fail(.vcType, "The contexts are not an array.", at: place)
        }
        for member in members.object
        where member.name != "@context" && !isInner(member.name) && member.value.holds(member: "@context") {
            checkNested(member.value, at: .pointer("").appending(member.name), request, into: &list)
        }
    }

    /// Records unpinned contexts inside members, because they change the meaning of names.
    private func checkNested(
        _ value: JSONValue, at place: CheckLocation, _ request: VerificationRequest,
        into list: inout CredentialCheckList
    ) {
        switch value {
        case .array(let values):
            for (index, value) in values.enumerated() {
                checkNested(value, at: place.appending("\(index)"), request, into: &list)
            }
        case .object(let object):
            if let context = object["@context"], !isPinned(context, request) {
                list.fail(.ctxNested, "A member brings a context of its own.", at: place.appending("@context"))
            }
            for member in object where member.name != "@context" {
                checkNested(member.value, at: place.appending(member.name), request, into: &list)
            }
        case .null, .bool, .number, .string: break
        }
    }

    private func isPinned(_ context: JSONValue, _ request: VerificationRequest) -> Bool {
        guard let bytes = try? context.canonical() else { return false }
        let digest = SHA256.hash(bytes)
        return request.trust.contexts.contains { $0.address == nil && $0.digest == digest }
    }

    /// Returns true for a member that contains credentials, which are verified separately.
    private func isInner(_ name: String) -> Bool { isPresentation && name == "verifiableCredential" }

    private func checkNulls(_ value: JSONValue, at place: CheckLocation, into list: inout CredentialCheckList) {
        switch value {
        case .null: list.fail(.vcNullMember, "A member or element is null.", at: place)
        case .array(let values):
            for (index, value) in values.enumerated() {
                checkNulls(value, at: place.appending("\(index)"), into: &list)
            }
        case .object(let object):
            for member in object where member.name != "@context" {
                checkNulls(member.value, at: place.appending(member.name), into: &list)
            }
        case .bool, .number, .string: break
        }
    }

    private func checkIdentifiers(into list: inout CredentialCheckList) {
        if let id = members.object["id"], id.string.map(AbsoluteIRISyntax.isOne) != true {
            list.fail(.vcType, "The identifier of the credential is not an absolute IRI.", at: .pointer("/id"))
        }
        if let issuer = members.issuer, !AbsoluteIRISyntax.isOne(issuer) {
            list.fail(.vcType, "The issuer is not an absolute IRI.", at: .pointer("/issuer"))
        }
    }

    /// The members whose objects must have a type, and whether they must have an identifier too.
    private var typedMembers: [(name: String, needsIdentifier: Bool)] {
        let isFirst = version == .one
        return [
            ("credentialStatus", isFirst), ("credentialSchema", true), ("refreshService", isFirst), ("evidence", false),
            ("termsOfUse", false),
        ]
    }

    private func checkParts(into list: inout CredentialCheckList) {
        for (name, needsIdentifier) in typedMembers {
            guard let value = members.object[name] else { continue }
            let place = CheckLocation.pointer("/" + name)
            for part in value.array ?? [value] {
                guard let object = part.object else {
                    list.fail(.vcType, "The member \(name) is not an object.", at: place)
                    continue
                }
                if W3CMemberChecks.texts(object["type"]).isEmpty {
                    list.fail(.vcMissingMember, "The member \(name) has no type.", at: place)
                }
                if needsIdentifier, object["id"]?.string == nil {
                    list.fail(.vcMissingMember, "The member \(name) has no identifier.", at: place)
                }
            }
        }
    }

    /// Records periods that end before they begin, also across the names of both versions.
    private func checkDates(into list: inout CredentialCheckList) {
        list.attempt { () throws(CredentialError) in
            let starts = [try members.seconds("validFrom"), try members.seconds("issuanceDate")].compactMap { $0 }
            let ends = [try members.seconds("validUntil"), try members.seconds("expirationDate")].compactMap { $0 }
            guard let start = starts.max(), let end = ends.min(), start > end else { return }
            throw CredentialError(.timeOrder, "The credential ends before it begins.")
        }
    }

    /// The notes about members that are not checked, one sentence each.
    var notes: [String] {
        ["credentialSchema", "refreshService", "evidence", "termsOfUse"].filter { members.object[$0] != nil }
            .map { "The member \($0) was not looked into." }
    }
}
