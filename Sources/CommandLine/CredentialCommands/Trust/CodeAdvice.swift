import Codes
import CommandProgram
import Credentials
import Determinism
import Terminal

/// The question for an authority that would make a code genuine; a code alone adds no trust.
struct CodeAdvice {
    /// The failure that names the issuer of the code and its key, with the command for the file of the authority.
    let failure: CommandFailure

    /// Reads a code; nil for bytes that hold none, and for a credential that is not in a code.
    init?(_ bytes: [UInt8], at time: WallTime) {
        let request = VerificationRequest(trust: TrustStore(), at: time)
        let code = CodeVerifier(request).verify(bytes)
        guard code.isCode, code.credential.format != .unknown else { return nil }
        let content = code.credential.content
        let issuer = content.issuer.map { TerminalText.sanitised($0, limit: 120) }
        let key =
            content.notes.first { $0.hasPrefix("The token names the key") }
            .map { " " + TerminalText.sanitised($0, limit: 160) } ?? ""
        let reason = "This is a code\(issuer.map { " of \($0)" } ?? ""), which holds no key to trust.\(key)"
        let error = TrustFileError(.notRecognised, line: 0, reason)
        switch code.credential.format {
        case .aadhaar:
            failure = CommandFailure(
                error, nextStep: "Ask UIDAI for the certificate of its codes. Then:",
                command: "symbolon trust add CERTIFICATE --for aadhaar")
        case .cwt where content.types.contains(HealthCertificate.type):
            failure = CommandFailure(
                error, nextStep: "Ask the health authority for the list of its document signers. Then:",
                command: "symbolon trust add FOLDER --for health-certificates")
        default:
            let words = TrustAdvice.command(
                ["FILE"] + (content.issuer.map { ["--issuer", $0] } ?? ["--issuer", "ID"]))
            failure = CommandFailure(
                error, nextStep: "Ask the authority for this public key, as PEM, JWK set or certificate. Then:",
                command: words)
        }
    }
}
