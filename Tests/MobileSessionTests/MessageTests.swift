import CBOR
import COSE
import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import MobileSession

@Suite struct MessageTests {
    @Test(.shows("MDR-073", "MDR-074", "MDR-075"))
    func `parts are joined to the message that was cut, at every MTU`() throws {
        for mtu in [23, 24, 185, 247, 515, 517] {
            for count in [0, 1, 510, 511, 512, 513, 1022, 70_000] {
                let message = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
                var (splitter, assembler) = (PartSplitter(message), PartAssembler(limit: count))
                var parts: [[UInt8]] = []
                while let part = splitter.next(mtu: mtu) { parts.append(part) }
                let full = min(mtu - 3, 512)
                #expect(parts.dropLast().allSatisfy { $0.count == full })
                #expect(parts.last?.isEmpty == false)
                #expect(count == 0 || parts.last != [0])
                for part in parts.dropLast() { #expect(try assembler.take(part) == nil) }
                #expect(try assembler.take(try #require(parts.last)) == message)
            }
        }
    }

    @Test(.shows("MDR-075"))
    func `short parts and an empty last part are taken, an empty value and another first byte are not`() throws {
        var assembler = PartAssembler(limit: 10)
        #expect(try assembler.take([1]) == nil)
        #expect(try assembler.take([1, 7]) == nil)
        #expect(assembler.isUnderWay)
        #expect(try assembler.take([0]) == [7])
        #expect(!assembler.isUnderWay)
        #expect(throws: MobileSessionError(.partMalformed, "")) { try assembler.take([]) }
        #expect(throws: MobileSessionError(.partMalformed, "")) { try assembler.take([2, 1]) }
    }

    @Test(.shows("MS8")) func `a message is taken at its limit and not above it`() throws {
        var assembler = PartAssembler(limit: 3)
        #expect(try assembler.take([1, 1, 2]) == nil)
        #expect(try assembler.take([0, 3]) == [1, 2, 3])
        #expect(try assembler.take([1, 1, 2]) == nil)
        #expect(throws: MobileSessionError(.messageTooLarge, "")) { try assembler.take([0, 3, 4]) }
    }

    @Test func `a message that lost a part says how much of it is here`() {
        let message = SessionData(data: [UInt8](repeating: 1, count: 1000)).encoded
        do throws(MobileSessionError) {
            _ = try SessionData(Array(message.prefix(600)), limit: 1 << 16)
            Issue.record("a cut message was taken")
        } catch {
            #expect(error.code == .brokenOff)
            #expect(error.reason.contains("600 of \(message.count) bytes"))
        }
    }

    @Test(.shows("MS8")) func `a message that announces more than is there costs no memory`() {
        // A byte string of 2^60 bytes in a map.
        let bytes: [UInt8] = [0xA1, 0x64, 0x64, 0x61, 0x74, 0x61, 0x5B, 0x10, 0, 0, 0, 0, 0, 0, 0]
        #expect(throws: MobileSessionError(.sessionMalformed, "")) { try SessionData(bytes, limit: 1 << 20) }
    }

    @Test(.shows("MDR-070", "MDR-089")) func `a message has data, a status or both`() throws {
        for message in [SessionData(data: [1]), SessionData(status: 20), SessionData(data: [1], status: 20)] {
            let read = try SessionData(message.encoded, limit: 100)
            #expect(read.data == message.data && read.status == message.status)
        }
        // The reader's key under another name is none.
        for name in ["eReaderKey", "e_reader_key"] {
            let key = CBORItem.embedded(COSEKey.x25519([UInt8](repeating: 9, count: 32)).item)
            let message = CBORItem.ordered([[.text(name), key], [.text("data"), .bytes([1])]]).encoded
            let isTaken = (try? SessionEstablishment(message, limit: 200)) != nil
            #expect(isTaken == (name == "eReaderKey"))
        }
        #expect(throws: MobileSessionError(.sessionMalformed, "")) {
            try SessionData(CBORItem.map([:]).encoded, limit: 100)
        }
        #expect(throws: MobileSessionError(.sessionMalformed, "")) {
            try SessionData(CBORItem.map([.text("data"): .text("x"), .text("status"): .int(20)]).encoded, limit: 100)
        }
    }

    @Test(.shows("MDR-104", "MS7")) func `a repeated, a skipped and a swapped message are refused`() throws {
        let secret = Secret(copying: [UInt8](repeating: 3, count: 32))
        let transcript = SessionTranscript(engagement: [0xA0], readerKeyBytes: [0xA0])
        func cipher(_ side: SessionCipher.Side) throws -> SessionCipher {
            try SessionCipher(side: side, secret: secret, transcript: transcript)
        }
        var reader = try cipher(.reader)
        let (first, second) = (reader.seal([1]) ?? [], reader.seal([1]) ?? [])
        #expect(!first.isEmpty && first != second)
        var holder = try cipher(.holder)
        #expect(holder.open(first) == [1])
        var repeated = holder
        #expect(repeated.open(first) == nil)
        #expect(holder.open(second) == [1])
        var skipped = try cipher(.holder)
        #expect(skipped.open(second) == nil)
        // The holder's own direction is another key.
        var other = try cipher(.reader)
        #expect(other.open(first) == nil)
    }

    @Test(.shows("MDR-097", "MDR-098", "MDR-099", "MDR-100", "MDR-101", "MDR-102", "MDR-103", "MDR-104", "MDR-105"))
    func `each message of a side has its identifier and the next counter in its nonce, from one on`() throws {
        let secret = Secret(copying: [UInt8](repeating: 3, count: 32))
        let transcript = SessionTranscript(engagement: [0xA0], readerKeyBytes: [0xA0])
        for (side, label, last) in [(SessionCipher.Side.reader, "SKReader", UInt8(0)), (.holder, "SKDevice", 1)] {
            var cipher = try SessionCipher(side: side, secret: secret, transcript: transcript)
            let key = try HKDF.deriveSHA256(
                inputKey: secret, salt: transcript.salt, info: Array(label.utf8), count: 32)
            for counter in 1...300 {
                let nonce = [0, 0, 0, 0, 0, 0, 0, last, 0, 0, UInt8(counter >> 8), UInt8(counter & 0xFF)]
                let sealed = cipher.seal([7, UInt8(counter & 0xFF)]) ?? []
                #expect(sealed.count == 2 + 16)
                let opened = try AuthenticatedCipher.aesGCM.open(
                    sealed, key: key, nonce: nonce, additionalData: [])
                #expect(opened == [7, UInt8(counter & 0xFF)])
            }
        }
    }

    @Test(.shows("MDR-104"))
    func `the last counter is used once, and no message follows it`() {
        let secret = Secret(copying: [UInt8](repeating: 3, count: 32))
        var direction = SessionCipher.CipherDirection(key: secret, side: .holder, counter: .max - 1)
        let nonces = (0..<4).map { _ in direction.nextNonce() }
        let last = [0, 0, 0, 0, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF] as [UInt8]
        #expect(nonces == [last + [0xFE], last + [0xFF], nil, nil])
    }

    @Test(.shows("MDR-126"))
    func `the transcript of a session by QR code has the bytes of engagement and key as they came, and null`() {
        let transcript = SessionTranscript(engagement: [0xA1, 0x18, 0, 0], readerKeyBytes: [0xD8, 0x18, 0x41, 0xA0])
        #expect(
            transcript.bytes == [0x83, 0xD8, 0x18, 0x44, 0xA1, 0x18, 0, 0, 0xD8, 0x18, 0x41, 0xA0, 0xF6])
        #expect(transcript.salt == SHA256.hash([0xD8, 0x18, 0x4D] + transcript.bytes))
    }

    @Test(.shows("MDR-006", "MDR-007"))
    func `a message whose map has a name twice is refused, and one with unknown members taken`() throws {
        let more: [[CBORItem]] = [[.text("data"), .bytes([1])], [.text("org.example"), .int(1)]]
        #expect(try SessionData(CBORItem.ordered(more).encoded, limit: 100).data == [1])
        #expect(throws: MobileSessionError(.sessionMalformed, "")) {
            try SessionData(CBORItem.ordered([more[0], more[0]]).encoded, limit: 100)
        }
    }

    /// Table D.1: the statements of a document, by the answers to five questions.
    @Test(.shows("MDR-131")) func `an age is answered by the nearest statement that decides it`() {
        let statements: [Int: Bool] = [18: true, 21: true, 57: false, 60: false]
        let answers: [(asked: Int, expected: Int?)] = [
            (16, 18), (18, 18), (19, 21), (21, 21), (25, nil), (58, 57), (60, 60), (65, 60),
        ]
        for (asked, expected) in answers {
            #expect(AgeRule.answer(to: asked, from: statements) == expected, "\(asked)")
        }
        #expect(AgeRule.answer(to: 18, from: [:]) == nil)
        #expect(AgeRule.age(of: "age_over_18") == 18)
        #expect(AgeRule.age(of: "age_over_1") == nil && AgeRule.age(of: "age_over_100") == nil)
        #expect(AgeRule.identifier(of: 8) == "age_over_08")
    }
}
