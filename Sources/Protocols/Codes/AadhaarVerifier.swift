import Credentials
import Determinism
import JSON

/// Verifies an Aadhaar code by the certificates of the trust store.
///
/// The code states no validity; the signer's certificate must have been valid when the code was made.
struct AadhaarVerifier {
    private let request: VerificationRequest

    init(_ request: VerificationRequest) { self.request = request }

    /// Verifies a code; errors are in the report, never thrown.
    func verify(_ code: AadhaarCode) -> CredentialReport {
        var (list, content) = (CredentialCheckList(), CredentialContent())
        list.pass(.parse, "The code is well formed.")
        list.pass(.form, "The code has the texts of its format.")
        content.claims = .object(code.fields)
        content.types = ["Aadhaar"]
        if !code.picture.isEmpty { content.pictures = [.init(path: ["face"], bytes: code.picture)] }
        content.validity = .init(from: nil, until: nil)
        _ = SignerListSignature(.aadhaar, request).check(
            code.signature, over: code.signedBytes, by: .rs256, identifier: nil, signedAt: code.madeAt, into: &list,
            &content)
        checkType(into: &list)
        list.pass(.time, "The code states no end of its validity.")
        list.leave(.status, "The code names no status list.")
        list.recordNoHolder(isBound: false, isInner: false, request.policy)
        return CredentialReport(.aadhaar, list, policy: request.policy, content: content)
    }

    private func checkType(into list: inout CredentialCheckList) {
        guard request.policy.types.isEmpty else { return list.leave(.type, "An Aadhaar code names no type.") }
        list.pass(.type, "The code says of itself nothing but that it is one.")
    }
}
