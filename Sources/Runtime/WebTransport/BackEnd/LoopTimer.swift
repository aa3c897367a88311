import CWebSockets
import Determinism

/// The one libwebsockets timer of a service loop.
@safe final class LoopTimer {
    /// The memory that the library's timer points at: the library's part first, so that one address serves for both.
    @safe fileprivate struct Cell {
        var timer: lws_sorted_usec_list_t
        let loop: Unmanaged<ServiceLoop>
    }

    // The library remembers the address until the timer is cancelled.
    private let cell: UnsafeMutablePointer<Cell>
    private let context: LibraryContext

    init(loop: ServiceLoop, context: LibraryContext) {
        self.context = context
        unsafe cell = .allocate(capacity: 1)
        let timer = unsafe lws_sorted_usec_list_t()
        unsafe cell.initialize(to: Cell(timer: timer, loop: .passUnretained(loop)))
    }

    deinit { unsafe cell.deallocate() }

    /// Fires once after `duration`, in place of an earlier setting.
    func fire(after duration: Duration) {
        let microseconds = max(1, duration.wholeNanoseconds / 1000 + 1)
        unsafe UnsafeMutableRawPointer(cell).withMemoryRebound(to: lws_sorted_usec_list_t.self, capacity: 1) { timer in
            unsafe lws_sul_schedule(context.pointer, 0, timer, timerFired, microseconds)
        }
    }

    func cancel() {
        unsafe UnsafeMutableRawPointer(cell).withMemoryRebound(to: lws_sorted_usec_list_t.self, capacity: 1) { timer in
            unsafe lws_sul_cancel(timer)
        }
    }
}

/// Called by the library on the service thread.
private func timerFired(_ timer: UnsafeMutablePointer<lws_sorted_usec_list_t>?) {
    guard let timer = unsafe timer else { return }
    let cell = unsafe UnsafeMutableRawPointer(timer).assumingMemoryBound(to: LoopTimer.Cell.self)
    unsafe cell.pointee.loop.takeUnretainedValue().lookAtDeadlines()
}
