import Determinism
import Dispatch
import WebTransport

/// Returns memory to the system after a load has ended, because the allocator keeps what it once had.
///
/// It looks every 15 seconds, and acts when a quarter of the resident memory is unused and the resident memory has
/// grown by 8 MiB since it acted last; so it does nothing under a load that stays.
final class MemoryReturn: Sendable {
    private static let interval = DispatchTimeInterval.seconds(15)
    private static let growthBytes = 8 << 20

    private let queue = DispatchQueue(label: "symbolon.cloud.memory", qos: .utility)
    private let timer: Lock<(any DispatchSourceTimer)?> = Lock(nil)
    /// The resident memory after it acted last.
    private let lowest = Lock(0)

    /// Begins to look.
    func start() {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval, leeway: .seconds(1))
        timer.setEventHandler { [weak self] in self?.look() }
        timer.resume()
        self.timer.withLock { $0 = timer }
    }

    /// Ends.
    func stop() {
        timer.withLock { timer in
            timer?.cancel()
            timer = nil
        }
    }

    private func look() {
        guard let resident = ProcessMemory.residentBytes else { return }
        let isDue = Self.isDue(
            resident: resident, unused: ProcessMemory.unusedBytes, last: lowest.withLock { $0 })
        guard isDue else { return lowest.withLock { $0 = min($0, resident) } }
        ProcessMemory.returnUnused()
        let after = ProcessMemory.residentBytes ?? resident
        lowest.withLock { $0 = after }
    }

    /// Whether unused memory is returned.
    ///
    /// - Parameters:
    ///   - unused: the bytes that the allocator holds and nothing uses, those already returned included.
    ///   - last: the resident memory after the last return; 0 before the first.
    static func isDue(resident: Int, unused: Int, last: Int) -> Bool {
        resident - last >= growthBytes && unused >= resident / 4
    }
}
