import CBOR
import COSE
import Credentials
import CryptoSuite
import Determinism
import Testing

@testable import MobileSession

/// The wrong forms of what a device signs, which are named and stay refused.
@Suite struct WrongProofFormTests {
    /// The transcript as it stands in what is signed, and as the key of a MAC has it.
    private struct SignedForm {
        let name: String
        let signed: [UInt8]
        let keyed: [UInt8]
        /// The words by which the form is named; nil for one that is not known.
        let words: String?
    }

    private let time = WallTime(millisecondsSinceEpoch: 1_790_000_000_000)
    private let readerKey: ECDSA.PrivateKey
    private let transcript: [UInt8]
    private let forms: [SignedForm]

    init() throws {
        var random = SeededRandom(seed: 8)
        readerKey = try ECDSA.PrivateKey.make(.p256, from: &random)
        let keyBytes = CBORItem.embedded(COSEKey.ecdsa(readerKey.publicKey).item)
        let engagement = CBORItem.raw([0xA1, 0, 0x63, 0x31, 0x2E, 0x30])
        transcript = CBORItem.array([.embedded(engagement), keyBytes, .null]).encoded
        let twice = CBORItem.array([.embedded(.embedded(engagement)), keyBytes, .null]).encoded
        let thrice = CBORItem.array([.embedded(.embedded(.embedded(engagement))), keyBytes, .null]).encoded
        forms = [
            SignedForm(
                name: "tagged", signed: CBORItem.embedded(.raw(transcript)).encoded, keyed: transcript,
                words: "It would verify if the transcript stood in it with tag 24"),
            SignedForm(
                name: "engagement twice", signed: twice, keyed: twice,
                words: "It would verify if the engagement were encoded twice in the transcript"),
            SignedForm(name: "engagement thrice", signed: thrice, keyed: thrice, words: nil),
        ]
    }

    /// Returns the check of the device's proof in an answer whose device signed a transcript in a form.
    private func check(
        _ signed: [UInt8], _ keyed: [UInt8], isMAC: Bool
    ) throws -> CredentialCheck {
        var random = SeededRandom(seed: 9)
        let held = try TestMobileIssuer(at: time, random: &random)
            .licence(portrait: [1], provesByMAC: isMAC, random: &random)
        let empty = CBORItem.embedded(.map([:]))
        let message = CBORItem.embedded(
            .array([.text("DeviceAuthentication"), .raw(signed), .text(held.type), empty])
        ).encoded
        let proof: [CBORItem]
        switch held.deviceKey {
        case .signing(let key):
            proof = [.text("deviceSignature"), try COSESign1.make(over: message, isDetached: true, by: key)]
        case .agreement(let key):
            let salt = SHA256.hash(CBORItem.embedded(.raw(keyed)).encoded)
            let macKey = try HKDF.deriveSHA256(
                inputKey: try key.sharedSecret(with: .ecdsa(readerKey.publicKey)), salt: salt,
                info: Array("EMacKey".utf8), count: 32)
            proof = [.text("deviceMac"), COSEMac0.makeDetached(over: message, key: macKey)]
        }
        let document: CBORItem = .ordered([
            [.text("docType"), .text(held.type)], [.text("issuerSigned"), .raw(held.issuerSigned)],
            [
                .text("deviceSigned"),
                .ordered([[.text("nameSpaces"), empty], [.text("deviceAuth"), .ordered([proof])]]),
            ],
        ])
        var request = VerificationRequest(trust: TrustStore(), at: time)
        request.session = try MobileDocumentSession(transcript: transcript, agreementKey: .ecdsa(readerKey))
        let report = MobileDocumentVerifier(request).verify(DeviceResponse.encoded(documents: [document]))
        return try #require(report.checks.first { $0.kind == .holder })
    }

    @Test(arguments: [false, true])
    func `a proof over a transcript in a wrong form is refused, and the form is named`(isMAC: Bool) throws {
        #expect(try check(transcript, transcript, isMAC: isMAC).outcome == .passed)
        for form in forms {
            let found = try check(form.signed, form.keyed, isMAC: isMAC)
            #expect(found.outcome == .failed, "\(form.name)")
            #expect(found.code == .sigInvalid, "\(form.name)")
            if let words = form.words {
                #expect(found.reason.contains(words), "\(form.name): \(found.reason)")
            } else {
                #expect(!found.reason.contains("It would verify"), "\(form.name): \(found.reason)")
            }
        }
    }
}
