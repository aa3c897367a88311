import Determinism
import Dispatch
import Radio

/// The radio's connection to the system bus: calls, signals, and the objects that it serves.
final class BusConnection {
    /// The handlers for messages that arrive over the D-Bus connection.
    struct BusMessageHandlers {
        /// Handles a signal about a changed object or property of bluetoothd.
        let changed: (DBusMessage) -> Void
        /// Handles the signal that bluetoothd appeared on the bus or left it.
        let ownerChanged: (DBusMessage) -> Void
        /// Receives a call to an object of ours.
        let called: (SystemBus.IncomingBusCall) -> Void
        /// Handles the loss of the connection to the bus.
        let lost: () -> Void
    }

    private let executor: BusExecutor
    private let handle: WeakRadioHandle
    private let waiters: ConditionWaiters
    private var bus: SystemBus?
    private var handlers: BusMessageHandlers?
    private var watches: [FileDescriptorWatch] = []
    private var isWritable: FileDescriptorWatch?
    /// The time of the next `pump`, in microseconds of CLOCK_MONOTONIC.
    private var alarm: UInt64?

    init(on executor: BusExecutor, handle: WeakRadioHandle, waiters: ConditionWaiters) {
        self.executor = executor
        self.handle = handle
        self.waiters = waiters
    }

    var isOpen: Bool { bus != nil }

    /// Connects to the system bus and listens.
    func open(_ handlers: BusMessageHandlers) throws(RadioError) {
        guard let bus = SystemBus(), let descriptor = bus.makeDescriptor() else {
            throw RadioError(.unavailable, "There is no system message bus; run systemctl start dbus.")
        }
        self.bus = bus
        self.handlers = handlers
        watches = [
            FileDescriptorWatch(reading: descriptor, on: executor) { [handle] in handle.onQueue { $0.daemon.bus.pump() }
            }
        ]
        let signal = "type='signal',sender='\(BlueZNames.service)'"
        let hearsObjects = bus.listen(to: "\(signal),interface='\(BlueZNames.objectManager)'", handlers.changed)
        let properties = "\(signal),interface='\(BlueZNames.properties)',path_namespace='/org/bluez'"
        let hearsProperties = bus.listen(to: properties, handlers.changed)
        let owner = "type='signal',sender='\(BlueZNames.bus)',member='NameOwnerChanged',arg0='\(BlueZNames.service)'"
        let hearsOwner = bus.listen(to: owner, handlers.ownerChanged)
        let isServing = bus.serve("/org/symbolon", handlers.called)
        guard hearsObjects, hearsProperties, hearsOwner, isServing else {
            throw RadioError(.unavailable, "The message bus does not answer.")
        }
        rearm()
    }

    /// Stops watching the bus; calls go on to be answered until `close`.
    func stopWatching() {
        isWritable = nil
        watches = []
    }

    /// Fails every call under way, and leaves the bus.
    func close() {
        bus?.failAll()
        bus = nil
    }

    // MARK: - Calls

    /// Calls a method of bluetoothd, or of `destination`.
    func call(
        _ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue] = [],
        at destination: String = BlueZNames.service, timeout: Duration = .seconds(20),
        isolation: isolated any Actor = #isolation
    ) async -> Result<[DBusValue], DBusError> {
        await withCheckedContinuation { continuation in
            begin(path, interface, member, arguments, at: destination, timeout: timeout) {
                continuation.resume(returning: $0)
            }
        }
    }

    /// Begins a call; its answer comes on the queue of the bus.
    func begin(
        _ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue] = [],
        at destination: String = BlueZNames.service, timeout: Duration = .seconds(20),
        _ completion: @escaping (Result<[DBusValue], DBusError>) -> Void
    ) {
        executor.checkIsolated()
        guard let bus else { return completion(.failure(.disconnected)) }
        let message = DBusMessage(path: path, interface: interface, member: member, arguments: arguments)
        bus.call(
            message, at: destination, timeoutMicroseconds: UInt64(max(1000, timeout.wholeNanoseconds / 1000)),
            completion)
        rearm()
    }

    /// Calls a method, and turns a failure into the error of a radio.
    func ask(
        _ action: String, _ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue] = [],
        timeout: Duration = .seconds(20),
        isolation: isolated any Actor = #isolation
    ) async throws(RadioError) -> [DBusValue] {
        switch await call(path, interface, member, arguments, timeout: timeout) {
        case .success(let values): return values
        case .failure(let error): throw RadioError(error, during: action)
        }
    }

    /// Sends a signal from an object of ours.
    func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue]) {
        bus?.emit(DBusMessage(path: path, interface: interface, member: member, arguments: arguments))
        rearm()
    }

    // MARK: - The socket

    /// Handles the messages that have come over the bus.
    func pump() {
        while let bus {
            guard let hasMore = bus.process() else {
                lose()
                break
            }
            if !hasMore { break }
        }
        rearm()
        waiters.wake()
    }

    func alarmRang(_ due: UInt64) {
        if alarm == due { alarm = nil }
        pump()
    }

    /// Registers for sending the messages that did not fit, and sets the timer for the next deadline.
    private func rearm() {
        guard let bus else { return }
        if !bus.wantsToWrite {
            isWritable = nil
        } else if isWritable == nil, let descriptor = bus.makeDescriptor() {
            isWritable = FileDescriptorWatch(writing: descriptor, on: executor) { [handle] in
                handle.onQueue { $0.daemon.bus.pump() }
            }
        }
        guard let due = bus.wakeUpMicroseconds, due != alarm else { return }
        alarm = due
        let now = DispatchTime.now().uptimeNanoseconds / 1000
        let delay = due > now ? due - now : 0
        DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(Int(clamping: delay))) { [handle] in
            handle.start { $0.daemon.bus.alarmRang(due) }
        }
    }

    private func lose() {
        bus?.failAll()
        stopWatching()
        bus = nil
        handlers?.lost()
    }
}
