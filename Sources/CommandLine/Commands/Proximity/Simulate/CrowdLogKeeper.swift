import Determinism
import Herald
import ProximitySimulation
import Terminal

/// Writes what a crowd noticed, and how it really was, in the form that `prox report` reads.
final class CrowdLogKeeper: Sendable {
    private struct State {
        var truths: [(at: Int, truth: ProximityTruth)] = []
        var failure: CommandError?
    }

    private let writer: ProximityLogWriter
    private let state = Lock(State())

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
                    let kind = member.phone.kind
                    let isApple = kind == .iPhone || kind == .background
                    return ProximityRun.Device(
                        id: Self.id(index), name: kind.rawValue, system: isApple ? "ios" : "android", model: nil)
                }))
    }

    private static func id(_ device: Int) -> String { "d\(device)" }

    private static func milliseconds(_ instant: MonotonicInstant) -> Int { Int(instant.nanoseconds / 1_000_000) }

    /// Adds entries; a failure is told by `finish`.
    func put(_ entries: [CrowdLogEntry]) {
        state.withLock { state in
            guard state.failure == nil else { return }
            do throws(CommandError) {
                for entry in entries { try put(entry, &state) }
            } catch {
                state.failure = error
            }
        }
    }

    private func put(_ entry: CrowdLogEntry, _ state: inout State) throws(CommandError) {
        let at = Self.milliseconds(entry.at)
        let device = Self.id(entry.device)
        switch entry.content {
        case .event(.merged, _): break
        case .event(let event, let peer):
            let records = ProximityRecord.records(
                of: event, at: at, device: device, milliseconds: Self.milliseconds,
                name: { peer.map(Self.id) ?? "t\($0)" })
            for record in records { try writer.put(record) }
        case .near(let peer, let since):
            let from = Self.milliseconds(since)
            state.truths.append((from, .near(device: device, peer: Self.id(peer), from: from, until: at)))
        case .distance(let peer, let metres):
            let truth = ProximityTruth.distance(
                device: device, peer: Self.id(peer), at: at, centimetres: Int((metres * 100).rounded()))
            state.truths.append((at, truth))
        }
    }

    /// Writes what is left.
    ///
    /// - Throws: `output.not-writable`.
    func finish(after duration: Duration) throws(CommandError) {
        let (truths, failure) = state.withLock { ($0.truths, $0.failure) }
        if let failure { throw failure }
        for (_, truth) in truths.enumerated().sorted(by: { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }) {
            try writer.put(truth.truth)
        }
        try writer.finish(durationMilliseconds: Int(duration.wholeNanoseconds / 1_000_000))
    }
}
