public import CBOR
public import Credentials
import Determinism
public import MobileSession

/// The answer of a phone, verified in the session in which it came.
public struct MobileReading: Sendable {
    /// The verdict about the documents: every check, those of the session included.
    ///
    /// Genuine only when the device proved in this session that it holds the document.
    public let report: CredentialReport
    /// The comparison of the answer with what was asked for.
    public let returned: ReturnedElements
    /// The members of the answer that are not understood, by their names.
    public let unknownMembers: [String]
    /// The values that the request asked to keep, and no others, in the order of the answer.
    ///
    /// Elements that the phone itself signed are not among them.
    public let retained: [(element: ReturnedElements.ElementOfDocument, value: CBORValue)]
    /// The number of bytes of the answer.
    public let byteCount: Int

    /// True when the issuer signed the document, and the device did not prove that it holds it.
    public var isFromAnotherDevice: Bool {
        // An element that the device may not sign is none of its proof.
        let failed = ([report] + report.inner).flatMap(\.checks).filter { $0.kind == .holder && $0.outcome == .failed }
        return report.issuance == .genuine && report.holder == .refused && failed.contains { $0.code != .mdKeyAuth }
    }

    /// Verifies an answer.
    init(
        _ response: DeviceResponse, asked: MobileRequest, in keys: MobileSessionKeys, _ request: VerificationRequest
    ) throws(MobileSessionError) {
        var request = request
        request.policy.requiresHolderProof = true
        // The session has bounded the answer; a picture may be larger than other credentials are.
        request.policy.limits.maximumBytes = max(request.policy.limits.maximumBytes, response.bytes.count)
        // A document that was not asked for is none of this reading, unless the policy names the types that it takes.
        if request.policy.types.isEmpty { request.policy.types = asked.documents.map(\.type) }
        do throws(CredentialError) {
            request.session = try MobileDocumentSession(transcript: keys.transcript.bytes, agreementKey: keys.ownKey)
        } catch {
            throw MobileSessionError(.sessionInternal, "The transcript of the session cannot be read: \(error.reason)")
        }
        guard let returned = response.compared(with: asked) else {
            throw MobileSessionError(.responseMalformed, "The answer cannot be read.")
        }
        report = MobileDocumentVerifier(request).verify(response.bytes)
        self.returned = returned
        unknownMembers = response.unknownMembers
        retained = response.retained(by: asked)
        byteCount = response.bytes.count
    }
}
