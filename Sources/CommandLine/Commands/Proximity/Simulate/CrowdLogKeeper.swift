import Determinism
import Herald
import ProximitySimulation
import Terminal

/// Writes what a crowd noticed, and how it really was, in the form that `prox report` reads.
final class CrowdLogKeeper: Sendable {
    private let writer: ProximityLogWriter
    /// Why nothing more is written.
    private let failure = Lock<CommandError?>(nil)

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
        failure.withLock { failure in
            guard failure == nil else { return }
            do throws(CommandError) {
                for entry in entries { try put(entry) }
            } catch {
                failure = error
            }
        }
    }

    private func put(_ entry: CrowdLogEntry) throws(CommandError) {
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
            try writer.put(.near(device: device, peer: Self.id(peer), from: from, until: at))
        case .distance(let peer, let metres):
            try writer.put(
                .distance(device: device, peer: Self.id(peer), at: at, centimetres: Int((metres * 100).rounded())))
        }
    }

    /// Writes what is left.
    ///
    /// - Throws: `output.not-writable`.
    func finish(after duration: Duration) throws(CommandError) {
        if let failure = failure.withLock({ $0 }) { throw failure }
        try writer.finish(durationMilliseconds: Int(duration.wholeNanoseconds / 1_000_000))
    }
}
