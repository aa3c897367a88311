import ByteCoding
import Compression
import CryptoSuite
import Determinism
import Tuvali

/// Makes the recordings of the folder `symbolon`: a wallet written here byte by byte against our verifier, and a
/// verifier written by hand against our wallet.
///
/// The keys are those of RFC 7748, section 6.1. The payload is zipped into stored blocks, so that no version of zlib
/// changes a byte. `SYMBOLON_REGENERATE=1 make test T=LabCommands/RecordingFactoryTests` writes the folder anew. Of the
/// other folders beside it, `tuvali-ios-0.5.0` holds the bytes that the wallet of tuvali-ios-swift 0.5.0 sent, with a
/// throw-away verifier key, and `tuvali-android-0.5.2` those that wallet and verifier of tuvali 0.5.2 for Android
/// exchanged.
enum RecordingFactory {
    static let verifierKey = "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"
    static let verifierPublic = "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
    static let walletKey = "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"
    static let walletPublic = "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"
    static let nonce = "000102030405060708090a0b"
    static let uri = "OPENID4VP://connect?name=REPLAY&key=\(verifierPublic)"
    /// 67 is the least that a session runs with: chunks of 60 bytes.
    static let mtu = 67

    /// All recordings by name.
    static func all() throws -> [(name: String, text: String)] {
        let chunks = try chunks()
        return try verifierRecordings(chunks) + failingVerifierRecordings(chunks) + walletRecordings()
    }

    /// The payload that the recordings transfer: 251 bytes of text, which make five chunks.
    static var payload: [UInt8] {
        var random = SeededRandom(seed: 2)
        return Array(#"{"note":""#.utf8) + Hex.encode(random.bytes(count: 120)).utf8 + #""}"#.utf8
    }

    // MARK: - Against our verifier

    private static func verifierRecordings(_ chunks: [[UInt8]]) throws -> [(name: String, text: String)] {
        let start = head() + opening(chunks)
        let end = ask() + expect("reportResponse", "010000") + expect("verificationStatus", "00")
        return [
            ("verifier-all-chunks", start + submit(chunks) + end),
            (
                "verifier-lost-chunks",
                start + submit([chunks[0], chunks[2], chunks[4]]) + ask() + expect("reportResponse", "00000100020004")
                    + submit([chunks[1], chunks[3]]) + end
            ),
            (
                "verifier-corrupted-chunk",
                start + submit([chunks[0], chunks[1], flipped(chunks[2]), chunks[3], chunks[4]]) + ask()
                    + expect("reportResponse", "0000010003") + submit([chunks[2]]) + end
            ),
            ("verifier-repeated-chunks", start + submit(chunks.flatMap { [$0, $0] }) + ask() + end),
            ("verifier-reordered-chunks", start + submit(Array(chunks.reversed())) + end),
            (
                "verifier-odd-messages",
                head() + write("identify", [1, 2, 3]) + opening(chunks)
                    + write("identify", identify) + write("submitResponse", [0, 1])
                    + write("submitResponse", [0, 0, 0, 0, 9])
                    + write("submitResponse", [0x7F, 0xFF, 0, 0, 9]) + submit(chunks) + write("reportRequest", [2])
                    + write("reportRequest", []) + end
            ),
            (
                "verifier-rejecting",
                head(extra: #","decision":"reject""#) + opening(chunks) + submit(chunks) + ask()
                    + expect("reportResponse", "010000") + expect("verificationStatus", "01")
            ),
            ("verifier-0.4", head(profile: "tuvali-0.4") + opening(chunks) + submit(chunks) + end),
        ]
    }

    private static func failingVerifierRecordings(_ chunks: [[UInt8]]) throws -> [(name: String, text: String)] {
        let start = head() + opening(chunks)
        let goodbye = expect("disconnect", "01")
        var altered = Array(chunks[1].dropFirst(4))
        altered[7] ^= 1
        return [
            (
                "verifier-too-many-lost",
                start + submit([chunks[0]]) + ask() + goodbye + failed("tuvali.verifier.too-many-missing-chunks")
            ),
            (
                "verifier-altered-payload",
                start + submit([chunks[0], chunk(2, altered)] + chunks[2...]) + ask() + goodbye
                    + failed("tuvali.verifier.not-authentic")
            ),
            (
                "verifier-size-zero",
                head() + write("identify", identify) + write("responseSize", [0, 0, 0, 0]) + goodbye
            ),
            (
                "verifier-size-huge",
                head() + write("identify", identify) + write("responseSize", [0xFF, 0xFF, 0xFF, 0xFF]) + goodbye
                    + failed("tuvali.verifier.size-too-large")
            ),
            ("verifier-cut-off", start + submit(Array(chunks.prefix(3))) + failed("replay.recording-ended")),
        ]
    }

    private static func head(profile: String = "tuvali-0.5", extra: String = "") -> String {
        #"{"role":"verifier","profile":"\#(profile)","attMTU":\#(mtu),"privateKey":"\#(verifierKey)"\#(extra)}"# + "\n"
    }

    private static func opening(_ chunks: [[UInt8]]) -> String {
        var size: [UInt8] = []
        size.appendBigEndian(UInt32(chunks.reduce(0) { $0 + $1.count - 4 }))
        return write("identify", identify) + write("responseSize", size)
    }

    private static func submit(_ chunks: [[UInt8]]) -> String { chunks.map { write("submitResponse", $0) }.joined() }
    private static func ask() -> String { write("reportRequest", [1]) }

    private static var identify: [UInt8] { (Hex.decode(nonce) ?? []) + (Hex.decode(walletPublic) ?? []) }

    private static func flipped(_ chunk: [UInt8]) -> [UInt8] {
        var chunk = chunk
        chunk[20] ^= 0x10
        return chunk
    }

    private static func chunks() throws -> [[UInt8]] {
        let key = Secret(copying: Hex.decode(walletKey) ?? [])
        let keys = try SessionKeys(privateKey: key, peerPublicKey: Hex.decode(verifierPublic) ?? [])
        let sealed = try AuthenticatedCipher.aesGCM.seal(
            stored(payload), key: keys.verifier, nonce: Hex.decode(nonce) ?? [])
        return stride(from: 0, to: sealed.count, by: mtu - 7).enumerated().map { index, start in
            chunk(index + 1, Array(sealed[start..<min(sealed.count, start + mtu - 7)]))
        }
    }

    private static func chunk(_ number: Int, _ content: [UInt8]) -> [UInt8] {
        var chunk: [UInt8] = []
        chunk.appendBigEndian(UInt16(number))
        chunk.appendBigEndian(CRC16Kermit.checksum(of: content))
        return chunk + content
    }

    /// `bytes` (fewer than 65,536) as a gzip file of one stored block.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var file: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1]
        file.appendLittleEndian(UInt16(bytes.count))
        file.appendLittleEndian(~UInt16(bytes.count))
        file += bytes
        file.appendLittleEndian(CRC32.checksum(of: bytes))
        file.appendLittleEndian(UInt32(bytes.count))
        return file
    }

    // MARK: - Against our wallet

    private static func walletRecordings() -> [(name: String, text: String)] {
        let start = walletHead() + expect("identify", Hex.encode(identify)) + expect("reportRequest", "01")
        let success = notify("reportResponse", [1, 0, 0])
        return [
            ("wallet-all-chunks", start + success + notify("verificationStatus", [0])),
            (
                "wallet-lost-chunks",
                start + notify("reportResponse", [0, 0, 1, 0, 2, 0, 4]) + expect("reportRequest", "01")
                    + notify("reportResponse", [0, 0, 1, 0, 4]) + expect("reportRequest", "01") + success
                    + notify("verificationStatus", [0])
            ),
            ("wallet-status-first", start + notify("verificationStatus", [0]) + success),
            ("wallet-rejected", start + success + notify("verificationStatus", [1])),
            (
                "wallet-report-out-of-range",
                start + notify("reportResponse", [0, 0, 1, 0, 0]) + failed("tuvali.wallet.report-out-of-range")
            ),
            (
                "wallet-report-malformed",
                start + notify("reportResponse", [7, 0, 0]) + failed("tuvali.wallet.report-malformed")
            ),
            ("wallet-told-to-go", start + notify("disconnect", [1]) + failed("tuvali.session.peer-disconnected")),
            ("wallet-mtu-66", walletHead(mtu: 66) + failed("tuvali.wallet.mtu-too-small")),
        ]
    }

    private static func walletHead(mtu: Int = mtu) -> String {
        #"{"role":"wallet","profile":"tuvali-0.5","attMTU":\#(mtu),"privateKey":"\#(walletKey)","nonce":"\#(nonce)","#
            + #""uri":"\#(uri)","payload":"\#(Hex.encode(payload))"}"# + "\n"
    }

    // MARK: - Lines

    private static func write(_ name: String, _ value: [UInt8]) -> String {
        #"{"write":"\#(name)","value":"\#(Hex.encode(value))"}"# + "\n"
    }

    private static func notify(_ name: String, _ value: [UInt8]) -> String {
        #"{"notify":"\#(name)","value":"\#(Hex.encode(value))"}"# + "\n"
    }

    private static func expect(_ name: String, _ value: String) -> String {
        #"{"expect":"\#(name)","value":"\#(value)"}"# + "\n"
    }

    private static func failed(_ code: String) -> String {
        #"{"expect":"result","value":"failed","code":"\#(code)"}"# + "\n"
    }
}
