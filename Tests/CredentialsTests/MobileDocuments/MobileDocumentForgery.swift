import CBOR
import CryptoSuite
import Determinism
import Testing

@testable import Credentials

/// A mobile document with one fault, or a good one that lies close to a fault.
struct MobileDocumentForgery: CustomTestStringConvertible, Sendable {
    /// The result that the verifier's report must have.
    enum Answer: Sendable {
        case genuine
        case genuineWithNote(CredentialError.Code)
        case refused(CredentialError.Code)
        case notChecked(CredentialError.Code)
    }

    let name: String
    let answer: Answer
    let make: @Sendable (inout Setting) throws -> Void

    init(_ name: String, _ answer: Answer, _ make: @escaping @Sendable (inout Setting) throws -> Void) {
        (self.name, self.answer, self.make) = (name, answer, make)
    }

    var testDescription: String { name }

    /// Everything that a forgery can change.
    struct Setting {
        var authority: SignerAuthority
        var builder: MobileDocumentBuilder
        var request: VerificationRequest
        /// The bytes, when the builder cannot make them.
        var bytes: [UInt8]?
        var transcript: [UInt8]?
        var readerKey: ECDSA.PrivateKey?

        init() throws {
            authority = try SignerAuthority()
            builder = try MobileDocumentBuilder(authority)
            request = VerificationRequest(
                trust: TrustStore(), at: WallTime(millisecondsSinceEpoch: 1_748_736_000_000))  // 2025-06-01
            request.trust.roots = [
                TrustedRoot(
                    certificate: try authority.rootDER(),
                    purpose: .mobileDocuments(types: [MobileDocumentBuilder.mdl], country: nil))
            ]
        }

        /// Takes over certificates that were changed.
        mutating func issueAgain(root: Bool = false) throws {
            builder.chain = [try authority.signerDER()]
            guard root else { return }
            request.trust.roots[0] = TrustedRoot(
                certificate: try authority.rootDER(), purpose: request.trust.roots[0].purpose)
        }

        var report: CredentialReport {
            var request = request
            request.session = transcript.flatMap { try? MobileDocumentSession(transcript: $0, readerKey: readerKey) }
            return MobileDocumentVerifier(request).verify(bytes ?? builder.document.encoded)
        }
    }
}
