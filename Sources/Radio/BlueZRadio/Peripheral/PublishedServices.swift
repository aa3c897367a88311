import Bluetooth
import Determinism
import Radio

/// The services that the radio publishes: their registration with bluetoothd, and its calls about them.
final class PublishedServices {
    private let daemon: BluetoothdConnection
    private let claim: AdapterClaim
    private let links: PeripheralLinks
    private let recorder: PacketRecorder
    private var application: GATTApplicationObjects?
    private var isRegistered = false
    private var publications = 0
    /// The number of confirmed indications, by the object of the characteristic.
    private var confirmations: [String: Int] = [:]

    init(_ daemon: BluetoothdConnection, claim: AdapterClaim, links: PeripheralLinks, recorder: PacketRecorder) {
        self.daemon = daemon
        self.claim = claim
        self.links = links
        self.recorder = recorder
    }

    /// True while services are published that a central may connect for.
    var isServing: Bool { application != nil }

    /// A characteristic by its name, see `GATTApplicationObjects`.
    func characteristic(
        _ uuid: BluetoothUUID, besides sibling: String?
    ) -> GATTApplicationObjects.Characteristic? { application?[uuid, besides: sibling] }

    /// Returns the number of indications of a characteristic that were confirmed so far.
    func confirmations(of object: String) -> Int { confirmations[object] ?? 0 }

    // MARK: - Registration

    /// Publishes services, see `PeripheralRadio`.
    func publish(_ services: [ServiceDefinition], isolation: isolated any Actor = #isolation) async throws(RadioError) {
        try await daemon.adapter.awaitPresence()
        guard links.isEmpty else {
            throw RadioError(.unsupported, "services cannot be replaced while a central is connected")
        }
        publications += 1
        let objects = try GATTApplicationObjects(services, root: "/org/symbolon/app\(publications)")
        try claim.take()
        await unregister()
        application = services.isEmpty ? nil : objects
        guard !services.isEmpty else { return }
        do throws(RadioError) { try await register() } catch {
            // The request is repeated when what went away in the middle is back.
            guard daemon.adapter.isAbsent else { throw error }
            try await daemon.adapter.awaitPresence()
            guard await daemon.waiters.until(.seconds(10), { self.isRegistered }) else { throw error }
        }
    }

    /// Sets the value that reads return, see `PeripheralRadio`.
    func setValue(_ value: [UInt8], of characteristic: BluetoothUUID) throws(RadioError) {
        try daemon.adapter.checkUsable()
        guard value.count <= 512 else { throw RadioError(.tooLarge, "a value has at most 512 bytes") }
        guard application?.setValue(value, of: characteristic) ?? false else {
            throw RadioError(.notFound, "no such characteristic was published")
        }
    }

    /// Answers the read that a central waits for.
    func answerRead(_ value: [UInt8], on link: LinkID) { links.session(of: link)?.answerRead(value) }

    /// Records that bluetoothd no longer has the published services.
    func forgotten() { isRegistered = false }

    /// Publishes the services again that were published before bluetoothd went away.
    func restore(isolation: isolated any Actor = #isolation) async {
        if application != nil, !isRegistered { try? await register() }
    }

    /// Takes the services back.
    func unregister(isolation: isolated any Actor = #isolation) async {
        guard isRegistered, let root = application?.root else { return }
        isRegistered = false
        _ = await daemon.bus.call(
            daemon.adapter.path, BlueZNames.applicationManager, "UnregisterApplication", [.path(root)])
    }

    private func register(isolation: isolated any Actor = #isolation) async throws(RadioError) {
        application?.forgetHandles()
        guard let root = application?.root else { return }
        _ = try await daemon.bus.ask(
            "the publication of services", daemon.adapter.path, BlueZNames.applicationManager, "RegisterApplication",
            [.path(root), .properties([])])
        isRegistered = true
    }

    // MARK: - Calls of bluetoothd

    static let unknown = DBusError("org.freedesktop.DBus.Error.UnknownMethod", "there is no such method")

    /// Answers a D-Bus call to a published object; `advertisement` has the properties of the advertisement's object.
    func serve(_ call: SystemBus.IncomingBusCall, advertisement: [(name: String, value: DBusValue)]) {
        switch call.message.interface {
        case BlueZNames.objectManager: serveObjects(call)
        case BlueZNames.properties: serveProperties(call, advertisement)
        case BlueZNames.characteristic: serveCharacteristic(call)
        case BlueZNames.advertisement: call.reply()
        default: call.fail(Self.unknown)
        }
    }

    private func serveObjects(_ call: SystemBus.IncomingBusCall) {
        guard let application, call.message.path == application.root else { return call.fail(Self.unknown) }
        call.reply([application.managedObjects])
    }

    private func serveProperties(_ call: SystemBus.IncomingBusCall, _ advertisement: [(name: String, value: DBusValue)])
    {
        let path = call.message.path
        let arguments = call.message.arguments
        let properties = path == Advertiser.path ? .properties(advertisement) : application?.properties(path)
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

    private func serveCharacteristic(_ call: SystemBus.IncomingBusCall) {
        guard let characteristic = application?[path: call.message.path] else { return call.fail(Self.unknown) }
        let uuid = characteristic.definition.uuid
        let arguments = call.message.arguments
        switch call.message.member {
        case "ReadValue": serveRead(call, characteristic, arguments.first?.properties ?? [:])
        case "WriteValue":
            guard let write = call.write else { return call.fail(Self.unknown) }
            serveWrite(call, characteristic, write)
        case "AcquireNotify":
            // The offer of a socket, which is turned down, names the central that subscribes and its MTU; StartNotify
            // does not.
            let options = arguments.first?.properties ?? [:]
            links.announceSubscription(by: options["device"]?.text, mtu: options["mtu"]?.number, to: uuid)
            call.fail(DBusError("org.bluez.Error.NotSupported", "values are told as a property"))
        case "StartNotify":
            call.reply()
            links.subscribed(to: uuid)
        case "StopNotify":
            call.reply()
            links.unsubscribed(from: uuid)
        case "Confirm":
            call.reply()
            confirmations[characteristic.path, default: 0] += 1
        default: call.fail(Self.unknown)
        }
    }

    private func serveRead(
        _ call: SystemBus.IncomingBusCall, _ characteristic: GATTApplicationObjects.Characteristic,
        _ options: [String: DBusValue]
    ) {
        let session = links.session(device: options["device"]?.text, mtu: options["mtu"]?.number)
        session?.count(sent: 1, received: 1)
        let offset = options["offset"]?.number ?? 0
        if characteristic.definition.passesReadsOn, let session, !session.isDown {
            session.keep(call, from: offset)
            let uuid = characteristic.definition.uuid
            return links.tell(.read(session.id, characteristic: uuid, offset: offset), session)
        }
        guard (0...characteristic.value.count).contains(offset) else {
            return call.fail(DBusError("org.bluez.Error.InvalidOffset", "the value is shorter"))
        }
        call.reply([.bytes(Array(characteristic.value[offset...]))])
    }

    private func serveWrite(
        _ call: SystemBus.IncomingBusCall, _ characteristic: GATTApplicationObjects.Characteristic,
        _ write: WriteValueCall
    ) {
        if write.isPreparation { return call.reply() }
        guard write.value.count <= 512 else {
            return call.fail(DBusError("org.bluez.Error.InvalidValueLength", "a value has at most 512 bytes"))
        }
        guard write.offset == 0 else {
            return call.fail(DBusError("org.bluez.Error.InvalidOffset", "values are written whole"))
        }
        call.reply()
        guard let session = links.session(device: write.device, mtu: write.mtu), !session.isDown else { return }
        let isCommand = write.isCommand ?? !call.expectsReply
        session.count(sent: isCommand ? 0 : 1, received: 1)
        recorder.served(
            write.value, handle: characteristic.handle ?? 0, isCommand: isCommand, session.id, session.peer)
        session.wrote(to: characteristic.path)
        let uuid = characteristic.definition.uuid
        links.tell(.written(session.id, characteristic: uuid, value: write.value, isCommand: isCommand), session)
    }
}
