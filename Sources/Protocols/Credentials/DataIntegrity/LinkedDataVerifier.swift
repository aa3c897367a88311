import CryptoSuite
import JSON
import LinkedData

/// Verifies a W3C credential or presentation in JSON-LD with proofs inside.
///
/// Source: W3C VC Data Integrity 1.0, sections 4.4 to 4.6; W3C VCDM 1.1 and 2.0.
public struct LinkedDataVerifier: Sendable {
    private let request: VerificationRequest
    private let isInner: Bool

    /// Makes a verifier of JSON-LD documents for a request.
    public init(_ request: VerificationRequest) { self.init(request, isInner: false) }

    /// Makes a verifier; one inside a presentation refuses presentations.
    init(_ request: VerificationRequest, isInner: Bool) {
        self.request = request
        self.isInner = isInner
    }

    /// The results that are collected while a document is verified.
    private struct LinkedDataFindings {
        var list = CredentialCheckList()
        var content = CredentialContent()
        var inner: [CredentialReport] = []
    }

    /// Verifies a document; errors are in the report, never thrown.
    public func verify(_ bytes: [UInt8]) -> CredentialReport {
        var answer = LinkedDataFindings()
        let parsed = answer.list.attempt { () throws(CredentialError) -> JSONObject in
            let value = try CredentialJSONReader.value(bytes, "The document", limits: request.policy.limits)
            guard let object = value.object else {
                throw CredentialError(.vcType, "The document is not an object.")
            }
            return object
        }
        if let object = parsed {
            answer.list.pass(.parse, "The document is well formed.")
            verify(object, into: &answer)
        }
        return CredentialReport(
            .linkedData, answer.list, policy: request.policy, content: answer.content, inner: answer.inner)
    }

    private func verify(_ object: JSONObject, into answer: inout LinkedDataFindings) {
        let types = W3CMemberChecks(object: object).types
        let isPresentation = types.contains("VerifiablePresentation")
        if isPresentation, isInner || types.contains("VerifiableCredential") {
            answer.list.fail(.vcType, "A presentation stands where a credential must.", at: .pointer("/type"))
        }
        let taken = answer.list.attempt { () throws(CredentialError) in
            try DocumentAndProofs(object)
        }
        let unsecured = taken?.unsecured ?? Self.withoutProof(object)
        let members = DocumentMemberChecks(unsecured, isPresentation: isPresentation)
        members.check(request, into: &answer.list)
        answer.content.types = types
        answer.content.claims = .object(unsecured)
        answer.content.notes = members.notes
        let purpose: KeyPurpose = isPresentation ? .authentication : .assertionMethod
        var results: [ProofSignatureCheck.CheckedProof] = []
        if let document = taken { results = checkProofs(of: document, members, for: purpose, into: &answer) }
        if isPresentation {
            check(presentation: unsecured, results, into: &answer)
        } else {
            check(credential: unsecured, results, into: &answer)
        }
    }

    private static func withoutProof(_ object: JSONObject) -> JSONObject {
        var object = object
        object["proof"] = nil
        return object
    }

    private func checkProofs(
        of document: DocumentAndProofs, _ members: DocumentMemberChecks, for purpose: KeyPurpose,
        into answer: inout LinkedDataFindings
    ) -> [ProofSignatureCheck.CheckedProof] {
        var proofs: [LinkedDataProof] = []
        var unknown: [(name: String?, error: CredentialError)] = []
        for entry in document.entries {
            do throws(CredentialError) {
                proofs.append(try LinkedDataProof(entry.object, at: entry.location))
            } catch {
                // A suite that is not known is no forgery.
                if error.code == .algMismatch {
                    unknown.append((entry.object["id"]?.string, error))
                } else {
                    answer.list.record(error)
                }
            }
        }
        var input = ProofInput(
            document, contexts: members.contexts, reader: RDFStatementReader(request),
            limits: request.policy.limits)
        if !proofs.isEmpty {
            if proofs.allSatisfy(\.suite.signsJSON), proofs.count + unknown.count == document.entries.count {
                input.recordJSON(proofs, into: &answer.list, &answer.content)
            } else {
                let selects = proofs.contains { $0.suite == .ecdsaSD2023 }
                input.recordStatements(keepsOrigins: selects, into: &answer.list, &answer.content)
            }
        }
        let results = proofs.compactMap { proof in
            let signature = ProofSignatureCheck(proof, for: purpose, request)
            let inputs = input.inputs(of: proof, signature.hash, into: &answer.list)
            return signature.check(inputs, into: &answer.list, &answer.content)
        }
        guard !unknown.isEmpty else { return results }
        // Beside a good proof by the author, an unknown one takes nothing away, unless another builds on it.
        let author = purpose == .authentication ? members.holder : members.issuer
        let isProven = results.contains { result in
            // A credential that names no issuer is refused for that.
            result.isValid && author.map { result.isBy($0, in: request.trust) } ?? true
        }
        let needed = proofs.flatMap { $0.previous ?? [] }
        for (name, error) in unknown {
            if isProven, !(name.map(needed.contains) ?? false) {
                answer.list.pass(.algorithm, error.reason, note: error.code, at: error.location)
            } else {
                answer.list.leave(.algorithm, error.reason, code: error.code, at: error.location)
            }
        }
        return results
    }

    private func check(
        credential: JSONObject, _ results: [ProofSignatureCheck.CheckedProof], into answer: inout LinkedDataFindings
    ) {
        let members = W3CMemberChecks(object: credential)
        answer.content.issuer = members.issuer
        answer.content.holder = members.subjects.first
        members.checkType(request.policy, into: &answer.list)
        members.checkTimes(request, into: &answer.list)
        if let issuer = members.issuer {
            checkIssuer(issuer, members.types, results, into: &answer)
            members.checkContexts(request, into: &answer.list)
        }
        CredentialStatusCheck(request).check(
            credentialStatus: credential["credentialStatus"], issuer: members.issuer, into: &answer.list)
        let confirmation = credential["cnf"]
        answer.content.confirmation = confirmation
        answer.content.validity = members.validity
        answer.list.recordNoHolder(isBound: confirmation != nil, isInner: isInner, request.policy)
    }

    /// Records whether one of the proofs is the issuer's, and whether the issuer is trusted.
    ///
    /// In a set, proofs of others may stand beside that of the issuer.
    private func checkIssuer(
        _ issuer: String, _ types: [String], _ results: [ProofSignatureCheck.CheckedProof],
        into answer: inout LinkedDataFindings
    ) {
        guard let first = results.first else { return }
        let own = results.filter { $0.isBy(issuer, in: request.trust) }
        if own.contains(where: \.isValid) || own.count == results.count {
            answer.list.pass(.issuer, "The key is one of the issuer that the credential names.")
        } else if own.isEmpty {
            answer.list.attempt(in: .issuer) { () throws(CredentialError) in
                try IssuerTrustCheck.check(issuer: issuer, against: first.key, in: request.trust)
            }
        } else {
            answer.list.leave(.issuer, "No proof of the issuer's keys is known to be good.")
        }
        IssuerTrustCheck.checkTrust(
            issuer: issuer, types: types, in: request.trust, into: &answer.list, &answer.content)
    }

    private func check(
        presentation: JSONObject, _ results: [ProofSignatureCheck.CheckedProof], into answer: inout LinkedDataFindings
    ) {
        let holder = W3CMemberChecks(object: presentation).holder
        answer.content.holder = holder ?? results.first?.key.controller
        answer.list.pass(.type, "The document is a presentation.")
        answer.list.exclude(.trust)
        answer.list.exclude(.status)
        if holder == nil { answer.list.exclude(.issuer) }
        for result in results {
            let place = result.proof.location
            if let holder {
                if result.key.controller.isExactly(holder) {
                    answer.list.pass(.issuer, "The key is one of the holder that the presentation names.", at: place)
                } else {
                    answer.list.fail(
                        .vpHolder, "The key is none of the holder that the presentation names.", in: .issuer, at: place)
                }
            }
            checkAddressee(of: result.proof, into: &answer.list)
        }
        let presented = PresentedCredentials(request)
        answer.inner = presented.reports(of: presentation, into: &answer.list)
        if let key = results.first?.key {
            presented.checkHolder(key, of: answer.inner, into: &answer.list)
        }
    }

    /// Records whether a proof was made for this verifier and now.
    private func checkAddressee(of proof: LinkedDataProof, into list: inout CredentialCheckList) {
        let policy = request.policy
        HolderChallengeCheck(
            nonce: proof.challenge, audiences: proof.domains, codes: (.vpChallenge, .vpDomain),
            location: proof.location
        ).check(policy, into: &list)
        guard let text = proof.created, let created = try? CredentialTime.seconds(dateTime: text, "created"),
            request.seconds - created > VerificationPolicy.holderProofSeconds + policy.toleranceSeconds,
            policy.nonce != nil
        else { return }
        list.fail(.timeExpired, "The proof of the presentation is too old.", at: proof.location)
    }
}
