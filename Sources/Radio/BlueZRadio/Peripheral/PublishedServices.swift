import Bluetooth
import Determinism
import Radio

/// The services that the radio publishes: their registration with bluetoothd, and its calls about them.
final class PublishedServices {
    /// An application as bluetoothd has it, or is to have it.
    private struct PublishedApplication {
        var objects: GATTApplicationObjects
        /// The UUID of the one service that was added with it; nil for what was published.
        let added: BluetoothUUID?
        var isRegistered = false
    }

    /// The handles that are asked for, behind those of bluetoothd's own services, one after the other and then again.
    ///
    /// bluetoothd gives each new service handles behind all that it ever gave, and can tell centrals by the hash of its
    /// database that services changed only while the last handle is below 1,024: after some eighty sessions with phones
    /// those that remember services would not find the next one, after some thousands no service could be added. A
    /// service with the handles of the one before it would be taken for a secondary one by a bluetoothd as central.
    private static let handles = 0x0100..<0x0400
    /// The distance of the handles that are tried when others are taken by another program, and the number of tries.
    private static let handleStep = (distance: 0x40, tries: 6)
    /// The most services that are added at one time.
    private static let maximumAdded = 64
    /// A service without characteristics, see `overwriteStorage`.
    private static let placeholder = ServiceDefinition(
        uuid: BluetoothUUID(high: 0x7A1D_3C5E_90B2_4F6A, low: 0x8C41_D2E7_5B60_9F13), characteristics: [])

    private let daemon: BluetoothdConnection
    private let claim: AdapterClaim
    private let links: PeripheralLinks
    private let recorder: PacketRecorder
    /// The applications: what was published, if anything, and one for each service that was added.
    private var applications: [PublishedApplication] = []
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
    var isServing: Bool { !applications.isEmpty }

    /// A characteristic by its UUID: in the service of the characteristic `sibling`, else the first.
    func characteristic(
        _ uuid: BluetoothUUID, besides sibling: String?
    ) -> GATTApplicationObjects.Characteristic? {
        if let sibling,
            let found = applications.first(where: { $0.objects.holds(sibling) })?.objects[
                uuid, besides: sibling]
        {
            return found
        }
        return applications.lazy.compactMap { $0.objects[uuid] }.first
    }

    /// Returns the number of indications of a characteristic that were confirmed so far.
    func confirmations(of object: String) -> Int { confirmations[object] ?? 0 }

    // MARK: - Registration

    /// Publishes services, see `PeripheralRadio`.
    func publish(_ services: [ServiceDefinition], isolation: isolated any Actor = #isolation) async throws(RadioError) {
        try await daemon.adapter.awaitPresence()
        guard links.isEmpty else {
            throw RadioError(.unsupported, "services cannot be replaced while a central is connected")
        }
        let objects = try makeObjects(services)
        try claim.take()
        let hadServices = isServing
        await unregister()
        applications = services.isEmpty ? [] : [PublishedApplication(objects: objects, added: nil)]
        if !services.isEmpty {
            try await registerForSure(objects.root)
        } else if hadServices {
            await overwriteStorage()
        }
    }

    /// Adds a service, see `PeripheralRadio`.
    func add(_ service: ServiceDefinition, isolation: isolated any Actor = #isolation) async throws(RadioError) {
        try await daemon.adapter.awaitPresence()
        guard !applications.contains(where: { $0.objects.hasService(service.uuid) }) else {
            throw RadioError(.unsupported, "the service \(service.uuid) is published already")
        }
        guard applications.count(where: { $0.added != nil }) < Self.maximumAdded else {
            throw RadioError(.tooLarge, "a radio has at most \(Self.maximumAdded) services that were added")
        }
        let objects = try makeObjects([service])
        try claim.take()
        applications.append(PublishedApplication(objects: objects, added: service.uuid))
        do throws(RadioError) { try await registerForSure(objects.root) } catch {
            applications.removeAll { $0.objects.root == objects.root }
            throw error
        }
    }

    /// Removes a service that was added, see `PeripheralRadio`.
    func remove(_ uuid: BluetoothUUID, isolation: isolated any Actor = #isolation) async {
        guard let index = applications.firstIndex(where: { $0.added == uuid }) else { return }
        let application = applications.remove(at: index)
        links.forgetSubscriptions { application.objects.holds($0) }
        for characteristic in application.objects.characteristics { confirmations[characteristic.path] = nil }
        await unregister(application)
        await overwriteStorage()
    }

    /// Has bluetoothd write the file anew in which it stores local services.
    ///
    /// It does so when one is added, and leaves those in it that were removed since. The UUID of a session with a phone
    /// names that transaction.
    private func overwriteStorage(isolation: isolated any Actor = #isolation) async {
        guard let objects = try? makeObjects([Self.placeholder]) else { return }
        applications.append(PublishedApplication(objects: objects, added: Self.placeholder.uuid))
        try? await register(objects.root)
        guard let index = applications.firstIndex(where: { $0.objects.root == objects.root }) else { return }
        await unregister(applications.remove(at: index))
    }

    private func makeObjects(_ services: [ServiceDefinition]) throws(RadioError) -> GATTApplicationObjects {
        publications += 1
        return try GATTApplicationObjects(services, root: "/org/symbolon/app\(publications)")
    }

    /// Sets the value that reads return, see `PeripheralRadio`.
    func setValue(_ value: [UInt8], of characteristic: BluetoothUUID) throws(RadioError) {
        try daemon.adapter.checkUsable()
        guard value.count <= 512 else { throw RadioError(.tooLarge, "a value has at most 512 bytes") }
        var isSet = false
        for index in applications.indices where applications[index].objects.setValue(value, of: characteristic) {
            isSet = true
        }
        guard isSet else {
            throw RadioError(.notFound, "no such characteristic was published")
        }
    }

    /// Answers the read that a central waits for.
    func answerRead(_ value: [UInt8], on link: LinkID) { links.session(of: link)?.answerRead(value) }

    /// Records that bluetoothd no longer has the published services.
    func forgotten() {
        for index in applications.indices { applications[index].isRegistered = false }
    }

    /// Publishes the services again that were published before bluetoothd went away.
    func restore(isolation: isolated any Actor = #isolation) async {
        for application in applications where !application.isRegistered {
            try? await register(application.objects.root)
        }
    }

    /// Takes the services back.
    func unregister(isolation: isolated any Actor = #isolation) async {
        let former = applications
        forgotten()
        for application in former { await unregister(application) }
    }

    private func unregister(_ application: PublishedApplication, isolation: isolated any Actor = #isolation) async {
        guard application.isRegistered else { return }
        await callUnregister(application.objects.root)
    }

    private func callUnregister(_ root: String, isolation: isolated any Actor = #isolation) async {
        _ = await daemon.bus.call(
            daemon.adapter.path, BlueZNames.applicationManager, "UnregisterApplication", [.path(root)])
    }

    /// Calls RegisterApplication, for an application that bluetoothd has already a second time.
    ///
    /// bluetoothd keeps an application while the adapter is off, and asks for its objects and their handles only when
    /// it is registered.
    private func callRegister(
        _ root: String, isolation: isolated any Actor = #isolation
    ) async -> Result<[DBusValue], DBusError> {
        func call(isolation: isolated any Actor) async -> Result<[DBusValue], DBusError> {
            await daemon.bus.call(
                daemon.adapter.path, BlueZNames.applicationManager, "RegisterApplication",
                [.path(root), .properties([])])
        }
        let answer = await call(isolation: isolation)
        guard case .failure(let error) = answer, error.name.hasSuffix(".AlreadyExists") else { return answer }
        await callUnregister(root)
        return await call(isolation: isolation)
    }

    /// Registers an application; when what went away in the middle is back, waits until it was registered again.
    private func registerForSure(_ root: String, isolation: isolated any Actor = #isolation) async throws(RadioError) {
        do throws(RadioError) { try await register(root) } catch {
            guard daemon.adapter.isAbsent else { throw error }
            try await daemon.adapter.awaitPresence()
            let isDone = await daemon.waiters.until(.seconds(10)) {
                self.applications.contains { $0.objects.root == root && $0.isRegistered }
            }
            guard isDone else { throw error }
        }
    }

    private func register(_ root: String, isolation: isolated any Actor = #isolation) async throws(RadioError) {
        trying: for handle in handlesToTry(for: root) + [nil] {
            guard let index = applications.firstIndex(where: { $0.objects.root == root }) else { return }
            applications[index].objects.forgetHandles()
            applications[index].objects.firstHandle = handle
            let count = applications[index].objects.attributeCount
            switch await callRegister(root) {
            case .success:
                if let handle { claim.note(handle: UInt16(Int(handle) + count)) }
                break trying
            // The handles may be taken.
            case .failure(let error) where handle != nil && error.name.hasSuffix(".Failed"): continue
            case .failure(let error): throw RadioError(error, during: "the publication of services")
            }
        }
        guard let index = applications.firstIndex(where: { $0.objects.root == root }) else {
            // Removed while bluetoothd registered it.
            return await callUnregister(root)
        }
        applications[index].isRegistered = true
    }

    /// The first handles that are tried for an application, none of them another application's of ours.
    private func handlesToTry(for root: String) -> [UInt16?] {
        guard let count = applications.first(where: { $0.objects.root == root })?.objects.attributeCount else {
            return []
        }
        let taken = applications.filter { $0.objects.root != root && $0.isRegistered }.compactMap { other in
            other.objects.firstHandle.map { Int($0)..<Int($0) + other.objects.attributeCount }
        }
        let next = claim.nextHandle.map(Int.init) ?? Self.handles.lowerBound
        let places =
            Array(stride(from: next, to: Self.handles.upperBound, by: Self.handleStep.distance))
            + Array(stride(from: Self.handles.lowerBound, to: Self.handles.upperBound, by: Self.handleStep.distance))
        return places.filter { start in
            Self.handles.contains(start) && start + count <= Self.handles.upperBound
                && !taken.contains { $0.overlaps(start..<start + count) }
        }.prefix(Self.handleStep.tries).map { UInt16($0) }
    }

    // MARK: - Calls of bluetoothd

    static let unknown = DBusError("org.freedesktop.DBus.Error.UnknownMethod", "there is no such method")

    /// Answers a D-Bus call to a published object; `advertisement` has the properties of the advertisement whose object
    /// is called, nil for another object.
    func serve(_ call: SystemBus.IncomingBusCall, advertisement: [(name: String, value: DBusValue)]?) {
        switch call.message.interface {
        case BlueZNames.objectManager: serveObjects(call)
        case BlueZNames.properties: serveProperties(call, advertisement)
        case BlueZNames.characteristic: serveCharacteristic(call)
        case BlueZNames.advertisement: call.reply()
        default: call.fail(Self.unknown)
        }
    }

    private func serveObjects(_ call: SystemBus.IncomingBusCall) {
        guard let application = applications.first(where: { $0.objects.root == call.message.path }) else {
            return call.fail(Self.unknown)
        }
        call.reply([application.objects.managedObjects])
    }

    private func serveProperties(
        _ call: SystemBus.IncomingBusCall, _ advertisement: [(name: String, value: DBusValue)]?
    ) {
        let path = call.message.path
        let arguments = call.message.arguments
        let index = applications.firstIndex { $0.objects.holds(path) }
        let properties =
            advertisement.map { .properties($0) } ?? index.flatMap { applications[$0].objects.properties(path) }
        guard let properties else { return call.fail(Self.unknown) }
        switch call.message.member {
        case "GetAll": call.reply([properties])
        case "Get":
            let value = arguments.last?.text.flatMap { properties.properties?[$0] }
            if let value { call.reply([.variant(value)]) } else { call.fail(Self.unknown) }
        case "Set":
            if arguments.count == 3, arguments[1].text == "Handle", let handle = arguments[2].number, let index {
                applications[index].objects.setHandle(UInt16(clamping: handle), path: path)
            }
            call.reply()
        default: call.fail(Self.unknown)
        }
    }

    private func serveCharacteristic(_ call: SystemBus.IncomingBusCall) {
        let path = call.message.path
        guard
            let characteristic = applications.first(where: { $0.objects.holds(path) })?.objects[path: path]
        else { return call.fail(Self.unknown) }
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
            links.announceSubscription(by: options["device"]?.text, mtu: options["mtu"]?.number, to: path)
            call.fail(DBusError("org.bluez.Error.NotSupported", "values are told as a property"))
        case "StartNotify":
            call.reply()
            links.subscribed(to: uuid, path)
        case "StopNotify":
            call.reply()
            links.unsubscribed(from: uuid, path)
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
        // A command may fill an MTU of 517: its sender would not learn that it was lost.
        guard write.value.count <= 512 || write.isCommand ?? !call.expectsReply else {
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
