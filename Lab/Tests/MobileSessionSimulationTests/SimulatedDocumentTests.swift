import CBOR
import COSE
import Determinism
import MobileSession
import Testing

@testable import MobileSessionSimulation

@Suite struct SimulatedDocumentTests {
    /// Returns the verdict about a document that is proved in a session of a curve.
    private static func verdict(
        _ proof: DocumentProof, _ curve: SessionCurve, _ forgery: MobileForgery? = nil
    ) throws -> MobileAnswerVerdict {
        var random = SeededRandom(seed: 7)
        let (reader, holder) = (try curve.makeKey(from: &random), try curve.makeKey(from: &random))
        let transcript = SessionTranscript(
            engagement: [0xA1, 0, 0], readerKeyBytes: CBORItem.embedded(try reader.publicKey().item).encoded)
        let document = try SimulatedDocument(proof, in: curve, forgery: forgery, seed: 7)
        let answer = DeviceResponse.encoded(
            documents: try document.documents(
                in: MobileSessionKeys(transcript: transcript, ownKey: holder, peerKey: try reader.publicKey())))
        return try MobileAnswerJudge(forgery).verdict(
            DeviceResponse(answer, limit: ReaderSession.maximumResponseBytes),
            in: MobileSessionKeys(transcript: transcript, ownKey: reader, peerKey: try holder.publicKey()))
    }

    @Test(arguments: SessionCurve.allCases)
    func `a document is genuine by a MAC on the session's curve and by each signature`(_ curve: SessionCurve) throws {
        for proof in DocumentProof.allCases {
            let verdict = try Self.verdict(proof, curve)
            #expect(verdict.isGenuine, "\(proof) \(verdict.failed)")
        }
    }

    @Test(arguments: MobileForgery.allCases)
    func `a forgery is refused by the check that it is made for, with a MAC and with a signature`(
        _ forgery: MobileForgery
    ) throws {
        for proof in [DocumentProof.mac, .p256] where forgery != .elementOfDevice || proof != .mac {
            let verdict = try Self.verdict(proof, .p256, forgery)
            #expect(!verdict.isGenuine)
            #expect(verdict.failed.contains(forgery.check), "\(proof) \(verdict.failed)")
        }
    }
}
