import Bluetooth
import Radio

extension RadioConformance {
    private static var smallPeripheral: Settings {
        var settings = Settings()
        settings.peripheralMTU = 185
        return settings
    }

    static let discoveryCases = [
        Case("an exchange settles on the central's MTU where that is smaller", needs: [.exchangeMTU]) { bench in
            let pair = try await bench.pair()
            try requireEqual(try await pair.link.exchangeMTU(100), 100, "the MTU agreed on")
            try requireEqual(await pair.link.mtu, 100, "the MTU in force")
            let served = try await pair.served.first("the MTU at the peripheral") { event in
                if case .mtu(pair.linkID, let mtu) = event { mtu } else { nil }
            }
            try requireEqual(served, 100, "the MTU at the peripheral")
        },
        Case(
            "an exchange settles on the peripheral's MTU where that is smaller", needs: [.exchangeMTU, .peripheralMTU],
            settings: smallPeripheral
        ) { bench in
            let pair = try await bench.pair()
            try requireEqual(try await pair.link.exchangeMTU(517), 185, "the MTU agreed on")
            try requireEqual(await pair.link.mtu, 185, "the MTU in force")
        },
        Case("all services are found in their order") { bench in
            let pair = try await bench.pair()
            let found = try await pair.link.discoverServices(nil).map(\.uuid)
            let ours = found.filter { [Fixture.service, Fixture.otherService].contains($0) }
            try requireEqual(ours, [Fixture.service, Fixture.otherService], "the services")
        },
        Case("one service is found by its name, and one that is not there is not") { bench in
            let pair = try await bench.pair()
            let found = try await pair.link.discoverServices(Fixture.otherService).map(\.uuid)
            try requireEqual(found, [Fixture.otherService], "the service")
            let absent = try await pair.link.discoverServices(Fixture.absentService)
            try require(absent.isEmpty, "a service was found that is not there")
        },
        Case("characteristics are found with their properties") { bench in
            let pair = try await bench.pair()
            let found = try await pair.characteristics()
            for definition in Fixture.services.flatMap(\.characteristics) {
                guard let characteristic = found[definition.uuid] else {
                    throw ConformanceFailure("\(definition.uuid) was not found")
                }
                try requireEqual(characteristic.properties, definition.properties, "the properties")
            }
        },
        Case("characteristics are found with their descriptors", needs: [.chosenDescriptors]) { bench in
            let pair = try await bench.pair()
            let found = try await pair.characteristics()
            for definition in Fixture.services.flatMap(\.characteristics) {
                guard let characteristic = found[definition.uuid] else {
                    throw ConformanceFailure("\(definition.uuid) was not found")
                }
                try requireEqual(
                    characteristic.clientConfigurationHandle != nil, definition.hasClientConfiguration,
                    "whether \(definition.uuid) has a client configuration")
            }
        },
    ]
}
