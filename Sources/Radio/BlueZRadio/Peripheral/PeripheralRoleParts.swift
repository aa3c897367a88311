import Radio

/// The parts of a radio in the peripheral role; each keeps its own state.
struct PeripheralRoleParts {
    let links: PeripheralLinks
    let services: PublishedServices
    let advertisers: Advertisers
    let notifier: ValueNotifier
    private let claim: AdapterClaim

    init(
        _ daemon: BluetoothdConnection, links: PeripheralLinks, recorder: PacketRecorder,
        management: BluetoothManagementSocket
    ) {
        self.links = links
        claim = AdapterClaim(daemon.adapter)
        services = PublishedServices(daemon, claim: claim, links: links, recorder: recorder)
        advertisers = Advertisers(daemon, management: management, claim: claim)
        notifier = ValueNotifier(daemon, services: services, links: links, recorder: recorder)
    }

    /// Closes the socket for raw packets and releases the adapter, for a radio that is closed.
    func shut() {
        notifier.close()
        claim.release()
    }

    /// Ends the links, one after the other, and takes the services back.
    func disconnectAll(isolation: isolated any Actor = #isolation) async {
        await links.disconnectAll()
        await services.unregister()
    }

    /// Publishes and advertises again, once bluetoothd and the adapter are back.
    func restore(isolation: isolated any Actor = #isolation) async {
        await services.restore()
        await advertisers.restore()
    }

    /// Answers a D-Bus call to an object of ours.
    func serve(_ call: SystemBus.IncomingBusCall) {
        services.serve(call, advertisement: advertisers.properties(at: call.message.path))
    }
}
