// A door reads the code of a card and checks it with the key of the authority, without a network.
//
// An app gets the text of a code from a scanner, or from a picture by `CodeReader`, and the key from the authority.

import Codes
import Credentials
import FoundationEssentials

@main
struct ReadCodes {
    /// The public key of the authority, as it publishes it.
    static let key = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=
        -----END PUBLIC KEY-----

        """
    /// The text of a code (claim 169) that the authority printed.
    static let card =
        "6BFX80S20FFWJWG.FKJ0507BSLK%KEMWEW9E0G7W:5-TCB$CBECP9E5ZC3KL280*96DL6WW66:6FA77P0FC8 8DQ34$9"
        + "FQ$DTVD$211A6//6946RF6B6127BHU9I734/SXK99PVIWF2N5WXQOAOCK8ZYHA56SXN$DA:5UCO1:$P4PQYY98IULK3I"
        + "WQ9STEFRM1WOU7MSK$Q84IH2$AFGCDYBJ+CI.6"

    static func main() throws {
        // The same lines as in the trust file of the command; `files` has the contents of the files that they name.
        let lines = "issuer https://id.example\n  name \"Civil Registry of Norvenia\"\n  pem id.pem\n"
        let trust = try TrustFile(parsing: Array(lines.utf8)).store(files: ["id.pem": Array(key.utf8)])
        let now = WallTime(millisecondsSinceEpoch: Int64(Date().timeIntervalSince1970 * 1000))
        let verifier = CodeVerifier(VerificationRequest(trust: trust, at: now))

        let report = verifier.verify(Array(card.utf8))
        print("The code: \(report.layers.map(\.text).joined(separator: "; "))")
        show(report.credential)
        precondition(report.credential.result == .genuine && report.isCode)

        // A damaged code is not checked; one that was made anew with other data is refused by its signature.
        show(verifier.verify(Array(card.dropLast().utf8) + [UInt8(ascii: "7")]).credential)

        // Without the authority's key, a genuine code is not checked either.
        let stranger = CodeVerifier(VerificationRequest(trust: TrustStore(), at: now))
        show(stranger.verify(Array(card.utf8)).credential)
    }

    /// Prints the verdict, and what a genuine code says.
    ///
    /// A code shows no holder: a person compares the data.
    static func show(_ report: CredentialReport) {
        guard report.result == .genuine else {
            let check = report.decisiveCheck(under: VerificationPolicy())
            return print("\(report.result.rawValue): \(check?.reason ?? "no reason")")
        }
        print("genuine, issued by \(report.content.issuerName ?? report.content.issuer ?? "")")
        for claim in report.content.claims?.object?.members ?? [] {
            print("  \(claim.name): \(claim.value.string ?? claim.value.text)")
        }
    }
}
