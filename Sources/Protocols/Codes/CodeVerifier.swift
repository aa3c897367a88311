import ByteCoding
import CBOR
import COSE
public import Credentials
import CryptoSuite
import Determinism
import JSON

/// Verifies what a person shows: the text or bytes of a printed or shown code, or a credential in any other form.
///
/// A value without state, which reads nothing but what the request holds. A code proves who issued it, and nothing
/// about who shows it: the holder stays not shown unless the credential in it has a proof of its own.
public struct CodeVerifier: Sendable {
    /// The most tokens in members of a credential that are verified.
    private static let maximumMembers = 8

    private let request: VerificationRequest

    /// Makes a verifier for a request.
    public init(_ request: VerificationRequest) { self.request = request }

    /// Verifies the text or bytes of a code, or a credential; errors are in the report, never thrown.
    public func verify(_ bytes: [UInt8]) -> CodeReport {
        guard bytes.count <= request.policy.limits.maximumBytes else {
            // The verifier of credentials has the error about its limit.
            return CodeReport(credential: CredentialVerifier(request).verify(bytes), layers: [], members: [])
        }
        let code = CredentialCode(bytes)
        let (report, layers) = verify(code)
        return CodeReport(credential: report, layers: layers, members: members(of: [report]))
    }

    private func verify(_ code: CredentialCode) -> (CredentialReport, [CodeLayer]) {
        switch code.content {
        case .success(.credential(let bytes)): return (CredentialVerifier(request).verify(bytes), code.layers)
        case .success(.token(let bytes)):
            // A token that is given as it is has its tag; one in a code may have none.
            let isFromCode = !code.layers.isEmpty
            return (CWTVerifier(request, isFromCode: isFromCode).verify(bytes), code.layers)
        case .success(.encryptedToken(let bytes)): return verify(encrypted: bytes, code.layers)
        case .success(.aadhaar(let card)): return (AadhaarVerifier(request).verify(card), code.layers)
        case .success(.healthCard(let card)): return (HealthCardVerifier(request).verify(card), code.layers)
        case .failure(let error):
            var list = CredentialCheckList()
            list.record(error)
            return (CredentialReport(.unknown, list, policy: request.policy), code.layers)
        }
    }

    private func verify(encrypted bytes: [UInt8], _ layers: [CodeLayer]) -> (CredentialReport, [CodeLayer]) {
        var list = CredentialCheckList()
        let decrypted = list.attempt { () throws(CredentialError) -> [UInt8] in
            let object = try COSEEncrypt0(bytes, request.policy.limits)
            let keys = request.trust.decryptionKeys
            guard let plaintext = object.decrypted(with: keys) else {
                throw CredentialError(
                    .codeEncrypted,
                    keys.isEmpty
                        ? "The code is encrypted, and the trust file has no key for it."
                        : "The code is encrypted, and no key of the trust file decrypts it.")
            }
            return plaintext
        }
        guard let decrypted else { return (CredentialReport(.cwt, list, policy: request.policy), layers) }
        return (CWTVerifier(request, isFromCode: true).verify(decrypted), layers)
    }

    // MARK: Members

    /// Verifies the tokens in the members of credentials, such as the codes that an issuer puts into them.
    ///
    /// Of presentations the credentials inside are searched. At most eight tokens are verified.
    public func members(of reports: [CredentialReport]) -> [CodeReport.MemberToken] {
        var found: [(path: [String], bytes: [UInt8])] = []
        for report in reports.flatMap({ $0.inner.isEmpty ? [$0] : $0.inner }) {
            if let claims = report.content.claims { Self.collect(claims, path: [], into: &found) }
        }
        return found.map { path, bytes in
            CodeReport.MemberToken(path: path, report: verify(CredentialCode(bytes)).0)
        }
    }

    private static func collect(
        _ value: JSONValue, path: [String], into found: inout [(path: [String], bytes: [UInt8])]
    ) {
        guard found.count < maximumMembers, path.count < 16 else { return }
        switch value {
        case .object(let object):
            for member in object { collect(member.value, path: path + [member.name], into: &found) }
        case .array(let values):
            for (index, value) in values.enumerated() { collect(value, path: path + ["\(index + 1)"], into: &found) }
        case .string(let text):
            guard mayBeToken(text.utf8) else { return }
            let bytes = Array(text.utf8)
            if case .success(.token) = CredentialCode(bytes).content { found.append((path, bytes)) }
        case .null, .bool, .number: break
        }
    }

    /// Returns true for a text that begins as a signed token in hexadecimal digits, base 64, or base 45 of zlib.
    private static func mayBeToken(_ text: String.UTF8View) -> Bool {
        guard (60...CodeLimits.maximumTextBytes).contains(text.count) else { return false }
        return ["d284", "D284", "d83d", "D83D", "0oR", "0oS", "2D3S", "hEO", "NCF", "6BF", "HC1:"].contains {
            text.starts(with: $0.utf8)
        }
    }
}
