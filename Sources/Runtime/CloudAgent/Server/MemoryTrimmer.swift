import Determinism
import Dispatch
import WebTransport

/// Decides when a process returns unused memory to the system.
struct MemoryTrimRule: Sendable {
    private static let growthBytes = 4 << 20

    /// The least resident memory, in bytes, seen since the last return of memory.
    private var resident = 0
    /// The most memory in use, in bytes, seen since the last return of memory.
    private var used = 0

    /// Records measured sizes in bytes; returns true when the unused memory is to be returned to the system now.
    ///
    /// - Parameters:
    ///   - used: the bytes that the allocator has given out.
    ///   - unused: the bytes that the allocator holds and nothing uses, those already returned included.
    mutating func isDue(resident: Int, used: Int, unused: Int) -> Bool {
        self.used = max(self.used, used)
        let hasChanged = resident - self.resident >= Self.growthBytes || self.used - used >= Self.growthBytes
        guard hasChanged, unused >= resident / 4 else {
            self.resident = min(self.resident, resident)
            return false
        }
        return true
    }

    /// Records the sizes in bytes that are left after a return of memory.
    mutating func returned(resident: Int, used: Int) { (self.resident, self.used) = (resident, used) }
}

/// Returns memory to the system after a load has ended, because the allocator keeps what it once had.
///
/// It looks every 15 seconds, and acts when a quarter of the resident memory is unused and since it acted last the
/// resident memory has grown by 4 MiB, or 4 MiB were freed; so it does nothing under a load that stays.
final class MemoryTrimmer: Sendable {
    private static let interval = DispatchTimeInterval.seconds(15)

    private let queue = DispatchQueue(label: "symbolon.cloud.memory", qos: .utility)
    private let timer: Lock<(any DispatchSourceTimer)?> = Lock(nil)
    private let rule = Lock(MemoryTrimRule())

    /// Starts the timer that measures memory every 15 seconds.
    func start() {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval, leeway: .seconds(1))
        timer.setEventHandler { [weak self] in self?.look() }
        timer.resume()
        self.timer.withLock { $0 = timer }
    }

    /// Stops the timer.
    func stop() {
        timer.withLock { timer in
            timer?.cancel()
            timer = nil
        }
    }

    private func look() {
        guard let resident = ProcessMemory.residentBytes else { return }
        let (used, unused) = (ProcessMemory.usedBytes, ProcessMemory.unusedBytes)
        guard rule.withLock({ $0.isDue(resident: resident, used: used, unused: unused) }) else { return }
        ProcessMemory.returnUnused()
        let after = ProcessMemory.residentBytes ?? resident
        rule.withLock { $0.returned(resident: after, used: used) }
    }
}
