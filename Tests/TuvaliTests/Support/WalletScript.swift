import Bluetooth
import CryptoSuite
import Determinism
import Testing

@testable import Tuvali

/// A wallet session under test, with its clock and all its outputs.
struct WalletScript {
    var session: WalletSession
    var now = Samples.start
    private(set) var said: [WalletSession.Output] = []

    init(
        uri: TuvaliURI? = nil, profile: WireProfile? = nil, configure: (inout WalletConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = WalletConfiguration()
        configuration.preferredMTU = nil
        if let profile { configuration.profiles = [profile] }
        configure(&configuration)
        session = try WalletSession(
            uri: uri ?? Samples.uri(), privateKey: Secret(copying: Samples.walletPrivateKey), nonce: Samples.nonce,
            configuration: configuration)
    }

    /// Gives the wallet one input and returns its outputs.
    @discardableResult
    mutating func put(_ input: WalletSession.Input) -> [WalletSession.Output] {
        let outputs = session.handle(input, at: now)
        said += outputs
        return outputs
    }

    /// Advances the clock by a duration and sends a tick.
    @discardableResult
    mutating func pass(_ duration: Duration) -> [WalletSession.Output] {
        now = now + duration
        return put(.tick)
    }

    /// Advances the clock to the wallet's next deadline and sends a tick.
    @discardableResult
    mutating func passToDeadline() -> [WalletSession.Output] {
        if let deadline = session.nextDeadline { now = max(now, deadline) }
        return put(.tick)
    }

    mutating func send(_ payload: [UInt8]) throws -> [WalletSession.Output] {
        var outputs: [WalletSession.Output] = []
        try session.send(payload, at: now, into: &outputs)
        said += outputs
        return outputs
    }

    /// Gives the wallet the verifier's advertisement and scan response.
    @discardableResult
    mutating func hear(_ profile: WireProfile = .tuvali05, from address: DeviceAddress = Samples.address)
        -> [WalletSession.Output]
    {
        let advertisement = TuvaliAdvertisement(uri: session.uri, profile: profile)
        put(.heard(AdvertisementReport(address: address, kind: .connectable, rssi: -40, data: advertisement.data)))
        return put(
            .heard(
                AdvertisementReport(address: address, kind: .scanResponse, rssi: -40, data: advertisement.scanResponse))
        )
    }

    /// Drives the wallet from the start to the point where it is ready to send.
    mutating func goToReady(mtu: Int = 512, profile: WireProfile = .tuvali05) {
        put(.start)
        hear(profile)
        if session.stage == .scanning { passToDeadline() }
        put(.connected)
        put(.mtu(mtu))
        put(.discovered(TuvaliCharacteristic.allCases.map(profile.uuid(of:))))
        put(.subscribed(failed: []))
        put(.written(.identify))
    }

    /// Sends `payload`, acknowledges every write, and returns the chunks; the verifier's report comes next.
    mutating func goToReport(_ payload: [UInt8], mtu: Int = 512) throws -> [[UInt8]] {
        goToReady(mtu: mtu)
        _ = try send(payload)
        return drainChunks(from: put(.written(.responseSize)))
    }

    /// Acknowledges every chunk in `outputs` and those that follow, until the report request has been written.
    mutating func drainChunks(from outputs: [WalletSession.Output]) -> [[UInt8]] {
        var chunks: [[UInt8]] = []
        var pending = outputs
        while let write = pending.writes.first {
            if write.0 == .reportRequest {
                put(.written(.reportRequest))
                break
            }
            chunks.append(write.1)
            pending = put(.written(write.0))
        }
        return chunks
    }
}

extension [WalletSession.Output] {
    /// The values that the wallet writes, in order.
    var writes: [(TuvaliCharacteristic, [UInt8])] {
        compactMap {
            if case .write(let characteristic, _, let value, _) = $0 { (characteristic, value) } else { nil }
        }
    }

    /// The events that the wallet reports, in order.
    var events: [WalletEvent] {
        compactMap { if case .event(let event) = $0 { event } else { nil } }
    }

    /// The ends of the session: one for a session that is over, else none.
    var endings: [SessionEnding] {
        compactMap { if case .finished(let ending) = $0 { ending } else { nil } }
    }
}
