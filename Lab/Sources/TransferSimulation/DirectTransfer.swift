import Bluetooth
import Determinism
public import Tuvali

/// Both cores of one hand-over with nothing in between, cut where measurements begin and end.
public struct DirectTransfer: Sendable {
    /// One write of the wallet.
    public typealias Write = (characteristic: TuvaliCharacteristic, value: [UInt8])

    private let now = MonotonicInstant.zero
    private let link = LinkID(1)
    private var wallet: WalletSession
    private var verifier: VerifierSession
    private var walletOutputs: [WalletSession.Output] = []
    private var verifierOutputs: [VerifierSession.Output] = []

    /// Makes both sides and brings them to the point where a payload may be sent, over an ATT MTU of 512.
    ///
    /// - Throws: what the sessions throw when they cannot be made, which with random keys does not happen.
    public init(seed: UInt64) throws(TuvaliError) {
        var random = SeededRandom(seed: seed)
        verifier = try VerifierSession(name: "Measured", random: &random)
        wallet = try WalletSession(uri: verifier.uri, random: &random)
        establish()
    }

    /// Seals and cuts `payload`; returns the writes, the report request last.
    ///
    /// - Throws: what `WalletSession.send` throws.
    public mutating func send(_ payload: [UInt8]) throws(TuvaliError) -> [Write] {
        var writes: [Write] = []
        writes.reserveCapacity(payload.count / 256 + 8)
        walletOutputs.removeAll(keepingCapacity: true)
        try wallet.send(payload, at: now, into: &walletOutputs)
        while let write = firstWrite {
            writes.append(write)
            if write.characteristic == .reportRequest { break }
            walletOutputs.removeAll(keepingCapacity: true)
            wallet.handle(.written(write.characteristic), at: now, into: &walletOutputs)
        }
        return writes
    }

    /// Puts `writes` together and opens them; returns the payload, nil when none was delivered.
    public mutating func receive(_ writes: [Write]) -> [UInt8]? {
        for write in writes {
            verifierOutputs.removeAll(keepingCapacity: true)
            verifier.handle(.written(link, write.characteristic, write.value), at: now, into: &verifierOutputs)
        }
        for case .event(.received(let payload, _)) in verifierOutputs { return payload }
        return nil
    }

    private mutating func establish() {
        let profile = WireProfile.tuvali05
        let advertisement = TuvaliAdvertisement(uri: verifier.uri, profile: profile)
        for input in [.start, .connected(link), .mtu(link, 512)] as [VerifierSession.Input] {
            verifier.handle(input, at: now, into: &verifierOutputs)
        }
        let heard = [advertisement.data, advertisement.scanResponse].map { data in
            WalletSession.Input.heard(
                AdvertisementReport(
                    address: DeviceAddress(staticRandom: 1), kind: .connectable, rssi: nil, data: data))
        }
        let found = WalletSession.Input.discovered(TuvaliCharacteristic.allCases.map(profile.uuid(of:)))
        for input in [.start] + heard + [.connected, .mtu(512), found, .subscribed(failed: [])] {
            wallet.handle(input, at: now, into: &walletOutputs)
        }
        for case .write(.identify, _, let value, _) in walletOutputs {
            verifier.handle(.written(link, .identify, value), at: now, into: &verifierOutputs)
        }
        wallet.handle(.written(.identify), at: now, into: &walletOutputs)
    }

    private var firstWrite: Write? {
        for case .write(let characteristic, _, let value, _) in walletOutputs { return (characteristic, value) }
        return nil
    }
}
