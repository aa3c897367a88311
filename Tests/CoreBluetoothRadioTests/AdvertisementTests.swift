import Bluetooth
import Radio
import Testing

@testable import CoreBluetoothRadio

@Suite struct AdvertisementTests {
    private static let address = DeviceAddress(staticRandom: 1)
    private static let short = BluetoothUUID(UInt16(0xFCF6))
    private static let long = BluetoothUUID(high: 0x4281_32AF_4746_42D3, low: 0x801E_4572_D65B_FD9B)

    @Test func `the fields that Core Bluetooth reports of an advertisement make one report in a fixed order`() {
        var heard = HeardAdvertisement()
        heard.services = [Self.long, Self.short]
        heard.serviceData = [BluetoothUUID(UInt16(2)): [7], BluetoothUUID(UInt16(1)): [5, 6]]
        heard.manufacturerData = [0xF1, 0x05, 9]
        heard.transmitPower = 12
        heard.name = "A"
        let report = heard.report(from: Self.address, rssi: -50)
        #expect(report.kind == .connectable)
        #expect(report.rssi == -50)
        let data = AdvertisingData(parsing: report.data)
        #expect(data.problem == nil)
        #expect(data.serviceUUIDs == [Self.short, Self.long])
        #expect(data.serviceData.map(\.data) == [[5, 6], [7]])
        #expect(data.manufacturerData.map(\.company) == [0x05F1])
        #expect(data.manufacturerData.map(\.data) == [[9]])
        #expect(data.transmitPower == 12)
        #expect(data.localName == "A")
    }

    @Test func `a service in an iPhone's overflow area is listed once, like any other`() {
        var heard = HeardAdvertisement()
        heard.services = [Self.short]
        heard.overflowServices = [Self.short, Self.long]
        heard.isConnectable = false
        let report = heard.report(from: Self.address, rssi: nil)
        #expect(report.kind == .broadcast)
        #expect(AdvertisingData(parsing: report.data).serviceUUIDs == [Self.short, Self.long])
    }

    @Test func `a Core Bluetooth device identifier becomes a static random address`() {
        let one = DeviceAddress(systemIdentifier: [0, 1, 2, 3, 4, 5, 6, 7])
        #expect(one == DeviceAddress(systemIdentifier: [0xC0, 1, 2, 3, 4, 5]))
        #expect(one.description == "C0:01:02:03:04:05")
        #expect(one.kind == .random)
    }

    @Test func `Core Bluetooth advertises services and a name, and sets flags and transmit power itself`() throws {
        let data = try AdvertisingData([
            .flags(6), .services([Self.short]), .services([Self.long]), .transmitPower(3),
        ]).encoded()
        let request = try SystemAdvertisement(Advertisement(data: data, scanResponse: []))
        #expect(request == SystemAdvertisement(services: [Self.short, Self.long]))
        let named = try AdvertisingData([.localName("Desk")]).encoded()
        #expect(try SystemAdvertisement(Advertisement(data: named, scanResponse: [])).name == "Desk")
    }

    @Test(arguments: [
        Advertisement(data: [4, 0x16, 0x10, 0xFF, 1], scanResponse: []),
        Advertisement(data: [4, 0xFF, 0x4C, 0, 1], scanResponse: []),
        Advertisement(data: [], scanResponse: [2, 0x0A, 4]),
        Advertisement(data: [], scanResponse: [], isConnectable: false),
    ]) func `Core Bluetooth advertises no service data, manufacturer data, scan response or broadcast`(
        advertisement: Advertisement
    ) {
        #expect(throws: RadioError(.unsupported, "")) { try SystemAdvertisement(advertisement) }
    }

    @Test func `Core Bluetooth can advertise 31 bytes and not 32`() throws {
        let full: [UInt8] = [30, 0x09] + [UInt8](repeating: 0x41, count: 29)
        #expect(try SystemAdvertisement(Advertisement(data: full, scanResponse: [])).name?.count == 29)
        #expect(throws: RadioError(.tooLarge, "")) {
            try SystemAdvertisement(Advertisement(data: full + [0], scanResponse: []))
        }
        #expect(throws: RadioError(.tooLarge, "")) {
            try SystemAdvertisement(Advertisement(data: [], scanResponse: full + [0]))
        }
    }
}
