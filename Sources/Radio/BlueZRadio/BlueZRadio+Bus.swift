import Bluetooth
import Determinism
import Dispatch
import Radio

// The bus: calls, signals, and waiting for something to become true.
extension BlueZRadio {
    /// Somebody who waits for something to become true.
    final class Waiter {
        let deadline: MonotonicInstant
        let condition: () -> Bool
        var continuation: CheckedContinuation<Bool, Never>?
        var isCancelled = false

        init(_ deadline: MonotonicInstant, _ condition: @escaping () -> Bool) {
            self.deadline = deadline
            self.condition = condition
        }
    }

    // MARK: - Waiting

    /// Waits until `condition` holds, which is looked at whenever something has happened.
    ///
    /// - Returns: False when the deadline came first, or the task was cancelled.
    func until(_ deadline: MonotonicInstant, _ condition: @escaping () -> Bool) async -> Bool {
        if condition() { return true }
        let number = nextNumber()
        let waiter = Waiter(deadline, condition)
        waiters[number] = waiter
        let alarm = Task { [weak self, timekeeper] in
            try? await timekeeper.wait(until: deadline)
            if !Task.isCancelled { await self?.wake() }
        }
        defer { alarm.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiter.continuation = continuation
                wake()
            }
        } onCancel: {
            Task { await self.cancelWaiter(number) }
        }
    }

    /// As above, with the time from now.
    func until(_ time: Duration, _ condition: @escaping () -> Bool) async -> Bool {
        await until(timekeeper.now() + time, condition)
    }

    /// Waits for a time, or until the radio is closed or the task cancelled.
    func pause(_ time: Duration) async { _ = await until(time) { self.isClosed } }

    private func cancelWaiter(_ number: UInt64) {
        waiters[number]?.isCancelled = true
        wake()
    }

    /// Something has happened: looks at what everybody waits for.
    func wake() {
        guard !waiters.isEmpty else { return }
        let now = timekeeper.now()
        for number in waiters.keys.sorted() {
            guard let waiter = waiters[number], let continuation = waiter.continuation else { continue }
            let isTrue = waiter.condition()
            guard isTrue || waiter.isCancelled || isClosed || waiter.deadline <= now else { continue }
            waiters[number] = nil
            continuation.resume(returning: isTrue)
        }
    }

    // MARK: - Calls

    /// Calls a method of bluetoothd, or of `destination`.
    func call(
        _ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue] = [],
        at destination: String = BlueZ.service, timeout: Duration = .seconds(20)
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
        at destination: String = BlueZ.service, timeout: Duration = .seconds(20),
        _ completion: @escaping (Result<[DBusValue], DBusError>) -> Void
    ) {
        guard let bus else { return completion(.failure(.disconnected)) }
        let message = DBusMessage(path: path, interface: interface, member: member, arguments: arguments)
        bus.call(
            message, at: destination, timeoutMicroseconds: UInt64(max(1000, timeout.wholeNanoseconds / 1000)),
            completion)
        rearmBus()
    }

    /// Calls a method, and turns a failure into what a radio says.
    func ask(
        _ action: String, _ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue] = [],
        timeout: Duration = .seconds(20)
    ) async throws(RadioError) -> [DBusValue] {
        switch await call(path, interface, member, arguments, timeout: timeout) {
        case .success(let values): return values
        case .failure(let error): throw RadioError(error, during: action)
        }
    }

    /// Sends a signal from an object of ours.
    func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue]) {
        bus?.emit(DBusMessage(path: path, interface: interface, member: member, arguments: arguments))
        rearmBus()
    }

    // MARK: - The connection

    /// Connects to the system bus and listens.
    func connectBus() throws(RadioError) {
        guard let bus = SystemBus(), let descriptor = bus.makeDescriptor() else {
            throw RadioError(.unavailable, "There is no system message bus; run systemctl start dbus.")
        }
        self.bus = bus
        busWatches = [
            DescriptorWatch(reading: descriptor, on: executor) { [weak self] in
                self?.assumeIsolated { $0.pump() }
            }
        ]
        let signal = "type='signal',sender='\(BlueZ.service)'"
        let hearsObjects = bus.listen(to: "\(signal),interface='\(BlueZ.objectManager)'") { [unowned self] message in
            self.hear(message)
        }
        let properties = "\(signal),interface='\(BlueZ.properties)',path_namespace='/org/bluez'"
        let hearsProperties = bus.listen(to: properties) { [unowned self] message in self.hear(message) }
        let owner = "type='signal',sender='\(BlueZ.bus)',member='NameOwnerChanged',arg0='\(BlueZ.service)'"
        let hearsOwner = bus.listen(to: owner) { [unowned self] message in self.ownerChanged(message) }
        let isServing = bus.serve("/org/symbolon") { [unowned self] call in self.serve(call) }
        guard hearsObjects, hearsProperties, hearsOwner, isServing else {
            throw RadioError(.unavailable, "The message bus does not answer.")
        }
        rearmBus()
    }

    /// Handles what has come over the bus.
    func pump() {
        while let bus {
            guard let hasMore = bus.process() else {
                loseBus()
                break
            }
            if !hasMore { break }
        }
        rearmBus()
        wake()
    }

    /// Sees to it that what did not fit is sent, and what is due is done.
    func rearmBus() {
        guard let bus else { return }
        if !bus.wantsToWrite {
            busIsWritable = nil
        } else if busIsWritable == nil, let descriptor = bus.makeDescriptor() {
            busIsWritable = DescriptorWatch(writing: descriptor, on: executor) { [weak self] in
                self?.assumeIsolated { $0.pump() }
            }
        }
        guard let due = bus.wakeUpMicroseconds, due != busAlarm else { return }
        busAlarm = due
        let now = DispatchTime.now().uptimeNanoseconds / 1000
        let delay = due > now ? due - now : 0
        DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(Int(clamping: delay))) { [weak self] in
            Task { [weak self] in await self?.alarmRang(due) }
        }
    }

    private func alarmRang(_ due: UInt64) {
        if busAlarm == due { busAlarm = nil }
        pump()
    }

    private func loseBus() {
        bus?.failAll()
        busWatches = []
        busIsWritable = nil
        bus = nil
        daemon = nil
        goAbsent()
    }

    // MARK: - bluetoothd

    /// Asks who bluetoothd is and what it has.
    func meetDaemon() async throws(RadioError) {
        let owner = await call(
            "/org/freedesktop/DBus", BlueZ.bus, "GetNameOwner", [.string(BlueZ.service)], at: BlueZ.bus)
        guard case .success(let values) = owner, let name = values.first?.text else {
            throw RadioError(.unavailable, "bluetoothd is not running; run systemctl start bluetooth.")
        }
        daemon = name
        let objects = try await ask("the list of its objects", "/", BlueZ.objectManager, "GetManagedObjects")
        take(tree.replace(with: objects))
    }

    private func ownerChanged(_ message: DBusMessage) {
        guard message.arguments.count == 3, let name = message.arguments[2].text else { return }
        tree.clear()
        isRegistered = false
        isDiscovering = false
        daemon = name.isEmpty ? nil : name
        goAbsent()
        if !name.isEmpty { Task { await self.meetAgain() } }
    }

    /// bluetoothd is back: its adapters come with signals, or are there already.
    private func meetAgain() async {
        do throws(RadioError) { try await meetDaemon() } catch { return }
        comeBack()
    }

    /// Asks for the properties of an object, of whose changes bluetoothd may have failed to tell.
    func refresh(_ path: String, _ interface: String) async {
        let answer = await call(path, BlueZ.properties, "GetAll", [.string(interface)], timeout: .seconds(10))
        guard case .success(let values) = answer, let properties = values.first?.properties else { return }
        take(tree.update(path, interface, with: properties))
        wake()
    }

    private func hear(_ message: DBusMessage) {
        take(tree.handle(message))
    }

    private func take(_ changes: [ObjectTree.Change]) {
        for change in changes {
            switch change {
            case .added(adapterPath, BlueZ.adapter), .changed(adapterPath, BlueZ.adapter, _): adapterChanged()
            case .removed(adapterPath, BlueZ.adapter): goAbsent()
            case .added(let path, BlueZ.device):
                deviceChanged(path, Set(tree.properties(path, BlueZ.device)?.keys.map { $0 } ?? []))
            case .changed(let path, BlueZ.device, let names): deviceChanged(path, Set(names))
            case .removed(let path, BlueZ.device): deviceLost(path)
            case .changed(let path, BlueZ.characteristic, let names) where names.contains("Value"): valueChanged(path)
            case .added, .removed, .changed: break
            }
        }
    }

    private func adapterChanged() {
        if tree[adapterPath, BlueZ.adapter, "Powered"]?.flag ?? false { comeBack() } else { goAbsent() }
    }

    private func deviceChanged(_ path: String, _ names: Set<String>) {
        guard !adapterPath.isEmpty, path.hasPrefix(adapterPath + "/"), let device = tree.properties(path, BlueZ.device)
        else { return }
        if !names.isDisjoint(with: DeviceReport.signs), device["RSSI"] != nil { heard(device) }
        guard names.contains("Connected") else { return }
        if device["Connected"]?.flag ?? false { deviceConnected(path) } else { deviceLost(path) }
    }

    // MARK: - Absence

    /// bluetoothd, the adapter or the bus went away.
    func goAbsent() {
        guard absentSince == nil, !isClosed, !adapterPath.isEmpty else { return }
        let since = timekeeper.now()
        absentSince = since
        isDiscovering = false
        isRegistered = false
        loseLinks()
        failAttempts(RadioError(.unavailable, absence))
        wake()
        Task {
            try? await timekeeper.wait(until: since + Self.patience)
            giveUp(since)
        }
    }

    private func giveUp(_ since: MonotonicInstant) {
        guard absentSince == since, !isClosed else { return }
        failScans(RadioError(.unavailable, absence))
        peripheralEvents.finish()
        wake()
    }

    /// Both are there again: publishes and advertises what was published and advertised.
    private func comeBack() {
        guard absentSince != nil, !isClosed, tree[adapterPath, BlueZ.adapter, "Powered"]?.flag ?? false else { return }
        absentSince = nil
        wake()
        Task { await self.restore() }
    }

    private func restore() async {
        if application != nil, !isRegistered { try? await register() }
        if let advertisement { try? await startAdvertising(advertisement) }
    }
}
