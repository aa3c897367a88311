/// The list of checks of one credential, filled while it is verified.
///
/// A verifier records what it looked at in any order. What it never records counts as not done when the report is made,
/// so that a step left out can make no credential genuine; a kind that the credential has nothing to look at for is
/// taken out with `exclude`.
public struct CredentialCheckList: Sendable {
    /// The most checks of one kind and outcome that are kept; further ones are dropped.
    public static let maximumPerKind = 64

    private static let allKinds = CredentialCheck.Kind.allCases

    private var recorded: [CredentialCheck] = []
    private var excluded: [CredentialCheck.Kind] = []

    /// Makes a list of checks that is empty.
    public init() {}

    /// Records that a check passed; with a `code` it is a note.
    public mutating func pass(
        _ kind: CredentialCheck.Kind, _ reason: String, note code: CredentialError.Code? = nil,
        at location: CheckLocation? = nil
    ) {
        append(CredentialCheck(kind, .passed, code: code, reason: reason, at: location))
    }

    /// Records that a check failed or was not done, as its code `code` says.
    ///
    /// In the kind that is usual for the code unless another is given.
    public mutating func fail(
        _ code: CredentialError.Code, _ reason: String, in kind: CredentialCheck.Kind? = nil,
        at location: CheckLocation? = nil
    ) {
        append(CredentialCheck(kind ?? code.kind, code.outcome, code: code, reason: reason, at: location))
    }

    /// Records the cause in a thrown error like `fail`.
    public mutating func record(_ error: CredentialError, in kind: CredentialCheck.Kind? = nil) {
        fail(error.code, error.reason, in: kind, at: error.location)
    }

    /// Records that a check was not done, whatever outcome the code usually has.
    public mutating func leave(
        _ kind: CredentialCheck.Kind, _ reason: String, code: CredentialError.Code? = nil,
        at location: CheckLocation? = nil
    ) {
        append(CredentialCheck(kind, .notDone, code: code, reason: reason, at: location))
    }

    /// Records a check unchanged.
    public mutating func add(_ check: CredentialCheck) { append(check) }

    /// Records that checks of this kind do not apply to the credential, such as chain checks without a chain.
    ///
    /// An earlier result of the same kind stays.
    public mutating func exclude(_ kind: CredentialCheck.Kind) {
        if !excluded.contains(kind) { excluded.append(kind) }
    }

    /// Runs a step and records the error that it throws; returns its result, or nil.
    public mutating func attempt<Result>(
        in kind: CredentialCheck.Kind? = nil, _ body: () throws(CredentialError) -> Result
    ) -> Result? {
        do throws(CredentialError) {
            return try body()
        } catch {
            record(error, in: kind)
            return nil
        }
    }

    /// Runs a step that records its own checks, like `attempt(in:_:)`.
    public mutating func attempt<Result>(
        in kind: CredentialCheck.Kind? = nil,
        recording body: (inout CredentialCheckList) throws(CredentialError) -> Result
    ) -> Result? {
        do throws(CredentialError) {
            return try body(&self)
        } catch {
            record(error, in: kind)
            return nil
        }
    }

    /// Returns true when at least one check of this kind is recorded and all of them passed.
    public func passed(_ kind: CredentialCheck.Kind) -> Bool {
        let found = recorded.filter { $0.kind == kind }
        return !found.isEmpty && found.allSatisfy { $0.outcome == .passed }
    }

    /// Returns true when a check of this kind failed.
    public func failed(_ kind: CredentialCheck.Kind) -> Bool {
        recorded.contains { $0.kind == kind && $0.outcome == .failed }
    }

    /// The kind of the check that kept others from being done.
    ///
    /// The first recorded one that failed, else that was not done for a cause, else that was not done.
    private var obstacle: CredentialCheck.Kind? {
        let open = recorded.filter { $0.outcome != .passed }
        return (open.first { $0.outcome == .failed } ?? open.first { $0.code != nil } ?? open.first)?.kind
    }

    /// Makes a check that was not reached, because of `obstacle` if there is one.
    private func unreached(_ kind: CredentialCheck.Kind) -> CredentialCheck {
        guard let obstacle else { return CredentialCheck(kind, .notDone, reason: "The verification did not reach it.") }
        var check = CredentialCheck(
            kind, .notDone, reason: "The check “\(obstacle.rawValue)” did not pass, so this one was not done.")
        check.after = obstacle
        return check
    }

    /// Returns all checks in the order of their kinds, and of one kind in the order of recording.
    ///
    /// Each of `kinds` that is neither recorded nor excluded is there as not done.
    public func checks(of kinds: [CredentialCheck.Kind]) -> [CredentialCheck] {
        var checks: [CredentialCheck] = []
        checks.reserveCapacity(recorded.count + kinds.count)
        for kind in Self.allKinds {
            let before = checks.count
            // By index, because going through the checks themselves copies those of all other kinds.
            for index in recorded.indices where recorded[index].kind == kind { checks.append(recorded[index]) }
            if checks.count == before, kinds.contains(kind), !excluded.contains(kind) {
                checks.append(unreached(kind))
            }
        }
        return checks
    }

    /// Appends a check up to the limit of its kind and outcome; counts, because the list has some twenty checks.
    private mutating func append(_ check: CredentialCheck) {
        if recorded.count < Self.maximumPerKind { return recorded.append(check) }
        let same = recorded.count { $0.kind == check.kind && $0.outcome == check.outcome }
        if same < Self.maximumPerKind { recorded.append(check) }
    }
}

extension CredentialCheckList {
    /// Records that a credential has no proof of its holder.
    ///
    /// - Parameters:
    ///   - isBound: true for one that names the key of its holder.
    ///   - isInner: true for one inside a presentation, whose own check says who presents it.
    package mutating func recordNoHolder(isBound: Bool, isInner: Bool, _ policy: VerificationPolicy) {
        if isInner {
            exclude(.holder)
        } else if policy.requiresHolderProof {
            fail(.kbMissing, "A proof of the holder is demanded, and there is none.")
        } else if isBound {
            leave(
                .holder, "The credential names a key of its holder, and no proof of that key came with it.",
                code: .kbMissing)
        } else {
            leave(.holder, "A credential alone does not say who presents it.")
        }
    }
}
