import JSON
import TestSupport
import Testing

@testable import DIDComm

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

@Suite(.enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.skipped)))
struct VectorFileTests {
    /// Each group of the file, with a file of tests that reads it and the words by which it does.
    private static let readers: [(group: String, file: String, words: String)] = [
        ("keys", "DIDs/VerkeyTests.swift", "vectors.keys"),
        ("rfc0019", "Envelope/EnvelopeVectorTests.swift", "rfc0019"),
        ("generated_pack", "Envelope/EnvelopeVectorTests.swift", "generated_pack"),
        ("generated_pack_negative", "Envelope/EnvelopeVectorTests.swift", "generated_pack_negative"),
        ("generated_forward", "Envelope/EnvelopeVectorTests.swift", "generated_forward"),
        ("generated_signature_decorator", "Signatures/SignatureDecoratorTests.swift", ".decorator"),
        ("generated_attachment_jws", "Signatures/AttachmentSignatureTests.swift", "generated_attachment_jws"),
        ("rfc0360", "DIDs/VerkeyTests.swift", "vectors.rfc0360"),
        ("peer_did_2_spec", "Documents/DIDDocumentPeerDIDTests.swift", "vectors.peer2"),
        ("peer_did_3", "DIDs/PeerDIDTests.swift", "vectors.peer3"),
        ("peer_did_4", "DIDs/PeerDIDTests.swift", "vectors.peer4"),
        ("generated_peer_did_2", "Documents/DIDDocumentPeerDIDTests.swift", "vectors.generatedPeer2"),
        ("generated_peer_did_4", "Documents/DIDDocumentPeerDIDTests.swift", "vectors.generatedPeer4"),
        ("invitation_urls", "../AriesTests/Invitations/InvitationTextTests.swift", "invitation_urls"),
        ("primitives", "../CryptoSuiteTests/PublishedPrimitivesTests.swift", "primitives"),
    ]

    @Test func `every group of the published DIDComm values is read by a test`() throws {
        let groups = try #require(try AriesVectors.json().object).map(\.name).filter { $0 != "about" }
        #expect(groups.sorted() == Self.readers.map(\.group).sorted())
        let tests = OutsideVectors.packageRoot.appending(path: "Tests/DIDCommTests")
        for reader in Self.readers {
            let text = String(
                decoding: try Data(contentsOf: tests.appending(path: reader.file)), as: UTF8.self)
            #expect(text.contains(reader.words), "\(reader.group) in \(reader.file)")
        }
    }

    @Test func `the documents that other libraries resolve have the keys and services that are read here`() throws {
        for (group, resolved) in [
            ("generated_peer_did_2", "resolved_by_did_peer_2_0.1.2"),
            ("generated_peer_did_4", "resolved_by_did_peer_4_0.1.4"),
        ] {
            let vector = try #require(try AriesVectors.json()[group])
            let text = try #require((vector["did"] ?? vector["long"])?.string)
            let foreign = try DIDDocument(reading: JSONValueReader(try #require(vector[resolved])))
            let ours = try StaticDIDResolver().resolve(DID(parsing: text))
            let theirs = try StaticDIDResolver().resolve(foreign)
            #expect(ours.authenticationKeys == theirs.authenticationKeys && ours.agreementKeys == theirs.agreementKeys)
            #expect(ours.services == theirs.services && ours.services.count == 1)
        }
    }
}
