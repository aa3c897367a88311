public import Bluetooth
import Determinism
public import Radio

// The peripheral role: services, and what centrals do with them.
extension BlueZRadio {
    /// Publishes services, see `PeripheralRadio`.
    ///
    /// bluetoothd adds a client configuration descriptor to every characteristic that notifies or indicates, wanted or not.
    public func publish(_ services: [ServiceDefinition]) async throws(RadioError) {
        try await awaitPresence()
        guard peripherals.isEmpty else {
            throw RadioError(.unsupported, "services cannot be replaced while a central is connected")
        }
        let objects = try ApplicationObjects(services, root: "/org/symbolon/app\(nextNumber())")
        try takeLock()
        await unregister()
        application = services.isEmpty ? nil : objects
        guard !services.isEmpty else { return }
        do throws(RadioError) { try await register() } catch {
            // Whoever went away in the middle is told again when back.
            guard absentSince != nil else { throw error }
            try await awaitPresence()
            guard await until(.seconds(10), { self.isRegistered }) else { throw error }
        }
    }

    /// Sets the value that reads return, see `PeripheralRadio`.
    public func setValue(_ value: [UInt8], of characteristic: BluetoothUUID) async throws(RadioError) {
        try checkUsable()
        guard value.count <= 512 else { throw RadioError(.tooLarge, "a value has at most 512 bytes") }
        guard application?.setValue(value, of: characteristic) ?? false else {
            throw RadioError(.notFound, "no such characteristic was published")
        }
    }

    /// Only one program of ours may serve on an adapter: two would publish the same services twice.
    func takeLock() throws(RadioError) {
        guard lock == nil else { return }
        guard let lock = AdapterLock(adapter: adapterName) else {
            throw RadioError(.unavailable, "Another program of ours advertises on \(adapterName).")
        }
        self.lock = lock
    }

    /// Tells bluetoothd of the application.
    func register() async throws(RadioError) {
        application?.forgetHandles()
        guard let root = application?.root else { return }
        _ = try await ask(
            "the publication of services", adapterPath, BlueZ.applicationManager, "RegisterApplication",
            [.path(root), .properties([])])
        isRegistered = true
    }

    /// Takes the application back.
    func unregister() async {
        guard isRegistered, let root = application?.root else { return }
        isRegistered = false
        _ = await call(adapterPath, BlueZ.applicationManager, "UnregisterApplication", [.path(root)])
    }

    // MARK: - Links

    /// A central connected.
    @discardableResult func admit(_ path: String, _ address: DeviceAddress) -> PeripheralSession {
        listenToKernel()
        let session = PeripheralSession(id: nextLink(), path: path, peer: address)
        peripherals[path] = session
        subscriptions.connected(session.id)
        tap(.connected(isCentral: false, parameters: nil), .received, link: session.id.number, peer: address)
        peripheralEvents.put(
            .connected(session.id, peer: address), limit: Self.maximumEvents + Self.eventReserve)
        return session
    }

    /// The link of whoever reads or writes, as the options of the call tell; it may be heard of here first.
    private func session(device: String?, mtu: Int?) -> PeripheralSession? {
        guard let path = device, let session = peripherals[path] ?? stranger(path) else { return nil }
        if let mtu, (23...517).contains(mtu), mtu != session.mtu {
            session.mtu = mtu
            session.statistics.mtu = mtu
            tell(.mtu(session.id, mtu), session)
        }
        return session
    }

    private func stranger(_ path: String) -> PeripheralSession? {
        guard path.hasPrefix(adapterPath + "/") else { return nil }
        return tree.properties(path, BlueZ.device).flatMap(DeviceReport.address).map { admit(path, $0) }
    }

    private func session(_ options: [String: DBusValue]) -> PeripheralSession? {
        session(device: options["device"]?.text, mtu: options["mtu"]?.number)
    }

    /// Tells the consumer of the peripheral role, unless he is too far behind.
    private func tell(_ event: PeripheralEvent, _ session: PeripheralSession) {
        if !peripheralEvents.put(event, limit: Self.maximumEvents) {
            session.statistics.droppedByHost = (session.statistics.droppedByHost ?? 0) + 1
        }
    }

    // MARK: - Calls of bluetoothd

    /// Answers a call to an object of ours; only bluetoothd may.
    func serve(_ call: SystemBus.Call) {
        guard call.message.sender == daemon else {
            return call.fail(DBusError("org.freedesktop.DBus.Error.AccessDenied", "only bluetoothd may call this"))
        }
        switch call.message.interface {
        case BlueZ.objectManager: serveObjects(call)
        case BlueZ.properties: serveProperties(call)
        case BlueZ.characteristic: serveCharacteristic(call)
        case BlueZ.advertisement: call.reply()
        default: call.fail(Self.unknown)
        }
    }

    private static let unknown = DBusError("org.freedesktop.DBus.Error.UnknownMethod", "there is no such method")

    private func serveObjects(_ call: SystemBus.Call) {
        guard let application, call.message.path == application.root else { return call.fail(Self.unknown) }
        call.reply([application.managedObjects])
    }

    private func serveProperties(_ call: SystemBus.Call) {
        let path = call.message.path
        let arguments = call.message.arguments
        let properties =
            path == Self.advertisementPath ? .properties(busAdvertisement) : application?.properties(path)
        guard let properties else { return call.fail(Self.unknown) }
        switch call.message.member {
        case "GetAll": call.reply([properties])
        case "Get":
            let value = arguments.last?.text.flatMap { properties.properties?[$0] }
            if let value { call.reply([.variant(value)]) } else { call.fail(Self.unknown) }
        case "Set":
            if arguments.count == 3, arguments[1].text == "Handle", let handle = arguments[2].number {
                application?.setHandle(UInt16(clamping: handle), path: path)
            }
            call.reply()
        default: call.fail(Self.unknown)
        }
    }

    private func serveCharacteristic(_ call: SystemBus.Call) {
        guard let characteristic = application?[path: call.message.path] else { return call.fail(Self.unknown) }
        let uuid = characteristic.definition.uuid
        let arguments = call.message.arguments
        switch call.message.member {
        case "ReadValue": serveRead(call, characteristic, arguments.first?.properties ?? [:])
        case "WriteValue":
            guard let write = call.write else { return call.fail(Self.unknown) }
            serveWrite(call, characteristic, write)
        case "AcquireNotify":
            // The offer of a socket, which is turned down, tells who subscribes and with which MTU; StartNotify does not.
            if let session = session(arguments.first?.properties ?? [:]) {
                subscriptions.announce(session.id, for: uuid)
            }
            call.fail(DBusError("org.bluez.Error.NotSupported", "values are told as a property"))
        case "StartNotify":
            call.reply()
            if let link = subscriptions.started(uuid) { tellSubscription(link, uuid, true) }
        case "StopNotify":
            call.reply()
            for link in subscriptions.stopped(uuid) { tellSubscription(link, uuid, false) }
        case "Confirm":
            call.reply()
            confirmations[characteristic.path, default: 0] += 1
        default: call.fail(Self.unknown)
        }
    }

    private func tellSubscription(_ link: LinkID, _ uuid: BluetoothUUID, _ isSubscribed: Bool) {
        guard let session = peripherals.values.first(where: { $0.id == link }) else { return }
        session.statistics.pdusReceived += 1
        tell(.subscribed(link, characteristic: uuid, isSubscribed: isSubscribed), session)
    }

    private func serveRead(
        _ call: SystemBus.Call, _ characteristic: ApplicationObjects.Characteristic, _ options: [String: DBusValue]
    ) {
        if let session = session(options) {
            session.statistics.pdusReceived += 1
            session.statistics.pdusSent += 1
        }
        let offset = options["offset"]?.number ?? 0
        guard (0...characteristic.value.count).contains(offset) else {
            return call.fail(DBusError("org.bluez.Error.InvalidOffset", "the value is shorter"))
        }
        call.reply([.bytes(Array(characteristic.value[offset...]))])
    }

    private func serveWrite(
        _ call: SystemBus.Call, _ characteristic: ApplicationObjects.Characteristic, _ write: WrittenValue
    ) {
        if write.isPreparation { return call.reply() }
        guard write.value.count <= 512 else {
            return call.fail(DBusError("org.bluez.Error.InvalidValueLength", "a value has at most 512 bytes"))
        }
        guard write.offset == 0 else {
            return call.fail(DBusError("org.bluez.Error.InvalidOffset", "values are written whole"))
        }
        call.reply()
        guard let session = session(device: write.device, mtu: write.mtu), session.closing == nil else { return }
        let isCommand = write.isCommand ?? !call.expectsReply
        session.statistics.pdusReceived += 1
        if !isCommand { session.statistics.pdusSent += 1 }
        tapServed(write.value, handle: characteristic.handle ?? 0, isCommand: isCommand, session)
        session.lastWritten = characteristic.path
        let uuid = characteristic.definition.uuid
        tell(.written(session.id, characteristic: uuid, value: write.value, isCommand: isCommand), session)
    }
}
