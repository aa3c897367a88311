import Air
import Bluetooth
import ByteCoding
import CryptoSuite
import Determinism
import StockPeers

enum Samples {
    static func bytes(_ text: String) -> [UInt8] { Hex.decode(text) ?? [] }

    static func key(_ text: String) -> Secret { Secret(copying: bytes(text)) }

    /// Bytes that do not shrink.
    static func noise(_ count: Int, seed: UInt64 = 4) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        return random.bytes(count: count)
    }

    /// The payload of the recorded sessions.
    static let recordedPayload = Array(String(repeating: #"{"k":"v1"}"#, count: 3).utf8)

    static let wallets: [StockRun.Wallet] =
        StockGeneration.allCases.flatMap { generation in
            StockAndroidWallet.MTUBehaviour.allCases.map { StockRun.Wallet.android(generation, $0) }
        } + [.iOS(systemMTU: 517), .iOS(systemMTU: 185)]

    static let links = LinkParameters.named.map(\.name)

    static func conditions(_ link: String, dropShare: Double = 0, lossShare: Double = 0) -> DeviceRadioConditions {
        DeviceRadioConditions(
            link: LinkParameters.named.first { $0.name == link }?.parameters, writeCommandDropShare: dropShare,
            packetLossShare: lossShare)
    }
}

/// One stock model without an air: what it receives, and what it then writes.
struct Bench<Host: SimulatedHost> {
    static var link: LinkID { LinkID(1) }

    var host: Host
    var now = MonotonicInstant.zero
    private(set) var pdus: [ATTPDU] = []
    private(set) var commands: [AirCommand] = []

    init(_ host: Host) {
        self.host = host
        var commands: [AirCommand] = []
        self.host.start(as: DeviceAddress(staticRandom: 1), at: now, into: &commands)
        take(commands)
    }

    mutating func connect() {
        tell(
            .connected(
                Self.link, peer: DeviceAddress(staticRandom: 2), isCentral: false,
                LinkParameters(phy: .le2M, intervalMicroseconds: 15_000), queueCapacity: 1000))
    }

    /// Tells the host something and lets it do what is due within a millisecond.
    mutating func tell(_ event: AirEvent) {
        var commands: [AirCommand] = []
        host.handle(event, at: now, into: &commands)
        take(commands)
        pass(.milliseconds(1))
    }

    mutating func receive(_ pdu: ATTPDU) {
        tell(.received(Self.link, frame: L2CAPFrame(payload: pdu.bytes).bytes))
    }

    mutating func pass(_ duration: Duration) {
        let end = now + duration
        while let deadline = host.nextDeadline, deadline <= end {
            now = max(now, deadline)
            var commands: [AirCommand] = []
            host.wake(at: now, into: &commands)
            take(commands)
        }
        now = end
    }

    private mutating func take(_ new: [AirCommand]) {
        commands += new
        for case .send(_, let frame) in new {
            if let payload = try? L2CAPFrame(frame).payload, let pdu = try? ATTPDU(payload) { pdus.append(pdu) }
        }
    }
}

/// A wallet that writes what a test wants to a stock verifier.
struct VerifierBench {
    var bench: Bench<StockVerifier>
    let setup: StockVerifierSetup

    init(_ setup: StockVerifierSetup, mtu: UInt16? = 512) {
        self.setup = setup
        bench = Bench(StockVerifier(setup))
        bench.connect()
        if let mtu { bench.receive(.exchangeMTURequest(mtu: mtu)) }
    }

    var journal: StockEventLog { bench.host.journal }

    /// The handle of a characteristic's value: three characteristics' worth of generic services come first.
    private func handle(_ characteristic: StockCharacteristic) -> UInt16 {
        // Generic Access (5 attributes), Generic Attribute (1), the declaration of the service, then pairs.
        UInt16(5 + 1 + 1 + 2 * characteristic.rawValue + 2)
    }

    mutating func write(_ characteristic: StockCharacteristic, _ value: [UInt8]) {
        bench.receive(.writeCommand(handle: handle(characteristic), value: value))
    }

    /// Returns the values that the verifier pushed on a characteristic.
    func pushed(_ characteristic: StockCharacteristic) -> [[UInt8]] {
        bench.pdus.compactMap { pdu in
            if case .handleValueNotification(handle(characteristic), let value) = pdu { value } else { nil }
        }
    }

    /// Identifies itself with the keys of RFC 7748.
    mutating func identify() {
        write(
            .identify,
            Samples.bytes(
                "000102030405060708090a0bde9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"))
    }
}
