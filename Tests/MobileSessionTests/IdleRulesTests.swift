import Bluetooth
import CBOR
import COSE
import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import MobileSession

/// The waits of both sides while a message moves slowly, or no longer.
@Suite struct IdleRulesTests {
    private static let uuid = BluetoothUUID(high: 7, low: 8)
    private static let link = LinkID(7)

    /// Returns a holder at MTU 23 whose client has begun, and the parts of the reader's first message.
    private static func holder() throws -> (holder: HolderSession, parts: [[UInt8]]) {
        var random = SeededRandom(seed: 1)
        var holder = try HolderSession(
            key: .ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random)), bluetooth: .init(peripheralServer: uuid))
        let key = AgreementKey.ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
        let keyBytes = CBORItem.embedded(try key.publicKey().item).encoded
        let transcript = SessionTranscript(engagement: holder.engagement.bytes, readerKeyBytes: keyBytes)
        var cipher = try SessionCipher(
            side: .reader, secret: try key.sharedSecret(with: holder.engagement.key), transcript: transcript)
        let request = try SessionPair.request.encoded(transcript: transcript)
        let message = SessionEstablishment.encoded(readerKeyBytes: keyBytes, data: cipher.seal(request) ?? [])
        var splitter = PartSplitter(message)
        var parts: [[UInt8]] = []
        while let part = splitter.next(mtu: 23) { parts.append(part) }
        _ = holder.handle(.start, at: .zero)
        for input in [
            MobileLinkInput.centralConnected(link), .centralSubscribed(link, .state, isSubscribed: true),
            .centralSubscribed(link, .serverToClient, isSubscribed: true), .centralWrote(link, .state, [1]),
        ] { _ = holder.handle(.link(input), at: .zero) }
        return (holder, parts)
    }

    private static func isEnding(_ outputs: [MobileSessionOutput]) -> Bool {
        outputs.contains { if case .link(.notify(_, .state, [2])) = $0 { true } else { false } }
            || outputs.contains { if case .finished = $0 { true } else { false } }
    }

    @Test(.shows("MDR-024"))
    func `a request that comes slowly is taken, and one that stalls ends the holder's session after 60 s`() throws {
        var (holder, parts) = try Self.holder()
        var now = MonotonicInstant.zero
        for part in parts.dropLast() {
            now = now + .seconds(59)
            _ = holder.handle(.tick, at: now)
            _ = holder.handle(.link(.centralWrote(Self.link, .clientToServer, part)), at: now)
            #expect(holder.nextDeadline == now + HolderSession.readerWait)
        }
        let asked = holder.handle(.link(.centralWrote(Self.link, .clientToServer, parts[parts.count - 1])), at: now)
        #expect(asked.contains { if case .event(.requested) = $0 { true } else { false } })
        var (other, _) = try Self.holder()
        _ = other.handle(.link(.centralWrote(Self.link, .clientToServer, parts[0])), at: .zero)
        #expect(other.handle(.tick, at: .zero + .milliseconds(59_999)).isEmpty)
        #expect(!other.handle(.tick, at: .zero + .seconds(60)).isEmpty)
    }

    @Test func `an answer that leaves slowly is not cut, and one that stalls ends after 300 s`() throws {
        var (holder, parts) = try Self.holder()
        for part in parts { _ = holder.handle(.link(.centralWrote(Self.link, .clientToServer, part)), at: .zero) }
        var now = MonotonicInstant.zero + .seconds(10)
        _ = holder.handle(.answer([UInt8](repeating: 1, count: 200)), at: now)
        for _ in 0..<5 {
            now = now + .seconds(299)
            #expect(!Self.isEnding(holder.handle(.tick, at: now)))
            let next = holder.handle(.link(.notified(Self.link)), at: now)
            #expect(next.contains { if case .link(.notify(_, .serverToClient, _)) = $0 { true } else { false } })
            #expect(holder.nextDeadline == now + HolderSession.decisionWait)
        }
        #expect(holder.handle(.tick, at: now + .milliseconds(299_999)).isEmpty)
        _ = holder.handle(.tick, at: now + .seconds(300))
        #expect(
            holder.handle(.tick, at: now + .seconds(303)).contains { output in
                if case .finished(.failed(let error)) = output { error.code == .idleTimeout } else { false }
            })
    }

    @Test
    func `a request that leaves slowly is not cut, and an answer that stalls ends the reader's session after 300 s`()
        throws
    {
        var random = SeededRandom(seed: 1)
        let engagement = DeviceEngagement(
            key: .ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random).publicKey),
            bluetooth: .init(centralClient: Self.uuid))
        var reader = try ReaderSession(engagement, modes: [.centralClient], random: &random) {
            (_) throws(MobileSessionError) in [UInt8](repeating: 1, count: 200)
        }
        var now = MonotonicInstant.zero
        _ = reader.handle(.start, at: now)
        for input in [
            MobileLinkInput.centralConnected(Self.link), .centralSubscribed(Self.link, .state, isSubscribed: true),
            .centralSubscribed(Self.link, .serverToClient, isSubscribed: true), .centralWrote(Self.link, .state, [1]),
        ] { _ = reader.handle(.link(input), at: now) }
        var isAsked = false
        var values = 0
        while !isAsked, values < 100 {
            now = now + .seconds(299)
            #expect(!Self.isEnding(reader.handle(.tick, at: now)))
            let outputs = reader.handle(.link(.notified(Self.link)), at: now)
            isAsked = outputs.contains { if case .event(.asked) = $0 { true } else { false } }
            values += 1
            #expect(reader.nextDeadline == now + ReaderSession.decisionWait)
        }
        #expect(values > 10 && isAsked)
        now = now + .seconds(299)
        _ = reader.handle(.link(.centralWrote(Self.link, .clientToServer, [1, 0xA1])), at: now)
        #expect(reader.handle(.tick, at: now + .milliseconds(299_999)).isEmpty)
        #expect(!reader.handle(.tick, at: now + .seconds(300)).isEmpty)
    }
}
