import Bluetooth
import Radio

/// The services of a radio: those that are published, and those that were added to them.
struct VirtualServices {
    /// The attributes of all services, which each link serves.
    private(set) var database: GATTDatabase
    /// The UUIDs of the services that were added.
    private var added: Set<BluetoothUUID> = []

    /// Makes the services of a radio that publishes none.
    init() throws(RadioError) {
        do { database = try GATTDatabase([]) } catch { throw RadioError(error) }
    }

    /// Replaces all services.
    mutating func publish(_ services: [ServiceDefinition]) throws(RadioError) {
        do { database = try GATTDatabase(services) } catch { throw RadioError(error) }
        added = []
    }

    /// Adds a service.
    ///
    /// - Throws: `unsupported` when there is one with this UUID, `tooLarge`.
    mutating func add(_ service: ServiceDefinition) throws(RadioError) {
        guard !database.hasService(service.uuid) else {
            throw RadioError(.unsupported, "the service \(service.uuid) is published already")
        }
        do { try database.add(service) } catch { throw RadioError(error) }
        added.insert(service.uuid)
    }

    /// Removes a service that was added; false when there is none of this UUID.
    mutating func remove(_ uuid: BluetoothUUID) -> Bool {
        guard added.remove(uuid) != nil else { return false }
        database.remove(uuid)
        return true
    }

    /// Sets the value that reads of a characteristic return.
    mutating func setValue(_ value: [UInt8], of characteristic: BluetoothUUID) throws(GATTError) {
        try database.setValue(value, of: characteristic)
    }
}
