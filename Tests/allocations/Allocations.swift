// Counts what a chunk costs in blocks of memory, sending and receiving, and fails above the thresholds.
//
// Seconds differ between machines, allocations do not: this is what continuous integration holds on to.

import AllocationCounter
import Bluetooth
import CryptoSuite
import Determinism
import TransferSimulation
import Tuvali

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// One hand-over between two cores with nothing in between, cut where the counter is read.
struct Pipeline {
    let now = MonotonicInstant.zero
    let link = VerifierSession.Link(1)
    var wallet: WalletSession
    var verifier: VerifierSession
    var walletOutputs: [WalletSession.Output] = []
    var verifierOutputs: [VerifierSession.Output] = []

    init() throws {
        var random = SeededRandom(seed: 1)
        verifier = try VerifierSession(name: "Count", random: &random)
        wallet = try WalletSession(uri: verifier.uri, random: &random)
    }

    /// Brings both sides to the point where a payload may be sent.
    mutating func establish() {
        let profile = WireProfile.tuvali05
        let advertisement = TuvaliAdvertisement(uri: verifier.uri, profile: profile)
        verifier.handle(.start, at: now, into: &verifierOutputs)
        verifier.handle(.connected(link), at: now, into: &verifierOutputs)
        verifier.handle(.mtu(link, 512), at: now, into: &verifierOutputs)
        let heard = [advertisement.data, advertisement.scanResponse].map { data in
            WalletSession.Input.heard(
                AdvertisementReport(address: DeviceAddress(staticRandom: 1), kind: .connectable, rssi: nil, data: data))
        }
        let found = WalletSession.Input.discovered(TuvaliCharacteristic.allCases.map(profile.uuid(of:)))
        for input in [.start] + heard + [.connected, .mtu(512), found, .subscribed] {
            wallet.handle(input, at: now, into: &walletOutputs)
        }
        for case .write(.identify, _, let value, _) in walletOutputs {
            verifier.handle(.written(link, .identify, value), at: now, into: &verifierOutputs)
        }
        wallet.handle(.written(.identify), at: now, into: &walletOutputs)
    }

    /// Seals and cuts `payload`; returns what was written, one report request at the end.
    mutating func send(_ payload: [UInt8], into writes: inout [(TuvaliCharacteristic, [UInt8])]) throws {
        walletOutputs.removeAll(keepingCapacity: true)
        try wallet.send(payload, at: now, into: &walletOutputs)
        while true {
            guard let next = firstWrite(in: walletOutputs) else { return }
            writes.append(next)
            if next.0 == .reportRequest { return }
            walletOutputs.removeAll(keepingCapacity: true)
            wallet.handle(.written(next.0), at: now, into: &walletOutputs)
        }
    }

    /// Puts `writes` together and opens them; returns the payload.
    mutating func receive(_ writes: [(TuvaliCharacteristic, [UInt8])]) -> [UInt8]? {
        for (characteristic, value) in writes {
            verifierOutputs.removeAll(keepingCapacity: true)
            verifier.handle(.written(link, characteristic, value), at: now, into: &verifierOutputs)
        }
        for case .note(.received(let payload, _)) in verifierOutputs { return payload }
        return nil
    }

    private func firstWrite(in outputs: [WalletSession.Output]) -> (TuvaliCharacteristic, [UInt8])? {
        for case .write(let characteristic, _, let value, _) in outputs { return (characteristic, value) }
        return nil
    }
}

@main
struct Allocations {
    /// Blocks for each chunk, as the requirements have it.
    static let threshold = 2.0

    static func main() throws {
        var isWithin = true
        // The first run also pays for what libraries set up once in a process; it is not told.
        for (bytes, isTold) in [(2000, false), (60_000, true), (550_000, true)] {
            let payload = BenchmarkCredential.make(count: bytes, seed: 1)
            var pipeline = try Pipeline()
            pipeline.establish()
            var writes: [(TuvaliCharacteristic, [UInt8])] = []
            writes.reserveCapacity(4096)

            let start = allocation_count()
            try pipeline.send(payload, into: &writes)
            let sent = allocation_count()
            let received = pipeline.receive(writes)
            let end = allocation_count()

            guard received == payload else { fatalError("the payload did not arrive") }
            guard isTold else { continue }
            let chunks = writes.count { $0.0 == .submitResponse }
            isWithin = tell("seal+chunk", bytes, chunks, sent - start) && isWithin
            isWithin = tell("assemble+open", bytes, chunks, end - sent) && isWithin
        }
        if !isWithin { exit(1) }
    }

    private static func tell(_ operation: String, _ bytes: Int, _ chunks: Int, _ allocations: UInt64) -> Bool {
        let each = Double(allocations) / Double(chunks)
        print(
            """
            {"schema":"symbolon.allocations","version":1,"operation":"\(operation)","payloadBytes":\(bytes),\
            "chunks":\(chunks),"allocations":\(allocations),"perChunk":\(each),"threshold":\(threshold)}
            """)
        return each <= threshold
    }
}
