import Bluetooth
package import Determinism

/// One peripheral radio for several users side by side, such as a verifier of wallets and a session with a phone.
///
/// Each user gets a radio of its own on the same device: with services of its own, an advertisement of its own, and the
/// events of the characteristics in its services. Connections, MTUs and disconnections are reported to all, because
/// before the first write it is not known whose central it is; from then on the link belongs to the user that was
/// written to, and is reported as down to the others, until their services are used too. A link ends when the user that
/// it belongs to ends it, or when every user has: to one that ends a link of another it is reported as down, and goes
/// on. So a user that sends strangers away does no harm to the others.
package actor SharedPeripheralRadio {
    /// The most users at a time.
    package static let maximumUsers = 8
    /// The most events that wait for one user.
    private static let maximumEvents = 4096
    /// The events beyond `maximumEvents` that only connections and disconnections may use.
    private static let eventReserve = 512

    private struct SharingUser {
        let events: SingleConsumerQueue<PeripheralEvent>
        var services: [ServiceDefinition] = []

        func serves(_ characteristic: BluetoothUUID) -> Bool {
            services.contains { $0.characteristics.contains { $0.uuid == characteristic } }
        }
    }

    /// The least time between two changes of a user's advertisement while another user advertises too.
    ///
    /// A controller without sets of advertising shows one advertisement after the other, which bluetoothd leaves to the
    /// kernel: two seconds each. A change begins anew with the one that was changed, so that two users of which one
    /// changes its advertisement each second would leave no time to the other.
    package static let changeInterval = Duration.seconds(5)

    private struct SharedAdvertisement {
        /// The instant from which it may change while others are there.
        let changeable: MonotonicInstant
        /// The advertisement that takes its place then; nil for none.
        var next: Advertisement?
        /// The wait for that instant; nil for none.
        var change: Task<Void, Never>?
    }

    private struct SharedLink {
        let peer: DeviceAddress
        /// The ATT MTU; nil before it was reported.
        var mtu: Int?
        /// The user that the link belongs to; nil before a characteristic was used.
        var owner: UInt8?
        /// The users that know of the link.
        var users: Set<UInt8> = []
        /// The users that ended the link, while others go on with it.
        var leavers: Set<UInt8> = []
        /// The number of events that did not fit the queue of their user.
        var dropped = 0
    }

    private let radio: any CentralRadio & PeripheralRadio
    private var users: [UInt8: SharingUser] = [:]
    private var links: [LinkID: SharedLink] = [:]
    private var advertisements: [UInt8: SharedAdvertisement] = [:]
    private let clock: any MonotonicClock
    private var lastUser: UInt8 = 0
    private var listening: Task<Void, Never>?
    private var isOver = false

    /// Shares a radio, of which nothing else takes the events or publishes services from now on.
    ///
    /// - Throws: `unsupported` when it adds no services, or has one advertisement at a time.
    package init(
        _ radio: any CentralRadio & PeripheralRadio, clock: any MonotonicClock = SystemMonotonicClock()
    ) throws(RadioError) {
        guard radio.addsServices, radio.advertisesSeveral else {
            throw RadioError(.unsupported, "this radio has services and advertisements for one user alone")
        }
        self.radio = radio
        self.clock = clock
    }

    deinit { listening?.cancel() }

    /// Makes the radio of one more user; `leave` ends it.
    ///
    /// - Throws: `tooLarge` beyond `maximumUsers`, `unavailable` when the radio is closed or lost.
    package func makeUser() throws(RadioError) -> SharedRadioUser {
        guard !isOver else { throw RadioError(.unavailable, "the radio is closed") }
        guard users.count < Self.maximumUsers else {
            throw RadioError(.tooLarge, "\(users.count) users share the radio already")
        }
        // Not a number of before: the links of a user that left may still be ending.
        repeat { lastUser &+= 1 } while users[lastUser] != nil
        let number = lastUser
        listen()
        let user = SharingUser(events: SingleConsumerQueue())
        users[number] = user
        return SharedRadioUser(shared: self, radio: radio, number: number, queue: user.events)
    }

    // MARK: - Events

    private func listen() {
        guard listening == nil else { return }
        listening = Task { [weak self, events = radio.events] in
            for await event in events { await self?.route(event) }
            if !Task.isCancelled { await self?.end() }
        }
    }

    /// Ends the events of all users, because the radio is closed or lost.
    private func end() {
        isOver = true
        for user in users.values { user.events.finish() }
    }

    private func route(_ event: PeripheralEvent) {
        switch event {
        case .connected(let link, let peer):
            links[link] = SharedLink(peer: peer)
            for number in users.keys.sorted() { introduce(link, to: number) }
        case .mtu(let link, let mtu):
            links[link]?.mtu = mtu
            for number in links[link]?.users.sorted() ?? [] { tell(event, to: number, link) }
        case .written(let link, let characteristic, _, _), .read(let link, let characteristic, _):
            use(link, characteristic, event, makesOwner: true)
        case .subscribed(let link, let characteristic, let isSubscribed):
            use(link, characteristic, event, makesOwner: isSubscribed)
        case .disconnected(let link, _):
            for number in links[link]?.users.sorted() ?? [] { tell(event, to: number, link) }
            links[link] = nil
        }
    }

    /// Reports an event of a characteristic to the user whose service it is in, unless that user has ended the link.
    private func use(
        _ link: LinkID, _ characteristic: BluetoothUUID, _ event: PeripheralEvent, makesOwner: Bool
    ) {
        guard let number = users.first(where: { $0.value.serves(characteristic) })?.key, let state = links[link],
            !state.leavers.contains(number)
        else { return }
        introduce(link, to: number)
        if makesOwner, state.owner == nil { own(link, number) }
        tell(event, to: number, link)
    }

    /// Gives a link to a user, and reports it as down to the others: it is none of theirs.
    private func own(_ link: LinkID, _ number: UInt8) {
        links[link]?.owner = number
        for other in links[link]?.users.sorted() ?? [] where other != number {
            links[link]?.users.remove(other)
            tell(.disconnected(link, .local), to: other, link)
        }
    }

    /// Reports a link to a user that does not know of it.
    private func introduce(_ link: LinkID, to number: UInt8) {
        guard let state = links[link], links[link]?.users.insert(number).inserted == true else { return }
        tell(.connected(link, peer: state.peer), to: number, link)
        if let mtu = state.mtu { tell(.mtu(link, mtu), to: number, link) }
    }

    private func tell(_ event: PeripheralEvent, to number: UInt8, _ link: LinkID) {
        let reserve: Int
        switch event {
        case .connected, .disconnected: reserve = Self.eventReserve
        case .mtu, .written, .read, .subscribed: reserve = 0
        }
        if users[number]?.events.put(event, limit: Self.maximumEvents + reserve) == false { links[link]?.dropped += 1 }
    }

    // MARK: - What users ask for

    /// Publishes the services of one user in place of those that it published before.
    func publish(_ services: [ServiceDefinition], by number: UInt8) async throws(RadioError) {
        let former = users[number]?.services ?? []
        try reserve(services, for: number)
        for service in former where !services.contains(service) { await radio.removeService(service.uuid) }
        var done = former.filter(services.contains)
        for service in services where !former.contains(service) {
            do throws(RadioError) { try await radio.addService(service) } catch {
                users[number]?.services = done
                throw error
            }
            done.append(service)
        }
    }

    /// Adds a service of one user.
    func addService(_ service: ServiceDefinition, by number: UInt8) async throws(RadioError) {
        let former = users[number]?.services ?? []
        guard !former.contains(where: { $0.uuid == service.uuid }) else {
            throw RadioError(.unsupported, "the service \(service.uuid) is published already")
        }
        try reserve(former + [service], for: number)
        do throws(RadioError) { try await radio.addService(service) } catch {
            users[number]?.services.removeAll { $0.uuid == service.uuid }
            throw error
        }
    }

    /// Removes a service of one user.
    func removeService(_ uuid: BluetoothUUID, by number: UInt8) async {
        guard let services = users[number]?.services, services.contains(where: { $0.uuid == uuid }) else { return }
        users[number]?.services.removeAll { $0.uuid == uuid }
        await radio.removeService(uuid)
    }

    /// Notes the services of a user, before the radio has them.
    ///
    /// - Throws: `unsupported` when another user has a characteristic with one of their UUIDs, since events name no
    ///   more than that; `unavailable` when the user has left.
    private func reserve(_ services: [ServiceDefinition], for number: UInt8) throws(RadioError) {
        guard users[number] != nil else { throw RadioError(.unavailable, "the radio is closed") }
        for characteristic in services.flatMap(\.characteristics)
        where users.contains(where: { $0.key != number && $0.value.serves(characteristic.uuid) }) {
            throw RadioError(
                .unsupported, "another user of the radio has the characteristic \(characteristic.uuid)")
        }
        users[number]?.services = services
    }

    /// Advertises for a user; a change that comes too early while others advertise is made later, the last one alone.
    ///
    /// A change that fails later leaves the advertisement of before.
    func startAdvertising(_ advertisement: Advertisement, by number: UInt8) async throws(RadioError) {
        let present = advertisements[number]
        if let present, advertisements.count > 1, clock.now() < present.changeable {
            advertisements[number]?.next = advertisement
            if present.change == nil { advertisements[number]?.change = changeLater(number, at: present.changeable) }
            return
        }
        present?.change?.cancel()
        advertisements[number] = SharedAdvertisement(changeable: clock.now() + Self.changeInterval)
        do throws(RadioError) { try await radio.startAdvertising(advertisement, number: number) } catch {
            advertisements[number] = present.map { SharedAdvertisement(changeable: $0.changeable) }
            throw error
        }
    }

    private func changeLater(_ number: UInt8, at instant: MonotonicInstant) -> Task<Void, Never> {
        Task { [weak self, clock] in
            try? await clock.wait(until: instant)
            await self?.change(number)
        }
    }

    private func change(_ number: UInt8) async {
        guard !Task.isCancelled, let next = advertisements[number]?.next else { return }
        advertisements[number] = SharedAdvertisement(changeable: clock.now() + Self.changeInterval)
        try? await radio.startAdvertising(next, number: number)
    }

    /// Ends the advertisement of a user.
    func stopAdvertising(by number: UInt8) async {
        advertisements.removeValue(forKey: number)?.change?.cancel()
        await radio.stopAdvertising(number: number)
    }

    /// Refuses a characteristic that is not in the services of a user, and a link that is down for it.
    func check(_ characteristic: BluetoothUUID, of number: UInt8, on link: LinkID? = nil) throws(RadioError) {
        guard users[number]?.serves(characteristic) == true else {
            throw RadioError(.notFound, "no characteristic \(characteristic) is published")
        }
        if let link, !holds(link, number) { throw RadioError(.linkLost, "the link is down") }
    }

    /// Returns true while a link is up for a user: it knows of it, and has not ended it.
    func holds(_ link: LinkID, _ number: UInt8) -> Bool { links[link]?.users.contains(number) ?? false }

    /// The number of events of a link that did not fit the queue of their user.
    func dropped(of link: LinkID) -> Int { links[link]?.dropped ?? 0 }

    /// Ends a link for one user, and at the device when it belongs to that user or the others have ended it too.
    func disconnect(_ link: LinkID, by number: UInt8) async {
        guard let state = links[link], state.users.contains(number) else { return }
        if state.owner == number || state.owner == nil && state.users == [number] {
            return await radio.disconnect(link)
        }
        links[link]?.users.remove(number)
        links[link]?.leavers.insert(number)
        users[number]?.events.put(
            .disconnected(link, .local), limit: Self.maximumEvents + Self.eventReserve)
    }

    /// Takes away what a user published and advertises, and ends its links.
    func leave(_ number: UInt8) async {
        guard let user = users.removeValue(forKey: number) else { return }
        user.events.finish()
        await stopAdvertising(by: number)
        for link in links.keys.sorted() {
            guard let state = links[link] else { continue }
            links[link]?.users.remove(number)
            if state.owner == number || state.users == [number] { await radio.disconnect(link) }
        }
        for service in user.services { await radio.removeService(service.uuid) }
    }
}
