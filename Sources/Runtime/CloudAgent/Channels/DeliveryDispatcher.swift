import DataStructures
import Determinism

/// Dispatches deliveries to clients with an address of their own: keeps the schedule of each account, limits how many
/// attempts are made at a time, and queues those above the limit in the order in which they became due.
///
/// An account for which more messages came during its attempt makes the next one before those that are queued.
struct DeliveryDispatcher: Sendable {
    private struct AccountDeadline: Prioritized, Hashable {
        let instant: MonotonicInstant
        let account: Int64

        func precedes(_ other: AccountDeadline) -> Bool { (instant, account) < (other.instant, other.account) }
    }

    private let timing: DeliverySchedule.DeliveryTiming
    private let maximumActive: Int
    private var schedules: [Int64: DeliverySchedule] = [:]
    private var activeCount = 0
    private var queue: [Int64] = []
    /// The deadlines of all schedules, and some that a schedule has given up; each is in both collections.
    private var deadlines = PriorityQueue<AccountDeadline>()
    private var deadlineSet: Set<AccountDeadline> = []

    /// Makes a dispatcher without accounts that allows `maximumActive` attempts at a time.
    init(timing: DeliverySchedule.DeliveryTiming, maximumActive: Int) {
        self.timing = timing
        self.maximumActive = maximumActive
    }

    /// The time at which `timeReached` is next due; nil for none.
    var nextDeadline: MonotonicInstant? { deadlines.first?.instant }

    /// The position up to which every message of an account was delivered or is set aside; nil for none.
    func position(of account: Int64) -> UInt64? { schedules[account]?.position }

    /// Passes an input to the schedule of an account; only arriving messages and a new document make a schedule.
    mutating func handle(
        _ input: DeliverySchedule.Input, of account: Int64, at now: MonotonicInstant,
        into outputs: inout [DeliverySchedule.Output]
    ) {
        switch input {
        case .messageArrived, .documentChanged:
            if schedules[account] == nil {
                schedules[account] = DeliverySchedule(account: account, timing: timing)
            }
            update(account, input, at: now, into: &outputs)
        case .attemptEnded:
            activeCount -= 1
            update(account, input, at: now, into: &outputs)
            while activeCount < maximumActive, !queue.isEmpty { begin(queue.removeFirst(), into: &outputs) }
        case .clientSpoke, .accountDeleted, .queueWentBack, .delivered, .refused, .timeReached:
            update(account, input, at: now, into: &outputs)
        }
    }

    /// Passes on that `now` has come to the accounts whose deadlines have passed.
    mutating func timeReached(at now: MonotonicInstant, into outputs: inout [DeliverySchedule.Output]) {
        while let due = deadlines.popFirst(where: { $0.instant <= now }) {
            deadlineSet.remove(due)
            update(due.account, .timeReached, at: now, into: &outputs)
        }
    }

    /// Passes on to all accounts that the store is in an earlier state than before.
    mutating func queueWentBack(at now: MonotonicInstant, into outputs: inout [DeliverySchedule.Output]) {
        for account in schedules.keys.sorted() { update(account, .queueWentBack, at: now, into: &outputs) }
    }

    /// Forgets all accounts; only the ends of the attempts that are being made may follow.
    mutating func removeAll() {
        schedules = [:]
        queue = []
        deadlines.removeAll()
        deadlineSet = []
    }

    private mutating func update(
        _ account: Int64, _ input: DeliverySchedule.Input, at now: MonotonicInstant,
        into outputs: inout [DeliverySchedule.Output]
    ) {
        guard var schedule = schedules[account] else { return }
        let wasQueued = schedule.isQueued
        schedule.handle(input, at: now, into: &outputs)
        schedules[account] = schedule.isFinished ? nil : schedule
        if schedule.isQueued, !wasQueued {
            if activeCount < maximumActive { begin(account, into: &outputs) } else { queue.append(account) }
        }
        guard let instant = schedule.nextDeadline else { return }
        let deadline = AccountDeadline(instant: instant, account: account)
        if deadlineSet.insert(deadline).inserted { deadlines.insert(deadline) }
    }

    private mutating func begin(_ account: Int64, into outputs: inout [DeliverySchedule.Output]) {
        activeCount += 1
        guard schedules[account]?.begin(into: &outputs) != nil else {
            preconditionFailure("An account is queued without a schedule.")
        }
    }
}
