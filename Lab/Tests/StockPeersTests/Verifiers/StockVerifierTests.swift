import Air
import Bluetooth
import Testing

@testable import StockPeers

/// Tests of the deployed verifier with values that it should not be sent.
@Suite struct StockVerifierTests {
    static let setup = StockVerifierSetup(privateKey: Samples.key(StockVectorTests.alice))

    static func identified(mtu: UInt16? = 512) -> VerifierBench {
        var verifier = VerifierBench(setup, mtu: mtu)
        verifier.identify()
        return verifier
    }

    static func chunk(_ sequence: Int, _ payload: [UInt8]) -> [UInt8] {
        StockChunker.bigEndian(sequence) + StockChunker.bigEndian(Int(StockChunker.checkValue(of: payload[...])))
            + payload
    }

    @Test func `a stock verifier ignores an Identify of 43 bytes and cuts one of 45`() {
        var verifier = VerifierBench(Self.setup)
        verifier.write(.identify, [UInt8](repeating: 9, count: 43))
        #expect(verifier.journal.events == [.connected])
        verifier.write(.identify, [UInt8](repeating: 9, count: 45))
        #expect(verifier.journal.events == [.connected, .secureChannelEstablished])
    }

    @Test func `a wallet key of low order is an error at a stock verifier, which asks the wallet to disconnect`() {
        var verifier = VerifierBench(Self.setup)
        verifier.write(.identify, [UInt8](repeating: 0, count: 44))
        verifier.bench.pass(.milliseconds(60))
        #expect(verifier.journal.events == [.connected, .error(.verifierPeripheral), .disconnected])
        #expect(verifier.pushed(.disconnect) == [[1]])
    }

    @Test(
        arguments: [
            ([0, 0, 1], .verifierPeripheral, nil), ([0, 0, 0, 0], nil, "a report was asked for before a size"),
            ([0x80, 0, 0, 0], nil, "an array cannot have -2147483648 bytes"),
            ([0x7F, 0xFF, 0xFF, 0xFF], nil, "no memory for 2147483647 bytes"),
        ] as [([UInt8], StockErrorCode?, String?)])
    func `an impossible size fails late or early at a stock verifier, or crashes it`(
        size: [UInt8], code: StockErrorCode?, crash: String?
    ) {
        var verifier = Self.identified()
        verifier.write(.responseSize, size)
        verifier.write(.reportRequest, [1])
        #expect(verifier.journal.errors == [code].compactMap { $0 })
        #expect(verifier.journal.crash == crash)
    }

    @Test func `a stock verifier drops chunks before the size, and short, long or corrupt ones`() {
        var verifier = Self.identified()
        verifier.write(.submitResponse, Self.chunk(1, [1, 2, 3]))
        verifier.write(.responseSize, [0, 0, 4, 0])
        verifier.write(.submitResponse, [0, 1, 0])
        verifier.write(.submitResponse, [0, 1, 0, 0, 1])
        verifier.write(.submitResponse, Self.chunk(1, [UInt8](repeating: 1, count: 506)))
        #expect(verifier.journal.errors == [])
        verifier.write(.reportRequest, [1])
        #expect(verifier.journal.errors == [.tooManyFailures])
    }

    @Test(arguments: [0, 4, 0x8000, 0xFFFF])
    func `a sequence number out of range is a transfer error at a stock verifier`(sequence: Int) {
        var verifier = Self.identified()
        verifier.write(.responseSize, [0, 0, 4, 0])
        verifier.write(.submitResponse, Self.chunk(sequence, [1]))
        #expect(verifier.journal.errors == [.verifierTransfer])
    }

    @Test func `a last chunk of the wrong length is a transfer error at a stock verifier`() {
        for (count, errors) in [(14, []), (15, [StockErrorCode.verifierTransfer])] {
            var verifier = Self.identified()
            verifier.write(.responseSize, [0, 0, 4, 0])
            verifier.write(.submitResponse, Self.chunk(3, [UInt8](repeating: 1, count: count)))
            #expect(verifier.journal.errors == errors)
        }
    }

    @Test func `more than 70 per cent missing is an error at a stock verifier and exactly 70 a report`() {
        for (present, errors) in [(3, []), (2, [StockErrorCode.tooManyFailures])] {
            var verifier = Self.identified()
            verifier.write(.responseSize, StockChunker.bigEndian(0) + StockChunker.bigEndian(5050))
            for sequence in 1...present { verifier.write(.submitResponse, Self.chunk(sequence, [1])) }
            verifier.write(.reportRequest, [1])
            #expect(verifier.journal.errors == errors)
            #expect(verifier.pushed(.reportResponse).count == (errors.isEmpty ? 1 : 0))
        }
    }

    @Test func `a stock verifier reports success before it finds the payload invalid`() {
        var verifier = Self.identified()
        verifier.write(.responseSize, [0, 0, 0, 20])
        verifier.write(.submitResponse, Self.chunk(1, [UInt8](repeating: 1, count: 20)))
        verifier.write(.reportRequest, [1])
        #expect(verifier.pushed(.reportResponse) == [[1, 0, 0]])
        #expect(verifier.pushed(.disconnect) == [[1]])
        #expect(verifier.journal.errors == [.verifierTransfer])
    }

    @Test func `a second Identify replaces the keys of a stock verifier, and each report request delivers again`()
        throws
    {
        var verifier = Self.identified()
        let recording = StockVectorTests.recordings[0]
        verifier = VerifierBench(StockVerifierSetup(privateKey: Samples.key(recording.verifierKey)))
        verifier.identify()
        verifier.write(.identify, Samples.bytes(recording.identify))
        verifier.write(.responseSize, [0, 0, 0, 0x31])
        verifier.write(.submitResponse, Samples.bytes(recording.chunk))
        verifier.write(.reportRequest, [1])
        verifier.write(.reportRequest, [1])
        #expect(verifier.journal.payloads == [Samples.recordedPayload, Samples.recordedPayload])
        verifier.write(.reportRequest, [2])
        verifier.write(.reportRequest, [])
        #expect(verifier.journal.payloads.count == 2)
    }

    @Test func `without an MTU exchange a stock verifier's chunk has at most 20 bytes`() {
        var verifier = VerifierBench(Self.setup, mtu: nil)
        verifier.bench.receive(.writeCommand(handle: 9, value: []))
        #expect(verifier.bench.host.writeBytes == 20)
    }

    @Test func `a stock verifier accepts an MTU of 67 and ends the session at 66`() {
        #expect(Self.identified(mtu: 67).journal.errors == [])
        #expect(VerifierBench(Self.setup, mtu: 66).journal.errors == [.unsupportedMTU])
    }

    @Test func `a stock verifier removes its service 55 milliseconds after an error and keeps the link`() {
        var verifier = VerifierBench(Self.setup, mtu: 66)
        verifier.bench.pass(.milliseconds(54))
        #expect(verifier.journal.events.last == .error(.unsupportedMTU))
        verifier.bench.pass(.milliseconds(1))
        #expect(verifier.journal.events.last == .disconnected)
        #expect(!verifier.bench.commands.contains(.disconnect(Bench<StockVerifier>.link)))
    }
}
