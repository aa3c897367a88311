import CommandProgram
import Determinism
import Herald
import ProximitySimulation
import Terminal

/// Writes the events, estimated distances and true positions of a crowd as a log for `prox report`.
final class CrowdLogWriter: Sendable {
    private struct GuardedState {
        /// The error after which nothing more is written.
        var failure: CommandError?
        /// The distance trackers, one per device, in the order of their numbers.
        var distances: [DistanceTracker]
        /// The device behind each target name, for each device.
        var peers: [[TargetID: Int]]
        /// The second of the run at which windows are ended next, as in `prox run`.
        var nextSecond = 0
    }

    private let writer: ProximityLogWriter
    private let signals: [SignalCharacteristicKind]
    private let state: Lock<GuardedState>

    /// Begins a log in `folder`.
    ///
    /// - Throws: `output.not-writable`.
    init(folder: String, _ scenario: CrowdScenario, seed: UInt64) throws(CommandError) {
        writer = try ProximityLogWriter(
            folder: folder,
            run: ProximityRun(
                scenario: scenario.name, start: WallTime(millisecondsSinceEpoch: 1_767_225_600_000),
                durationMilliseconds: nil, seed: seed, isSimulated: true,
                devices: scenario.members.enumerated().map { index, member in
                    ProximityRun.LoggedDevice(
                        id: Self.id(index), name: member.phone.kind.rawValue,
                        system: Self.isApple(member) ? "ios" : "android", model: nil)
                }), isZipped: true)
        signals = scenario.members.map { Self.isApple($0) ? .nonCompliant : .compliant }
        state = Lock(
            GuardedState(
                distances: scenario.members.map {
                    DistanceTracker(own: Self.isApple($0) ? .iOS : .android, model: .simulatedAir)
                },
                peers: scenario.members.map { _ in [:] }))
    }

    private static func isApple(_ member: CrowdScenario.Member) -> Bool {
        member.phone.kind.isIPhone
    }

    private static func id(_ device: Int) -> String { "d\(device)" }

    private static func milliseconds(_ instant: MonotonicInstant) -> Int { Int(instant.nanoseconds / 1_000_000) }

    /// Writes entries of the crowd's log; a failure is thrown by `finish`.
    func put(_ entries: [CrowdLogEntry]) {
        state.withLock { state in
            guard state.failure == nil else { return }
            do throws(CommandError) {
                for entry in entries {
                    try advance(to: entry.at, &state)
                    try put(entry, &state)
                }
            } catch {
                state.failure = error
            }
        }
    }

    /// Ends the distance windows that are over, once in each second of the run.
    private func advance(to now: MonotonicInstant, _ state: inout GuardedState) throws(CommandError) {
        let second = Self.milliseconds(now) / 1000
        guard second >= state.nextSecond else { return }
        state.nextSecond = second + 1
        for device in state.distances.indices {
            var answers: [DistanceTracker.DeviceDistance] = []
            state.distances[device].advance(to: now, into: &answers)
            try put(answers, of: device, at: now, state)
        }
    }

    private func put(
        _ answers: [DistanceTracker.DeviceDistance], of device: Int, at now: MonotonicInstant, _ state: GuardedState
    ) throws(CommandError) {
        for answer in answers {
            let peer = state.peers[device][answer.target].map(Self.id) ?? "t\(answer.target.number)"
            try writer.put(
                ProximityRecord(answer.estimate, of: peer, at: Self.milliseconds(now), device: Self.id(device)))
        }
    }

    private func take(
        _ event: HeraldEvent, about peer: Int?, _ entry: CrowdLogEntry, _ state: inout GuardedState
    ) throws(CommandError) {
        switch event {
        case .measured(let reading): state.peers[entry.device][reading.target] = peer
        case .read(let target, _, _), .recognised(let target):
            guard let peer else { break }
            state.distances[entry.device].setSystem(PhoneSystem(signals[peer]), of: target, at: entry.at)
        default: break
        }
        var answers: [DistanceTracker.DeviceDistance] = []
        state.distances[entry.device].take(event, into: &answers)
        try put(answers, of: entry.device, at: entry.at, state)
        if case .forgotten(let target) = event { state.peers[entry.device][target] = nil }
    }

    private func put(_ entry: CrowdLogEntry, _ state: inout GuardedState) throws(CommandError) {
        let at = Self.milliseconds(entry.at)
        let device = Self.id(entry.device)
        switch entry.content {
        case .event(.merged(let target, _), _): state.distances[entry.device].forget(target)
        case .event(let event, let peer):
            let records = ProximityRecord.records(
                of: event, at: at, device: device, milliseconds: Self.milliseconds,
                name: { peer.map(Self.id) ?? "t\($0)" })
            for record in records { try writer.put(record) }
            try take(event, about: peer, entry, &state)
        case .near(let peer, let since):
            let from = Self.milliseconds(since)
            try writer.put(.near(device: device, peer: Self.id(peer), from: from, until: at))
        case .distance(let peer, let metres):
            try writer.put(
                .distance(device: device, peer: Self.id(peer), at: at, centimetres: Int((metres * 100).rounded())))
        }
    }

    /// Writes the buffers and closes the log.
    ///
    /// - Throws: `output.not-writable`.
    func finish(after duration: Duration) throws(CommandError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        try writer.finish(durationMilliseconds: Int(duration.wholeNanoseconds / 1_000_000))
    }
}

extension DistanceModel {
    /// The model of the simulated air of crowds, fitted by `prox distance --fit` on an hour of two offices.
    ///
    /// Simulated phones transmit about 15 dB stronger than the Android phones of the published measurements at one
    /// metre, so the shipped model takes them for nearer than they are. It changes when
    /// `SignalPropagationModel` changes.
    static let simulatedAir = DistanceModel(level: -55.682, slope: -27.009, ownIOS: 0.437, peerIOS: 3.256)
}
