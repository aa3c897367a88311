import Radio

/// The parts of a radio in the central role; each keeps its own state.
struct CentralRoleParts {
    let links: CentralLinks
    let scanner: DeviceScanner
    let connector: DeviceConnector
    let commands: WriteCommands
    let attributes: RemoteAttributes
    let subscriptions: RemoteSubscriptions

    init(_ daemon: BluetoothdConnection, links: CentralLinks, recorder: PacketRecorder, disconnector: LinkDisconnector)
    {
        self.links = links
        scanner = DeviceScanner(daemon, recorder: recorder)
        connector = DeviceConnector(daemon, scanner: scanner, links: links, disconnector: disconnector)
        commands = WriteCommands(daemon, links: links)
        attributes = RemoteAttributes(daemon, links: links, commands: commands, recorder: recorder)
        subscriptions = RemoteSubscriptions(daemon, links: links)
    }

    /// Ends the scans and the attempts to connect, for a radio that is closed.
    func shut(_ error: RadioError) {
        scanner.fail(error)
        connector.fail(error)
        scanner.close()
    }

    /// Ends the attempts to connect and the links, one after the other.
    func disconnectAll(isolation: isolated any Actor = #isolation) async {
        await connector.withdraw()
        await links.disconnectAll()
    }
}
