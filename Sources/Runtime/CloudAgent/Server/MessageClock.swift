import Determinism

/// Stamps messages and accounts with the time of day, and gives the time of day by which their age is judged.
final class MessageClock: Sendable {
    private let clock: any MonotonicClock
    private let wallTime: @Sendable () -> WallTime
    private let ages: Lock<MessageAgeClock>

    init(_ context: MediatorContext) {
        clock = context.clock
        wallTime = context.wallTime
        ages = Lock(MessageAgeClock(window: context.configuration.messageAge))
    }

    /// The time of day for a stamp that `judgedTime` judges later.
    func stamp() -> WallTime {
        let time = wallTime()
        _ = judged(time)
        return time
    }

    /// The time of day a duration ago, for judging ages: a stamp before it is older.
    func judgedTime(minus duration: Duration) -> WallTime { judged(wallTime()).adding(.zero - duration) }

    private func judged(_ time: WallTime) -> WallTime {
        ages.withLock { [now = clock.now()] ages in ages.read(time, at: now) }
    }
}
