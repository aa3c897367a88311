import Bluetooth

/// The services that others find on this device, and those that are looked for on others.
enum HeraldServices {
    /// The published services: each generation that is advertised, with the same characteristics (HP-62).
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

    /// The payload characteristic, which can be read; on an iPhone it can be subscribed to as well (HP-17).
    private static func payload(_ kind: SignalKind) -> CharacteristicDefinition {
        switch kind {
        case .compliant: CharacteristicDefinition(uuid: HeraldUUIDs.payload, properties: .read)
        case .nonCompliant:
            CharacteristicDefinition(
                uuid: HeraldUUIDs.payload, properties: [.read, .notify], hasClientConfiguration: true)
        }
    }

    private static func signal(_ kind: SignalKind) -> CharacteristicDefinition {
        switch kind {
        case .compliant: CharacteristicDefinition(uuid: HeraldUUIDs.compliantSignal, properties: .write)
        case .nonCompliant:
            CharacteristicDefinition(
                uuid: HeraldUUIDs.nonCompliantSignal, properties: [.write, .notify], hasClientConfiguration: true)
        }
    }

    /// The services that a scan is filtered by; none where devices without services must be heard too.
    static func scanned(_ configuration: HeraldConfiguration) -> [BluetoothUUID] {
        guard configuration.introspection == .off else { return [] }
        return detected(configuration)
    }

    /// The services that are looked for on a link.
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
