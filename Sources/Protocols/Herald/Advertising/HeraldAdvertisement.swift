public import Bluetooth

/// The advertisement that a Herald device transmits.
///
/// Advertising data: flags, list of 16-bit services, list of 128-bit services, transmit power, pseudo device address,
/// as far as each is wanted. Without a pseudo address both generations of the service fit (25 bytes); with one, the
/// assigned service and the address do (17 bytes), as deployed Android libraries from 2.1 on send it.
public struct HeraldAdvertisement: Hashable, Sendable {
    /// The optional parts of the advertisement.
    public struct Content: Hashable, Sendable {
        /// The service UUIDs to advertise; nil: both generations, or only the assigned one beside a pseudo address.
        public var services: [BluetoothUUID]?
        /// The company number before the pseudo address; nil for the default.
        ///
        /// The assigned one, or the documented one where only the documented service is named.
        public var company: UInt16?
        /// The transmit power to advertise, in dBm; nil for none.
        public var transmitPower: Int8?

        /// Makes the default content.
        public init(services: [BluetoothUUID]? = nil, company: UInt16? = nil, transmitPower: Int8? = nil) {
            self.services = services
            self.company = company
            self.transmitPower = transmitPower
        }
    }

    /// The advertising data: at most 31 bytes.
    public let data: [UInt8]
    /// The scan response: empty unless the pseudo address found no room in the advertising data.
    public let scanResponse: [UInt8]

    /// Makes the advertisement of a Herald device.
    ///
    /// - Throws: `herald.advertisement.too-long` when the services do not fit; `herald.configuration.invalid` without
    /// any.
    public init(_ content: Content = Content(), pseudoAddress: PseudoDeviceAddress? = nil) throws(HeraldError) {
        let services =
            content.services
            ?? (pseudoAddress == nil ? [HeraldUUIDs.service, HeraldUUIDs.documentedService] : [HeraldUUIDs.service])
        guard !services.isEmpty else {
            throw HeraldError(.configurationInvalid, "An advertisement names at least one service.")
        }
        var structures = [AdvertisingStructure.flags(0x06)]
        let short = services.filter { $0.short != nil }
        let long = services.filter { $0.short == nil }
        if !short.isEmpty { structures.append(.services(short)) }
        if !long.isEmpty { structures.append(.services(long)) }
        if let power = content.transmitPower { structures.append(.transmitPower(power)) }
        let company =
            content.company
            ?? (services == [HeraldUUIDs.documentedService] ? HeraldCompany.documented : HeraldCompany.current)
        let address = pseudoAddress.map { AdvertisingStructure.manufacturerData(company: company, $0.bytes) }
        let free = AdvertisingData.maximumBytes - structures.reduce(0) { $0 + $1.byteCount }
        let fits = address.map { $0.byteCount <= free } ?? true
        data = try Self.encode(structures + (fits ? [address].compactMap { $0 } : []))
        scanResponse = try Self.encode(fits ? [] : [address].compactMap { $0 })
    }

    private static func encode(_ structures: [AdvertisingStructure]) throws(HeraldError) -> [UInt8] {
        do {
            return try AdvertisingData(structures).encoded()
        } catch {
            throw HeraldError(.advertisementTooLong, "The services and what belongs to them take more than 31 bytes.")
        }
    }
}
