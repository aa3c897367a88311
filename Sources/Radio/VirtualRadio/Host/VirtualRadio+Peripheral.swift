public import Bluetooth
import Determinism
public import Radio
import Simulation

// The peripheral role: the database, advertising and pushing values.
extension VirtualRadio {
    /// Replaces the published services, see `PeripheralRadio`.
    public func publish(_ services: [ServiceDefinition]) async throws(RadioError) {
        try checkOpen()
        guard sessions.isEmpty else {
            throw RadioError(.unsupported, "services cannot be replaced while something is connected")
        }
        do { database = try GATTDatabase(services) } catch { throw RadioError(error) }
    }

    /// Starts or replaces advertising, see `PeripheralRadio`.
    public func startAdvertising(_ advertisement: Advertisement) async throws(RadioError) {
        try checkOpen()
        guard advertisement.data.count <= 31, advertisement.scanResponse.count <= 31 else {
            throw RadioError(.tooLarge, "advertising data and scan response have at most 31 bytes each")
        }
        self.advertisement = advertisement
        if isOnAir { command(advertisement) }
    }

    /// Stops advertising, see `PeripheralRadio`.
    public func stopAdvertising() async {
        guard advertisement != nil else { return }
        advertisement = nil
        controller.perform(.stopAdvertising)
    }

    /// Pushes a value, see `PeripheralRadio`.
    public func notify(
        _ value: [UInt8], of characteristic: BluetoothUUID, on link: LinkID, confirmed: Bool
    ) async throws(RadioError) {
        _ = try await run(.notify(value, of: characteristic, confirmed: confirmed), on: link)
    }

    /// Sets the value that reads return, see `PeripheralRadio`.
    public func setValue(_ value: [UInt8], of characteristic: BluetoothUUID) async throws(RadioError) {
        try checkOpen()
        do {
            try database.setValue(value, of: characteristic)
            for session in sessions.values { try session.server.database.setValue(value, of: characteristic) }
        } catch {
            throw RadioError(error)
        }
    }

    /// Ends a link, see `PeripheralRadio`.
    public func disconnect(_ link: LinkID) async {
        await disconnectAndWait(link)
    }

    /// What is known about a link, also for a while after its end.
    public func statistics(of link: LinkID) async -> LinkStatistics {
        _ = try? await run(.statistics, on: link)
        return session(link)?.statistics ?? ended[link] ?? LinkStatistics()
    }

    /// A connection as peripheral is up; the controller has stopped advertising.
    func admit(_ session: LinkSession) {
        advertisement = nil
        peripheralEvents.put(
            .connected(session.id, peer: session.peer), limit: Self.maximumEvents + Self.eventReserve)
    }

    func command(_ advertisement: Advertisement) {
        let microseconds = advertisement.interval.wholeNanoseconds / 1000
        controller.perform(
            .startAdvertising(
                data: advertisement.data, scanResponse: advertisement.scanResponse,
                intervalMicroseconds: Int(clamping: microseconds), isConnectable: advertisement.isConnectable))
    }
}
