import CryptoSuite
import TestSupport
import Testing

@testable import Tuvali

/// Tests of each Tuvali reader with its message cut short at every byte, and with one byte more.
@Suite struct DecoderTests {
    private let all: [UInt8] = [0x00, 0x01, 0x7F, 0xFF]

    @Test func `a Tuvali URI cut short or followed by more is refused`() throws {
        let text = Array(try Samples.uri().text.utf8)
        let read = { (bytes: [UInt8]) in try TuvaliURI(parsing: String(decoding: bytes, as: UTF8.self)) }
        #expect(DecoderVerifier.acceptedTruncations(of: text, by: read) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: text, by: read) == [])
    }

    @Test func `Tuvali service data without the separator before the five key bytes are refused`() throws {
        let content = try TuvaliAdvertisement.content(of: Samples.uri())
        let read = { (bytes: [UInt8]) in TuvaliAdvertisement.parse(bytes)?.name }
        #expect(DecoderVerifier.acceptedTruncations(of: content, by: read) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: content, by: read) == [])
    }

    @Test func `a value of REQUEST_SIZE has eight bytes, no fewer and no more`() {
        let bytes = VerifierRequestSize(sealedBytes: 71).bytes
        #expect(DecoderVerifier.acceptedTruncations(of: bytes) { VerifierRequestSize(parsing: $0) } == [])
        #expect(DecoderVerifier.acceptedExtensions(of: bytes) { VerifierRequestSize(parsing: $0) } == [])
    }

    @Test func `a request message cut short is refused, and one with more bytes has more content`() throws {
        let bytes = try VerifierRequestMessage(mediaType: "a/b", content: [1]).bytes
        #expect(DecoderVerifier.acceptedTruncations(of: bytes) { VerifierRequestMessage(parsing: $0) } == [])
        #expect(DecoderVerifier.acceptedExtensions(of: bytes) { VerifierRequestMessage(parsing: $0) } == all)
    }

    @Test func `an Identify request has 44 bytes, and bytes after them are ignored`() {
        let bytes = Samples.nonce + Samples.walletPublicKey
        #expect(DecoderVerifier.acceptedTruncations(of: bytes) { IdentifyRequest(parsing: $0) } == [])
        #expect(DecoderVerifier.acceptedExtensions(of: bytes) { IdentifyRequest(parsing: $0) } == all)
        for byte in all { #expect(IdentifyRequest(parsing: bytes + [byte]) == IdentifyRequest(parsing: bytes)) }
    }

    @Test func `a status is read from its first byte, and a transfer report from its whole entries`() {
        #expect(DecoderVerifier.acceptedTruncations(of: [1]) { VerificationStatus(parsing: $0) } == [])
        #expect(DecoderVerifier.acceptedExtensions(of: [1]) { VerificationStatus(parsing: $0) } == all)
        let report = TransferReport.missing([1, 2], pageCount: 1).bytes
        #expect(DecoderVerifier.acceptedTruncations(of: report) { try TransferReport(parsing: $0) } == [3, 4, 5, 6])
        #expect(DecoderVerifier.acceptedExtensions(of: report) { try TransferReport(parsing: $0) } == all)
    }

    @Test func `a chunk is stored whole or not at all`() throws {
        let sealed = Samples.noise(700)
        let layout = try #require(ChunkLayout(totalBytes: 700, mtu: 512))
        let chunker = PayloadChunker(sealed: sealed, layout: layout)
        for sequence in 1...layout.chunkCount {
            let store = { (bytes: [UInt8]) -> Bool? in
                var assembler = ChunkAssembler(layout: layout)
                return assembler.take(bytes) == .stored ? true : nil
            }
            #expect(DecoderVerifier.acceptedTruncations(of: chunker.chunk(sequence), by: store) == [])
            #expect(DecoderVerifier.acceptedExtensions(of: chunker.chunk(sequence), by: store) == [])
        }
    }

    @Test func `a length message has four bytes, and bytes after them are ignored`() throws {
        let announce = { (bytes: [UInt8]) -> Bool? in
            var verifier = try VerifierScript()
            verifier.goToIdentified()
            return verifier.write(.responseSize, bytes).endings.isEmpty && !verifier.session.isFinished
                && verifier.said.events.contains(.announced(sealedBytes: 1000, chunkCount: 2)) ? true : nil
        }
        #expect(DecoderVerifier.acceptedTruncations(of: [0, 0, 3, 0xE8], by: announce) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: [0, 0, 3, 0xE8], by: announce) == all)
    }

    @Test func `a sealed payload cut short or followed by more is not opened`() throws {
        let key = Secret(copying: Samples.walletPrivateKey)
        let sealed = try SealedPayload.seal([1, 2, 3], key: key, nonce: Samples.nonce)
        let open = { (bytes: [UInt8]) in
            try SealedPayload.open(
                bytes, key: key, nonce: Samples.nonce, limits: VerifierConfiguration.unzipLimits)
        }
        #expect(DecoderVerifier.acceptedTruncations(of: sealed, by: open) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: sealed, by: open) == [])
    }
}
