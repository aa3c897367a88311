import CryptoSuite
import TestSupport
import Testing

@testable import StockPeers

/// The models against published and recorded bytes, so that they prove something when ours meets them.
@Suite struct StockVectorTests {
    static let alice = "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"
    static let bob = "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"
    static let alicePublic = "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"

    @Test func `the stock peers derive the published session key from the keys of RFC 7748`() throws {
        let nonce = Array(0...11).map { UInt8($0) }
        let wallet = try #require(
            StockCipher(privateKey: Samples.key(Self.bob), peerKey: Samples.bytes(Self.alicePublic), nonce: nonce))
        let bobPublic = try X25519.publicKey(for: Samples.key(Self.bob))
        let verifier = try #require(
            StockCipher(privateKey: Samples.key(Self.alice), peerKey: bobPublic, nonce: nonce))
        for cipher in [wallet, verifier] {
            #expect(
                cipher.toVerifier.copyBytes()
                    == Samples.bytes("3930173021376acf4d6281079b6e287df23d1571acbe100e24e88d69407dbc00"))
        }
        let ciphertext = try AuthenticatedCipher.aesGCM.seal(
            (0..<100).map { UInt8($0) }, key: wallet.toVerifier, nonce: nonce)
        let chunks = [
            "00016b96d802815b88700165689cf544a5d2aa5a0422d7fdafb1d5c235522cc4b04b28f927a427b6e71e75cc335805cb543948ce17"
                + "e83537bc56fa9ef3aa891f",
            "0002caec0c84c5355a3342704466bab3c1a0d24a203af43a1c870f6626594bb7e6c7abca689211ca6efff4a1867f76b66876f08a77"
                + "9e1bec75df089a",
        ]
        #expect(StockChunker.count(total: ciphertext.count, writeBytes: 64) == 2)
        #expect(StockChunker.chunk(1, of: ciphertext, writeBytes: 64) == Samples.bytes(chunks[0]))
        #expect(StockChunker.chunk(2, of: ciphertext, writeBytes: 64) == Samples.bytes(chunks[1]))
    }

    @Test func `the stock wallet with the keys of RFC 7748 sends the published Identify bytes`() {
        let setup = StockWalletSetup(
            uri: "", payload: [], privateKey: Samples.key(Self.bob), nonce: Array(0...11).map { UInt8($0) })
        #expect(
            setup.identify
                == Samples.bytes(
                    "000102030405060708090a0bde9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"))
    }

    @Test func `the stock verifier's advertisement and scan response have the deployed bytes`() throws {
        let made = try #require(
            StockAdvertisement.make(name: "OVPMOSIP", key: Samples.bytes(Self.alicePublic), generation: .v05))
        #expect(made.data == Samples.bytes("0201020303010011160100" + "4F56504D4F534950" + "5F8520F00989"))
        #expect(
            made.scanResponse
                == Samples.bytes("1E160200" + "30A754748B7DDCB43EF75A0DBF3A0D26381AF4EBA4A98EAA9B4E6A"))
        let longest = String(repeating: "n", count: 14)
        #expect(StockAdvertisement.make(name: longest, key: made.data, generation: .v04)?.data.count == 31)
        #expect(StockAdvertisement.make(name: longest + "n", key: made.data, generation: .v04) == nil)
    }

    /// A session of a deployed wallet: keys, what it wrote, and what came back.
    struct Recording: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let verifierKey: String
        let publicKey: String
        let identify: String
        let chunk: String
        let sealingKey: String
        /// True when the compressed bytes are those that zlib makes.
        let isReproducible: Bool
    }

    static let recordings = [
        Recording(
            testDescription: "iOS", verifierKey: "77076d0a7318a57d3c16c17251b26645c6c93d1f9b1b1c5a1d5f0f1e2d3c4b5a",
            publicKey: "c26e3e83eb17f64505af7b2fdc8bab68cdbc09754e9fb0fe137415d458cfc92d",
            identify: "dc7fa9261007bee719ca8a80d1972178fd80a0fa3d6f14035b57bc6ff2edaf15efa291308ad3725c0280ad64",
            chunk:
                "00019939c67051aa3e50c0f85e1a76f1d8a796e0e07db2bb13b1270603067e7c2f339d1ad5aa84b71ba6e7f39916b2679e48"
                + "2c3a52",
            sealingKey: "6ef32261cfb13e8759ab76b1caf58a9825c46f5a3e4f5855776a18044338d67f", isReproducible: true),
        Recording(
            testDescription: "Android", verifierKey: "381f897cd0dba6fcfb858d0b2bb4d153eb0bd908d9084d1050e87ab759369e45",
            publicKey: "c18c6d01a2fd785b709c414920b6a8fb9108d6ac88fa035ea5fe402f3c946239",
            identify: "9bed544516be518676026530fb74f42f0c73a6cdab7bb71fe017e3c42346414ee76a267336f10ce0eb8d5a78",
            chunk:
                "0001ffc5f3f423a5e89b827fb220487962a199fcecf2eef94dd97f92a633474a68a78cc218327e31ed285fc832a11f3d2d38"
                + "aa6252",
            sealingKey: "bcb837577251aab117c794898bd942edf36b3dc4c04c8aeb75c3e31265880547", isReproducible: false),
    ]

    @Test(arguments: recordings)
    func `a recorded session gives the recorded keys, chunk and payload`(_ recording: Recording) throws {
        let identify = Samples.bytes(recording.identify)
        let cipher = try #require(
            StockCipher(
                privateKey: Samples.key(recording.verifierKey), peerKey: Array(identify[12...]),
                nonce: Array(identify[..<12])))
        #expect(cipher.toVerifier.copyBytes() == Samples.bytes(recording.sealingKey))
        let chunk = Samples.bytes(recording.chunk)
        #expect(cipher.open(Array(chunk[4...])) == Samples.recordedPayload)
        #expect(StockChunker.chunk(1, of: Array(chunk[4...]), writeBytes: 509) == chunk)
        guard recording.isReproducible else { return }
        let sealed = try #require(cipher.seal(Samples.recordedPayload))
        #expect(StockChunker.chunk(1, of: sealed, writeBytes: 509) == chunk)
    }

    @Test(arguments: recordings)
    func `the stock verifier reacts to a recorded session as the deployed one did`(_ recording: Recording) {
        var setup = StockVerifierSetup(privateKey: Samples.key(recording.verifierKey))
        setup.decisionDelay = .zero
        var verifier = VerifierBench(setup)
        #expect(verifier.setup.publicKey == Samples.bytes(recording.publicKey))
        verifier.write(.identify, Samples.bytes(recording.identify))
        verifier.write(.responseSize, Samples.bytes("00000031"))
        verifier.write(.submitResponse, Samples.bytes(recording.chunk))
        verifier.write(.reportRequest, [1])
        #expect(verifier.pushed(.reportResponse) == [[1, 0, 0]])
        #expect(verifier.pushed(.verificationStatus) == [[0]])
        #expect(verifier.journal.payloads == [Samples.recordedPayload])
    }

    @Test(.shows("TUV-047")) func `stock transfer reports have the published bytes`() {
        #expect(StockTransferReport.bytes(missing: [], writeBytes: 509) == [1, 0, 0])
        #expect(StockTransferReport.bytes(missing: [2], writeBytes: 509) == Samples.bytes("0000010002"))
        #expect(StockTransferReport.bytes(missing: [2, 4], writeBytes: 509) == Samples.bytes("00000100020004"))
        for (writeBytes, count, head) in [(509, 509, "0000020001"), (182, 181, "0000040001"), (64, 63, "00000A0001")] {
            let report = StockTransferReport.bytes(missing: Array(1...300), writeBytes: writeBytes)
            #expect(report.count == count)
            #expect(report.starts(with: Samples.bytes(head)))
        }
    }

    @Test func `stock transfer reports are read as the deployed wallets read them`() {
        #expect(StockTransferReport(reading: [1, 0, 0]) == .success)
        #expect(StockTransferReport(reading: Samples.bytes("0000010002FF")) == .missing([2]))
        #expect(StockTransferReport(reading: Samples.bytes("000001FFFF")) == .missing([-1]))
        #expect(StockTransferReport(reading: [0, 0, 0]) == .missing([]))
        #expect(StockTransferReport(reading: [0]) == .missing([]))
        #expect(StockTransferReport(reading: [2, 0, 0]) == .unreadable)
        #expect(StockTransferReport(reading: []) == .unreadable)
    }
}
