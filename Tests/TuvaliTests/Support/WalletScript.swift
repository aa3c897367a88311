import Bluetooth
import CryptoSuite
import Determinism
import Testing

@testable import Tuvali

/// A wallet under test, its clock, and all that it said.
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

    /// Feeds one input and returns what the wallet answers.
    @discardableResult
    mutating func put(_ input: WalletSession.Input) -> [WalletSession.Output] {
        let outputs = session.handle(input, at: now)
        said += outputs
        return outputs
    }

    /// Moves the clock and ticks.
    @discardableResult
    mutating func pass(_ duration: Duration) -> [WalletSession.Output] {
        now = now + duration
        return put(.tick)
    }

    /// Lets the clock jump to the next deadline and ticks.
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

    /// Hears the verifier, whole.
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

    /// Goes from the start to the question of what to send.
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

    /// Sends `payload`, answers every write, and returns the chunks; the report is then owed.
    mutating func goToReport(_ payload: [UInt8], mtu: Int = 512) throws -> [[UInt8]] {
        goToReady(mtu: mtu)
        _ = try send(payload)
        return drainChunks(from: put(.written(.responseSize)))
    }

    /// Answers every chunk in `outputs` and what follows, until the report request has been written.
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
    /// The writes, in order.
    var writes: [(TuvaliCharacteristic, [UInt8])] {
        compactMap {
            if case .write(let characteristic, _, let value, _) = $0 { (characteristic, value) } else { nil }
        }
    }

    /// The events, in order.
    var events: [WalletEvent] {
        compactMap { if case .event(let event) = $0 { event } else { nil } }
    }

    /// The endings; a session that is over has one.
    var endings: [SessionEnding] {
        compactMap { if case .finished(let ending) = $0 { ending } else { nil } }
    }
}
