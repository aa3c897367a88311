import Bluetooth

/// The services that this device publishes, and those that it discovers on others.
enum HeraldServices {
    /// Returns the services to publish: one for each advertised generation, with the same characteristics (HP-62).
    static func published(_ configuration: HeraldConfiguration) -> [ServiceDefinition] {
        var characteristics = [payload(configuration.platform.signal), signal(configuration.platform.signal)]
        var extra: [ServiceDefinition] = []
        if let legacy = configuration.legacy {
            let definition = CharacteristicDefinition(
                uuid: legacy.characteristic, properties: [.read, .write, .writeWithoutResponse],
                initialValue: Array(legacy.payload.prefix(512)))
            if let service = legacy.service {
                extra = [ServiceDefinition(uuid: service, characteristics: [definition])]
            } else {
                characteristics.append(definition)
            }
        }
        let names = configuration.advertisement.services ?? [HeraldUUIDs.service, HeraldUUIDs.documentedService]
        return names.map { ServiceDefinition(uuid: $0, characteristics: characteristics) } + extra
    }

    /// Returns the payload characteristic, which can be read, and on an iPhone also subscribed to (HP-17).
    private static func payload(_ kind: SignalCharacteristicKind) -> CharacteristicDefinition {
        switch kind {
        case .compliant: CharacteristicDefinition(uuid: HeraldUUIDs.payload, properties: .read)
        case .nonCompliant:
            CharacteristicDefinition(
                uuid: HeraldUUIDs.payload, properties: [.read, .notify], hasClientConfiguration: true)
        }
    }

    private static func signal(_ kind: SignalCharacteristicKind) -> CharacteristicDefinition {
        switch kind {
        case .compliant: CharacteristicDefinition(uuid: HeraldUUIDs.compliantSignal, properties: .write)
        case .nonCompliant:
            CharacteristicDefinition(
                uuid: HeraldUUIDs.nonCompliantSignal, properties: [.write, .notify], hasClientConfiguration: true)
        }
    }

    /// Returns the services that a scan filters by; none if devices without services must be received too.
    static func scanned(_ configuration: HeraldConfiguration) -> [BluetoothUUID] {
        guard configuration.introspection == .off else { return [] }
        return detected(configuration)
    }

    /// Returns the services to discover on a link.
    static func wanted(_ configuration: HeraldConfiguration) -> [BluetoothUUID] {
        var services = detected(configuration)
        if let legacy = configuration.legacy?.service { services.append(legacy) }
        if configuration.readsModel { services.append(HeraldUUIDs.deviceInformation) }
        return services
    }

    private static func detected(_ configuration: HeraldConfiguration) -> [BluetoothUUID] {
        let detection = configuration.detection
        var services = detection.findsCurrent ? [HeraldUUIDs.service] : []
        if detection.findsDocumented { services.append(HeraldUUIDs.documentedService) }
        return services + detection.services
    }
}
