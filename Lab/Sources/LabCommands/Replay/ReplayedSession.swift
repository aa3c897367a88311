import Bluetooth
import CryptoSuite
import Determinism
import Tuvali

/// Our side of a recording: a core whose radio and user are simulated.
///
/// Virtual time: each step of the peer takes a millisecond; deadlines pass when an answer is waited for.
protocol ReplayedSession {
    /// Our answers so far, in order.
    var answers: [ReplayedAnswer] { get }

    /// The outcome of the session: its payload and its end.
    var outcome: ReplayedOutcome { get }

    /// The time at which the core is woken next.
    var nextDeadline: MonotonicInstant? { get }

    /// Wakes the core.
    mutating func wake(at now: MonotonicInstant)

    /// The peer writes or notifies.
    mutating func receive(_ characteristic: TuvaliCharacteristic, _ value: [UInt8], at now: MonotonicInstant)

    /// The end of the recording: a peer that was asked to disconnect does so.
    mutating func conclude(at now: MonotonicInstant)
}

/// A value that our core wrote or notified.
struct ReplayedAnswer: Hashable, Sendable {
    let characteristic: TuvaliCharacteristic
    let value: [UInt8]
}

/// The outcome of a replayed session: its payload and its end.
struct ReplayedOutcome: Sendable {
    /// The payload, once it crossed: as it was received, or as it was sent when the verifier has reported success.
    var payload: [UInt8]?
    /// The end of the session; nil before it.
    var ending: SessionEnding?
}

/// A recorded wallet against our verifier.
struct VerifierReplay: ReplayedSession {
    private static let link = LinkID(1)

    private(set) var answers: [ReplayedAnswer] = []
    private(set) var outcome = ReplayedOutcome()
    private var session: VerifierSession
    private let accepts: Bool

    init(
        privateKey: [UInt8], name: String, accepts: Bool, profile: WireProfile, attMTU: Int
    ) throws(TuvaliError) {
        var configuration = VerifierConfiguration()
        configuration.profile = profile
        session = try VerifierSession(name: name, privateKey: Secret(copying: privateKey), configuration: configuration)
        self.accepts = accepts
        feed(.start, at: .zero)
        feed(.connected(Self.link), at: .zero)
        feed(.mtu(Self.link, attMTU), at: .zero)
    }

    var nextDeadline: MonotonicInstant? { session.nextDeadline }

    mutating func wake(at now: MonotonicInstant) { feed(.tick, at: now) }

    mutating func receive(_ characteristic: TuvaliCharacteristic, _ value: [UInt8], at now: MonotonicInstant) {
        feed(.written(Self.link, characteristic, value), at: now)
    }

    mutating func conclude(at now: MonotonicInstant) {
        if answers.last?.characteristic == .disconnect { feed(.disconnected(Self.link, .peer), at: now) }
    }

    private mutating func feed(_ input: VerifierSession.Input, at now: MonotonicInstant) {
        var outputs = session.handle(input, at: now)
        while !outputs.isEmpty {
            let output = outputs.removeFirst()
            switch output {
            case .notify(_, let uuid, let value):
                guard let characteristic = TuvaliCharacteristic(uuid) else { continue }
                answers.append(ReplayedAnswer(characteristic: characteristic, value: value))
            case .disconnect(let link): outputs += session.handle(.disconnected(link, .local), at: now)
            case .event(.received(let payload, _)):
                outcome.payload = payload
                try? session.decide(accepts ? .accepted : .rejected, at: now, into: &outputs)
            case .finished(let ending): outcome.ending = ending
            case .startAdvertising, .stopAdvertising, .answerRead, .event: break
            }
        }
    }
}

/// A recorded verifier against our wallet.
struct WalletReplay: ReplayedSession {
    private(set) var answers: [ReplayedAnswer] = []
    private(set) var outcome = ReplayedOutcome()
    private var session: WalletSession
    private let payload: [UInt8]
    private let profile: WireProfile
    private let attMTU: Int

    init(
        privateKey: [UInt8], nonce: [UInt8], uri: TuvaliURI, payload: [UInt8], profile: WireProfile, attMTU: Int
    ) throws(TuvaliError) {
        var configuration = WalletConfiguration()
        configuration.profiles = [profile]
        configuration.preferredMTU = nil
        session = try WalletSession(
            uri: uri, privateKey: Secret(copying: privateKey), nonce: nonce, configuration: configuration)
        self.payload = payload
        self.profile = profile
        self.attMTU = attMTU
        feed(.start, at: .zero)
        let advertisement = TuvaliAdvertisement(uri: uri, profile: profile)
        feed(.heard(.init(address: .replayed, kind: .connectable, rssi: nil, data: advertisement.data)), at: .zero)
        feed(
            .heard(.init(address: .replayed, kind: .scanResponse, rssi: nil, data: advertisement.scanResponse)),
            at: .zero)
    }

    var nextDeadline: MonotonicInstant? { session.nextDeadline }

    mutating func wake(at now: MonotonicInstant) { feed(.tick, at: now) }

    mutating func receive(_ characteristic: TuvaliCharacteristic, _ value: [UInt8], at now: MonotonicInstant) {
        feed(.received(characteristic, value), at: now)
    }

    // Our wallet has disconnected at the end of its session.
    mutating func conclude(at now: MonotonicInstant) {}

    private mutating func feed(_ input: WalletSession.Input, at now: MonotonicInstant) {
        var inputs = [input]
        while !inputs.isEmpty {
            var outputs = session.handle(inputs.removeFirst(), at: now)
            while !outputs.isEmpty {
                let output = outputs.removeFirst()
                if let reply = play(output, at: now, &outputs) { inputs.append(reply) }
            }
        }
    }

    /// Carries out the outputs as radio and user would, and returns the next inputs.
    private mutating func play(
        _ output: WalletSession.Output, at now: MonotonicInstant, _ outputs: inout [WalletSession.Output]
    ) -> WalletSession.Input? {
        switch output {
        case .connect: return .connected
        case .exchangeMTU: return .mtu(attMTU)
        case .discover: return .discovered(TuvaliCharacteristic.allCases.map(profile.uuid))
        case .subscribe: return .subscribed(failed: [])
        case .write(let characteristic, _, let value, _):
            answers.append(ReplayedAnswer(characteristic: characteristic, value: value))
            return .written(characteristic)
        // Recordings know no request.
        case .read(let characteristic, _): return .readFailed(characteristic)
        case .disconnect: return .disconnected(.local)
        case .event(.secureChannelEstablished):
            do {
                try session.send(payload, at: now, into: &outputs)
            } catch {
                outcome.ending = .failed(error)
            }
        case .event(.sent): outcome.payload = payload
        case .finished(let ending): outcome.ending = outcome.ending ?? ending
        case .startScanning, .stopScanning, .event: break
        }
        return nil
    }
}

extension DeviceAddress {
    /// The side that was recorded.
    fileprivate static let replayed = DeviceAddress(staticRandom: 0x5245_504C_4159)
}
