import Air
import Bluetooth
import Determinism
import Testing

@testable import VirtualRadio

/// A clock that stands until the test moves it.
private final class StandingClock: MonotonicClock {
    private struct State {
        var instant = MonotonicInstant.zero
        var waiters: [UInt64: (deadline: MonotonicInstant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var cancelled: Set<UInt64> = []
        var lastNumber: UInt64 = 0
    }

    private let state = Lock(State())

    func now() -> MonotonicInstant { state.withLock { $0.instant } }

    func wait(until deadline: MonotonicInstant) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                state.withLock { state in
                    if state.cancelled.contains(number) {
                        continuation.resume(throwing: CancellationError())
                    } else if deadline <= state.instant {
                        continuation.resume()
                    } else {
                        state.waiters[number] = (deadline, continuation)
                    }
                }
            }
        } onCancel: {
            state.withLock { state in
                state.cancelled.insert(number)
                state.waiters.removeValue(forKey: number)?.continuation.resume(throwing: CancellationError())
            }
        }
    }

    /// The instants that are waited for.
    var deadlines: [MonotonicInstant] { state.withLock { $0.waiters.values.map(\.deadline).sorted() } }

    /// Moves the clock and wakes who is due.
    func advance(to instant: MonotonicInstant) {
        state.withLock { state in
            state.instant = max(state.instant, instant)
            for (number, waiter) in state.waiters where waiter.deadline <= instant {
                state.waiters[number] = nil
                waiter.continuation.resume()
            }
        }
    }
}

@Suite struct RealTimeAirTests {
    private let clock = StandingClock()
    private let log = Lock<[AirEvent]>([])

    /// An air with a central that is connected and has sixteen frames queued, which take about twenty milliseconds.
    private func busyAir() async throws -> (host: RealTimeAir, central: any AirAttachment) {
        let host = RealTimeAir(seed: 1, clock: clock)
        let link = LinkParameters(phy: .le1M, intervalMicroseconds: 7500)
        let conditions = DeviceRadioConditions(link: link)
        let peripheral = DeviceAddress(staticRandom: 1)
        let one = try host.attach(peripheral, conditions: conditions) { _ in }.get()
        let other = try host.attach(DeviceAddress(staticRandom: 2), conditions: conditions) { [log] event in
            if case .air(let event) = event { log.withLock { $0.append(event) } }
        }.get()
        one.perform(
            .startAdvertising(data: [], scanResponse: [], intervalMicroseconds: 20_000, isConnectable: true))
        other.perform(.connect(peripheral))
        try await run { !events().isEmpty }
        guard case .connected(let id, _, _, _, let capacity) = events().first else {
            throw SharedAirMessage.AirJoinRefusal.full
        }
        #expect(capacity == 16)
        for _ in 0..<capacity { other.perform(.send(id, frame: [200, 0, 4, 0] + Array(repeating: 1, count: 200))) }
        return (host, other)
    }

    private func events() -> [AirEvent] { log.withLock { $0 } }

    private var sentCount: Int {
        events().count { if case .sent = $0 { true } else { false } }
    }

    /// Advances the clock from wake-up to wake-up until the condition holds.
    private func run(until condition: () -> Bool) async throws {
        while !condition() {
            try await eventually("the host is done or waits again") { condition() || isWaiting }
            guard !condition(), let next = clock.deadlines.first else { return }
            clock.advance(to: next)
        }
    }

    /// True when the host has set its next wake-up.
    private var isWaiting: Bool { clock.deadlines.contains { $0 > clock.now() } }

    @Test func `an air driver that wakes on time handles everything at its own instant`() async throws {
        let (host, central) = try await busyAir()
        try await run { sentCount == 16 }
        #expect(sentCount == 16)
        central.detach(gracefully: true)
        host.close()
    }

    @Test func `an air driver that wakes late lets hosts act after each slice of time`() async throws {
        let (host, _) = try await busyAir()
        try await eventually("the host waits") { isWaiting }
        // Twenty frames' worth of time has passed at once.
        clock.advance(to: clock.now() + .milliseconds(200))
        try await eventually("the host waits") { isWaiting }
        let first = sentCount
        #expect(first < 8)
        try await run { sentCount == 16 }
        #expect(clock.now() < .zero + .milliseconds(400))
        host.close()
    }

    @Test func `an air driver that lags by more than a second skips the lag`() async throws {
        let (host, central) = try await busyAir()
        try await eventually("the host waits") { isWaiting }
        clock.advance(to: clock.now() + .seconds(3600))
        try await run { sentCount == 16 }
        // The link did not time out although an hour has passed.
        #expect(!events().contains { if case .disconnected = $0 { true } else { false } })
        central.perform(.disconnect(LinkID(1)))
        try await run { events().contains { if case .disconnected = $0 { true } else { false } } }
        host.close()
    }

    @Test func `a closed air accepts no device and does nothing`() async throws {
        let host = RealTimeAir(seed: 1, clock: clock)
        let lost = Lock(0)
        let port = try host.attach(DeviceAddress(staticRandom: 1), conditions: DeviceRadioConditions()) { event in
            if case .lost = event { lost.withLock { $0 += 1 } }
        }.get()
        host.close()
        port.perform(.startScanning(isActive: true))
        port.detach(gracefully: true)
        #expect(lost.withLock { $0 } == 1)
        let again = host.attach(DeviceAddress(staticRandom: 2), conditions: DeviceRadioConditions()) { _ in }
        #expect(again.failure == .full)
    }
}
