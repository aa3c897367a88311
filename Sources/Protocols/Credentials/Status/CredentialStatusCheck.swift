import Determinism
public import JSON

/// Checks a credential's status in the issuer's status lists, which the trust store contains.
///
/// Source: W3C Bitstring Status List 1.0, section 3.2; draft-ietf-oauth-status-list, section 8.
public struct CredentialStatusCheck: Sendable {
    private let request: VerificationRequest

    /// Makes the status checks for a request.
    public init(_ request: VerificationRequest) { self.request = request }

    /// Checks the status that the claim `status` of a token names.
    func check(claims: JSONObject, signer: CredentialSigner, into list: inout CredentialCheckList) {
        guard let status = claims["status"] else {
            return list.leave(.status, "The credential names no status list.")
        }
        guard let object = status.object, let entry = object["status_list"] else {
            return list.leaveUnknownStatus(isMap: status.object != nil)
        }
        guard let reference = entry.object, let index = reference["idx"]?.int,
            let address = reference["uri"]?.string
        else { return list.fail(.stForm, "The reference to a status list does not follow its format.") }
        checkToken(.index(index), address: address, signer: signer, takesBinary: false, into: &list)
    }

    /// Checks an entry of a status list token, for a credential of any format.
    ///
    /// - Parameters:
    ///   - entry: the entry of the list.
    ///   - address: the address by which the credential names the list.
    ///   - signer: the signer of the credential.
    ///   - takesBinary: true when the list may be a CWT, as it may for credentials in CBOR.
    func checkToken(
        _ entry: StatusListToken.EntryReference, address: String, signer: CredentialSigner, takesBinary: Bool,
        into list: inout CredentialCheckList
    ) {
        if case .index(let index) = entry, index < 0 {
            return list.fail(.stForm, "The index of the status entry is negative.")
        }
        guard let pinned = request.trust.statusList(address) else {
            return list.fail(.stUnknown, "The status list \(address) is not at hand.")
        }
        list.attemptStatus { (list) throws(CredentialError) in
            let token = try StatusListToken(parsing: pinned.bytes, limits: request.policy.limits)
            guard takesBinary || !token.isBinary else {
                throw CredentialError(.stForm, "The status list of a token in JSON is a CWT.")
            }
            try token.checkSigner(signer, request)
            guard token.subject.isExactly(address) else {
                throw CredentialError(.stUri, "The status list is another than the credential names.")
            }
            let value = try token.value(of: entry)
            let isFresh = isFresh(pinned, lifetime: token.lifetime, end: token.expiresAt)
            record(value, of: pinned, isFresh: isFresh, into: &list)
        }
    }

    /// Records a status value: 1 revoked, 2 suspended, 0 neither (draft-ietf-oauth-status-list, section 7).
    private func record(
        _ value: Int, of pinned: PinnedStatusList, isFresh: Bool, into list: inout CredentialCheckList
    ) {
        switch value {
        case 0 where isFresh:
            list.pass(.status, "The status list says nothing against the credential.")
        case 0:
            let reason = "The status list \(pinned.address) was fetched too long ago."
            let outcome: CredentialCheck.CheckOutcome = request.policy.requiresFreshStatus ? .failed : .notDone
            list.add(CredentialCheck(.status, outcome, code: .stStale, reason: reason))
        case 2: list.fail(.stSuspended, "The issuer has suspended the credential.")
        default: list.fail(.stRevoked, "The issuer has revoked the credential, or given it a status that is not known.")
        }
    }

    private func isFresh(_ pinned: PinnedStatusList, lifetime: Double?, end: Double?) -> Bool {
        request.seconds <= pinned.freshUntil(lifetime: lifetime, expiresAt: end) + request.policy.toleranceSeconds
    }

    /// Checks the status that the member `credentialStatus` of a W3C credential names: one entry or several.
    ///
    /// Entries of other types than status lists are reported as not done.
    public func check(credentialStatus: JSONValue?, issuer: String?, into list: inout CredentialCheckList) {
        guard let credentialStatus else {
            return list.leave(.status, "The credential names no status list.")
        }
        let entries = credentialStatus.array ?? [credentialStatus]
        for entry in entries.prefix(VerificationLimits.maximumProofs) {
            list.attempt(
                in: .status,
                recording: { (list) throws(CredentialError) in
                    guard let object = entry.object else {
                        throw CredentialError(.stForm, "The member credentialStatus is not an object.")
                    }
                    try check(entry: object, issuer: issuer, into: &list)
                })
        }
        if entries.count > VerificationLimits.maximumProofs || entries.isEmpty {
            list.leave(.status, "The credential names no status list, or too many.", code: .stForm)
        }
    }

    private func check(
        entry: JSONObject, issuer: String?, into list: inout CredentialCheckList
    ) throws(CredentialError) {
        let types = entry["type"]?.array?.compactMap(\.string) ?? [entry["type"]?.string].compactMap { $0 }
        let isFormer = types.contains("StatusList2021Entry") && request.policy.acceptsFormerSpellings
        guard types.contains("BitstringStatusListEntry") || isFormer else {
            return list.leave(.status, "The status of the credential is of a type that is not known.", code: .stUnknown)
        }
        guard let purpose = entry["statusPurpose"]?.string, let text = entry["statusListIndex"]?.string,
            let index = Int(text), index >= 0, String(index) == text,
            let address = entry["statusListCredential"]?.string
        else { throw CredentialError(.stForm, "The reference to a status list does not follow its format.") }
        guard let pinned = request.trust.statusList(address) else {
            throw CredentialError(.stUnknown, "The status list \(address) is not at hand.")
        }
        let size = entry["statusSize"]?.int ?? 1
        guard (1...64).contains(size) else {
            throw CredentialError(.stForm, "The size of a status is not from 1 to 64 bits.")
        }
        list.attemptStatus { (list) throws(CredentialError) in
            try check(pinned, index: index, width: size, purpose: purpose, issuer: issuer, into: &list)
        }
    }

    private func check(
        _ pinned: PinnedStatusList, index: Int, width size: Int, purpose: String, issuer: String?,
        into list: inout CredentialCheckList
    ) throws(CredentialError) {
        let credential = try BitstringStatusList(pinned, issuer: issuer, request)
        guard credential.purposes.containsExactly(purpose) else {
            throw CredentialError(.stPurpose, "The status list is not for the purpose \(purpose).")
        }
        let value = try credential.bits(width: size).value(at: index)
        let isFresh = isFresh(pinned, lifetime: credential.lifetime, end: credential.expiresAt)
        if value == 0, !credential.isNamed {
            return list.leave(
                .status, "The status list does not say that it is the one that the credential names.", code: .stUri)
        }
        switch purpose {
        case "revocation": record(min(value, 1), of: pinned, isFresh: isFresh, into: &list)
        case "suspension": record(value == 0 ? 0 : 2, of: pinned, isFresh: isFresh, into: &list)
        default: list.leave(.status, "The status for the purpose \(purpose) is \(value).")
        }
    }
}

extension CredentialCheckList {
    /// Runs a step that reads a status list; a fault of the list leaves the status unknown.
    ///
    /// It says nothing of the credential.
    fileprivate mutating func attemptStatus(_ body: (inout CredentialCheckList) throws(CredentialError) -> Void) {
        do throws(CredentialError) {
            try body(&self)
        } catch {
            leave(.status, error.reason, code: error.code, at: error.location)
        }
    }

    /// Records a member `status` of an unknown kind, or of a malformed one.
    mutating func leaveUnknownStatus(isMap: Bool) {
        guard isMap else { return fail(.stForm, "The member status is not an object.") }
        leave(.status, "The credential names its status in a way that is not known here.", code: .stUnknown)
    }
}
