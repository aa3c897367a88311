import Bluetooth
import Radio
import Testing

@testable import BlueZRadio

@Suite struct AdapterSelectorTests {
    private func adapter(_ index: UInt16, isPowered: Bool) -> AdapterSelector.Adapter {
        AdapterSelector.Adapter(
            path: "/org/bluez/hci\(index)", index: index, address: DeviceAddress(value: UInt64(index), kind: .public),
            isPowered: isPowered, isPeripheral: true, isCentral: true)
    }

    @Test func `Bluetooth adapters are listed in the order of their numbers`() {
        let found = AdapterSelector.adapters(in: Sample.tree())
        #expect(found.map(\.name) == ["hci0"])
        #expect(found.first?.address == DeviceAddress(value: 0x00AA_0100_0000, kind: .public))
        #expect(found.first?.isPeripheral == true)
    }

    @Test func `without an option the first powered Bluetooth adapter is used`() throws {
        let adapters = [adapter(0, isPowered: false), adapter(1, isPowered: true), adapter(2, isPowered: true)]
        #expect(try AdapterSelector.choose(nil, from: adapters).index == 1)
        #expect(try AdapterSelector.choose("hci2", from: adapters).index == 2)
    }

    @Test(
        arguments: [
            (nil, [], [], "driver"), ("hci3", [], [], "there is none"), ("hci3", [false], [], "there is hci0"),
            (nil, [false], [], "power on"), (nil, [false], ["hci0"], "rfkill unblock"),
            ("hci0", [false], ["hci0"], "rfkill unblock"),
        ] as [(String?, [Bool], Set<String>, String)])
    func `a missing Bluetooth adapter or bluetoothd is reported with the remedy`(
        name: String?, powered: [Bool], blocked: Set<String>, word: String
    ) throws {
        let adapters = powered.enumerated().map { adapter(UInt16($0.offset), isPowered: $0.element) }
        let error = try #require(throws: RadioError.self) {
            try AdapterSelector.choose(name, from: adapters, blocked: blocked)
        }
        #expect(error.code == .unavailable)
        #expect(error.reason.contains(word))
    }

    @Test func `the version of bluetoothd is read from the modalias of its adapters`() throws {
        let version = try #require(BluetoothdVersion(modalias: "usb:v1D6Bp0246d0542"))
        #expect(version.description == "5.66")
        #expect(version < .takesLongWrites)
        #expect(try #require(BluetoothdVersion(modalias: "bluetooth:v1D6Bp0246d0550")) == .hasScanResponse)
        #expect(BluetoothdVersion(5, 79) < .hasScanResponse)
        for other in ["usb:v1234p0246d0542", "usb:v1D6Bp0246d05", "usb:v1D6Bp0246dzzzz", ""] {
            #expect(BluetoothdVersion(modalias: other) == nil)
        }
    }
}

@Suite struct DeviceReportTests {
    private static let base: [String: DBusValue] = [
        "Address": .string("02:00:00:00:00:0A"), "AddressType": .string("random"), "RSSI": .int16(-61),
    ]

    @Test func `advertising fields that bluetoothd reports separately are joined in a fixed order`() throws {
        var device = Self.base
        device["AdvertisingFlags"] = .bytes([6])
        device["UUIDs"] = .strings(["0000ff10-0000-1000-8000-00805f9b34fb"])
        device["ServiceData"] = .properties([
            ("0000ff20-0000-1000-8000-00805f9b34fb", .bytes([1, 2])),
            ("0000ff10-0000-1000-8000-00805f9b34fb", .bytes([3])),
        ])
        device["ManufacturerData"] = .dictionary(
            key: "q", value: "v",
            [.init(.uint16(0x0102), .variant(.bytes([9]))), .init(.uint16(0x0101), .variant(.bytes([])))])
        let report = try #require(BlueZAdvertisementReport.report(of: device))
        #expect(report.address == DeviceAddress(value: 0x0200_0000_000A, kind: .random))
        #expect(report.kind == .connectable)
        #expect(report.rssi == -61)
        #expect(
            report.data == [
                2, 1, 6, 3, 2, 0x10, 0xFF, 4, 0x16, 0x10, 0xFF, 3, 5, 0x16, 0x20, 0xFF, 1, 2, 3, 0xFF, 1, 1, 4, 0xFF, 2,
                1, 9,
            ])
    }

    @Test func `a signal strength of 127 from bluetoothd means that it is unknown`() {
        for (told, expected) in [(127, nil), (20, 20), (21, nil), (-127, -127), (-128, nil)] as [(Int16, Int?)] {
            var device = Self.base
            device["RSSI"] = .int16(told)
            #expect(BlueZAdvertisementReport.report(of: device)?.rssi == expected)
        }
    }

    @Test(arguments: [
        "", "02:00", "02:00:00:00:00:0G", "02:00:00:00:00:00:00", "2:00:00:00:00:001", "+2:00:00:00:00:00",
    ])
    func `a device without an address gives no advertisement report`(text: String) {
        #expect(BlueZAdvertisementReport.report(of: ["Address": .string(text)]) == nil)
        #expect(BlueZAdvertisementReport.report(of: [:]) == nil)
    }

    @Test func `an advertisement report has at most 255 bytes`() throws {
        var device = Self.base
        let names = (0..<16).map { "0000ff\($0 < 10 ? "0" : "")\($0)-0000-1000-8000-00805f9b34fb" }
        device["ServiceData"] = .properties(names.map { ($0, .bytes([UInt8](repeating: 7, count: 27))) })
        let report = try #require(BlueZAdvertisementReport.report(of: device))
        #expect(report.data.count == 248)
        device["ServiceData"] = .properties([(names[0], .bytes([UInt8](repeating: 7, count: 251)))])
        #expect(BlueZAdvertisementReport.report(of: device)?.data.count == 255)
        device["ServiceData"] = .properties([(names[0], .bytes([UInt8](repeating: 7, count: 252)))])
        #expect(BlueZAdvertisementReport.report(of: device)?.data.count == 0)
    }
}
