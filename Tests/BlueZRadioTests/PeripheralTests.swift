import Bluetooth
import Radio
import Testing

@testable import BlueZRadio

@Suite struct NotificationRouteTests {
    private func route(
        _ isSubscribed: Bool, isIndication: Bool = false, maySendRaw: Bool = true, hasHandle: Bool = true,
        needsRaw: Bool = false
    ) -> NotificationRoute {
        NotificationRoute.choose(
            isSubscribed: isSubscribed, isIndication: isIndication, maySendRaw: maySendRaw, hasHandle: hasHandle,
            needsRaw: needsRaw)
    }

    @Test func `a notification to a subscriber goes through bluetoothd`() {
        #expect(route(true) == .daemon)
        #expect(route(true, isIndication: true, needsRaw: true) == .daemon)
        #expect(route(true, maySendRaw: false, needsRaw: true) == .daemon)
    }

    @Test func `a notification that bluetoothd might cut is sent as a raw packet`() {
        #expect(route(true, needsRaw: true) == .raw)
    }

    @Test func `a central without a subscription gets a raw notification packet, but no indication`() {
        #expect(route(false) == .raw)
        #expect(route(false, isIndication: true) == .none(.isIndication))
        #expect(route(false, maySendRaw: false) == .none(.needsRight))
        #expect(route(false, hasHandle: false) == .none(.noHandle))
    }

    @Test func `a notification that BlueZNames cannot send is refused with the missing requirement`() {
        for reason in [NotificationRoute.NoRouteReason.needsRight, .isIndication, .noHandle] {
            #expect(RadioError(reason).code == .unsupported)
        }
        #expect(RadioError(NotificationRoute.NoRouteReason.needsRight).reason.contains("CAP_NET_RAW"))
    }
}

@Suite struct SubscriptionTableTests {
    private let object = "/org/symbolon/app1/service0/char0"

    @Test func `a subscription is assigned to the central that bluetoothd announced, else to the latest connection`() {
        var ledger = SubscriptionTable()
        var told = [ledger.started(object)]
        ledger.connected(LinkID(1))
        ledger.connected(LinkID(2))
        ledger.announce(LinkID(1), for: object)
        told.append(ledger.started(object))
        #expect(ledger.isSubscribed(LinkID(1), to: object))
        #expect(!ledger.isSubscribed(LinkID(2), to: object))
        told += [ledger.started(object), ledger.started(object)]
        #expect(told == [nil, LinkID(1), LinkID(2), nil])
        let stopped = ledger.stopped(object)
        #expect(stopped == [LinkID(1), LinkID(2)])
        #expect(!ledger.isSubscribed(LinkID(1), to: object))
    }

    @Test func `a central that disconnects loses its subscriptions`() {
        var ledger = SubscriptionTable()
        ledger.connected(LinkID(1))
        let first = ledger.started(object)
        #expect(first == LinkID(1))
        ledger.announce(LinkID(1), for: object)
        ledger.disconnected(LinkID(1))
        #expect(!ledger.isSubscribed(LinkID(1), to: object))
        let (second, stopped) = (ledger.started(object), ledger.stopped(object))
        #expect(second == nil)
        #expect(stopped == [])
    }

    @Test func `a removed characteristic has no subscribers, and another with the same UUID keeps its own`() {
        var ledger = SubscriptionTable()
        let other = "/org/symbolon/app2/service0/char0"
        ledger.connected(LinkID(1))
        let told = [ledger.started(object), ledger.started(other)]
        #expect(told == [LinkID(1), LinkID(1)])
        ledger.announce(LinkID(1), for: object)
        ledger.forget { $0.hasPrefix("/org/symbolon/app1/") }
        #expect(!ledger.isSubscribed(LinkID(1), to: object))
        #expect(ledger.isSubscribed(LinkID(1), to: other))
    }
}

@Suite struct ApplicationObjectsTests {
    private static let services = [
        ServiceDefinition(
            uuid: BluetoothUUID(UInt16(1)),
            characteristics: [
                CharacteristicDefinition(
                    uuid: BluetoothUUID(UInt16(2)), properties: [.read, .write], initialValue: [7]),
                CharacteristicDefinition(uuid: BluetoothUUID(UInt16(3)), properties: .notify),
            ])
    ]

    @Test func `of two characteristics with one UUID, the one in the service written to last is chosen`() throws {
        let shared = BluetoothUUID(UInt16(0x2037))
        let services = (1...2).map { number in
            ServiceDefinition(
                uuid: BluetoothUUID(UInt16(0xFF00 + number)),
                characteristics: [
                    CharacteristicDefinition(uuid: BluetoothUUID(UInt16(0xFF10 + number)), properties: .write),
                    CharacteristicDefinition(uuid: shared, properties: .indicate),
                ])
        }
        let objects = try GATTApplicationObjects(services, root: "/r")
        #expect(objects[shared, besides: nil]?.path == "/r/service0/char1")
        #expect(objects[shared, besides: "/r/service1/char0"]?.path == "/r/service1/char1")
        #expect(objects[shared, besides: "/r/service0/char0"]?.path == "/r/service0/char1")
        #expect(objects[BluetoothUUID(UInt16(0xFF12)), besides: "/r/service0/char0"]?.path == "/r/service1/char0")
    }

    @Test func `an application holds the objects below its root and no others`() throws {
        let objects = try GATTApplicationObjects(Self.services, root: "/org/symbolon/app1")
        #expect(objects.holds("/org/symbolon/app1/service0/char0"))
        #expect(!objects.holds("/org/symbolon/app11/service0/char0"))
        #expect(objects.hasService(BluetoothUUID(UInt16(1))))
        #expect(!objects.hasService(BluetoothUUID(UInt16(2))))
    }

    @Test func `every published service and characteristic is a D-Bus object`() throws {
        let objects = try GATTApplicationObjects(Self.services, root: "/org/symbolon/app1")
        let entries = try #require(objects.managedObjects.entries)
        #expect(
            entries.map(\.key.text) == [
                "/org/symbolon/app1/service0", "/org/symbolon/app1/service0/char0", "/org/symbolon/app1/service0/char1",
            ])
        let first = try #require(objects.properties("/org/symbolon/app1/service0/char0")?.properties)
        #expect(first["UUID"]?.text == "00000002-0000-1000-8000-00805f9b34fb")
        #expect(first["Service"]?.text == "/org/symbolon/app1/service0")
        #expect(first["Flags"]?.texts == ["read", "write"])
        #expect(first["Handle"]?.number == 0)
        #expect(first["NotifyAcquired"] == nil)
        let second = try #require(objects.properties("/org/symbolon/app1/service0/char1")?.properties)
        #expect(second["NotifyAcquired"]?.flag == false)
        #expect(objects.properties("/org/symbolon/app1/service9") == nil)
    }

    @Test func `services ask for handles one behind the other, with room for what bluetoothd adds`() throws {
        let pushed = CharacteristicDefinition(uuid: BluetoothUUID(UInt16(9)), properties: [.notify, .indicate])
        let services = (1...3).map { number in
            ServiceDefinition(
                uuid: BluetoothUUID(UInt16(number)), characteristics: Array(repeating: pushed, count: 3 - number))
        }
        var objects = try GATTApplicationObjects(services, root: "/r")
        func handles() -> [Int?] {
            (0..<3).map { objects.properties("/r/service\($0)")?.properties?["Handle"]?.number }
        }
        #expect(objects.attributeCount == 9 + 5 + 1)
        #expect(handles() == [0, 0, 0])
        objects.firstHandle = 0x100
        #expect(handles() == [0x100, 0x109, 0x10E])
    }

    @Test func `the application's D-Bus objects keep values and handles of characteristics`() throws {
        var objects = try GATTApplicationObjects(Self.services, root: "/r")
        #expect(objects[path: "/r/service0/char0"]?.value == [7])
        let isSet = [
            objects.setValue([8], of: BluetoothUUID(UInt16(2))), objects.setValue([8], of: BluetoothUUID(UInt16(9))),
        ]
        #expect(isSet == [true, false])
        objects.setHandle(12, path: "/r/service0/char1")
        objects.setHandle(12, path: "/r/none")
        #expect(objects[BluetoothUUID(UInt16(2))]?.value == [8])
        #expect(objects[BluetoothUUID(UInt16(3))]?.handle == 12)
        objects.forgetHandles()
        #expect(objects[BluetoothUUID(UInt16(3))]?.handle == nil)
    }

    @Test func `an application may publish 256 characteristics of 512 bytes and no more`() throws {
        func services(_ count: Int, _ bytes: Int) -> [ServiceDefinition] {
            let value = [UInt8](repeating: 1, count: bytes)
            return [
                ServiceDefinition(
                    uuid: BluetoothUUID(UInt16(1)),
                    characteristics: (0..<count).map {
                        CharacteristicDefinition(
                            uuid: BluetoothUUID(UInt16($0)), properties: .read, initialValue: value)
                    })
            ]
        }
        #expect(try GATTApplicationObjects(services(256, 512), root: "/r").characteristics.count == 256)
        #expect(throws: RadioError(.tooLarge, "")) { try GATTApplicationObjects(services(257, 0), root: "/r") }
        #expect(throws: RadioError(.tooLarge, "")) { try GATTApplicationObjects(services(1, 513), root: "/r") }
    }
}

@Suite struct BusAdvertisementTests {
    private let advertisement = Advertisement(
        data: [2, 1, 6, 3, 3, 0x10, 0xFF, 5, 0x16, 0x10, 0xFF, 1, 2, 4, 0xFF, 1, 2, 9, 2, 0x0A, 5],
        scanResponse: [4, 0x16, 0x20, 0xFF, 7], interval: .milliseconds(1100))

    @Test func `advertising data is split into the properties of bluetoothd, without the flags`() throws {
        let list = try BusAdvertisement.properties(of: advertisement, version: .hasScanResponse)
        let properties = try #require(DBusValue.properties(list).properties)
        #expect(properties["Type"]?.text == "peripheral")
        #expect(properties["MinInterval"]?.number == 1100)
        #expect(properties["ServiceUUIDs"]?.texts == ["0000ff10-0000-1000-8000-00805f9b34fb"])
        #expect(
            properties["ServiceData"]?.properties?["0000ff10-0000-1000-8000-00805f9b34fb"]?.byteArray == [1, 2])
        #expect(properties["ManufacturerData"]?.entries?.first?.key.number == 0x0201)
        #expect(properties["Data"]?.entries?.first?.key.number == 0x0A)
        let response = try #require(properties["ScanResponseData"]?.entries?.first)
        #expect(response.key.number == 0x16)
        #expect(response.value.byteArray == [0x20, 0xFF, 7])
    }

    @Test func `a service UUID of 128 bits is a service of the advertisement for bluetoothd, and not other data`()
        throws
    {
        let uuid = BluetoothUUID(high: 0x0102_0304_0506_4708, low: 0x890A_0B0C_0D0E_0F10)
        let data = [2, 1, 6, 17, 7] + uuid.littleEndian
        let list = try BusAdvertisement.properties(of: Advertisement(data: data, scanResponse: []), version: nil)
        let properties = try #require(DBusValue.properties(list).properties)
        #expect(properties["ServiceUUIDs"]?.texts == ["01020304-0506-4708-890a-0b0c0d0e0f10"])
        #expect(properties["Data"] == nil)
    }

    @Test func `before bluetoothd 5.80, or with an unknown version, a scan response needs a capability`() throws {
        for version in [BluetoothdVersion(5, 79), nil] {
            let error = try #require(throws: RadioError.self) {
                try BusAdvertisement.properties(of: advertisement, version: version)
            }
            #expect(error.code == .notPermitted)
            #expect(error.reason.contains("CAP_NET_ADMIN"))
        }
        var plain = advertisement
        plain.scanResponse = []
        #expect(throws: Never.self) { try BusAdvertisement.properties(of: plain, version: nil) }
    }

    @Test(arguments: [[5, 0x16, 1], [200], [2, 1, 6, 9, 9]] as [[UInt8]])
    func `advertising data that cannot be split for bluetoothd is refused`(data: [UInt8]) {
        #expect(throws: RadioError(.unsupported, "")) {
            try BusAdvertisement.properties(of: Advertisement(data: data, scanResponse: []), version: nil)
        }
    }
}

@Suite struct ErrorTests {
    @Test(
        arguments: [
            ("org.bluez.Error.NotPermitted", "Read not permitted", .attError, 0x02),
            ("org.bluez.Error.NotPermitted", "Write not permitted", .attError, 0x03),
            ("org.bluez.Error.NotAuthorized", "Not paired", .attError, 0x05),
            ("org.bluez.Error.InvalidOffset", "", .attError, 0x07),
            ("org.bluez.Error.InvalidValueLength", "", .attError, 0x0D),
            ("org.bluez.Error.Failed", "Operation failed with ATT error: 0x80", .attError, 0x80),
            ("org.bluez.Error.Failed", "Not connected", .linkLost, nil),
            ("org.bluez.Error.NotConnected", "", .linkLost, nil),
            ("org.freedesktop.DBus.Error.UnknownObject", "", .linkLost, nil),
            ("org.freedesktop.DBus.Error.NoReply", "", .requestTimeout, nil),
            ("org.freedesktop.DBus.Error.Disconnected", "", .unavailable, nil),
            ("org.bluez.Error.NotReady", "", .unavailable, nil),
            ("org.freedesktop.DBus.Error.AccessDenied", "", .notPermitted, nil),
            ("org.bluez.Error.NotSupported", "", .unsupported, nil), ("org.bluez.Error.Odd", "", .badAnswer, nil),
            ("", "", .badAnswer, nil),
        ] as [(String, String, RadioError.Code, UInt8?)])
    func `each D-Bus error of bluetoothd is mapped to a radio error code`(
        name: String, text: String, code: RadioError.Code, byte: UInt8?
    ) {
        let error = RadioError(DBusError(name, text), during: "a test")
        #expect(error.code == code)
        #expect(error.attError == byte)
        #expect(error.reason.contains("a test"))
    }

    @Test func `D-Bus values know their signature and are read without their variants`() {
        let value = DBusValue.properties([("a", .uint16(1)), ("b", .structure([.bool(true), .bytes([1])]))])
        #expect(value.typeSignature == "a{sv}")
        #expect(DBusValue.structure([.int64(1), .strings([]), .variant(.double(1))]).typeSignature == "(xasv)")
        #expect(value.properties?["a"]?.number == 1)
        #expect(DBusValue.variant(.variant(.string("x"))).text == "x")
        #expect(DBusValue.uint64(.max).number == nil)
        #expect(DBusValue.array(of: "v", []).byteArray == [])
        #expect(DBusValue.string("x").byteArray == nil)
    }
}
