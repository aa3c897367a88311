import Bluetooth
import Testing

@testable import BlueZRadio

/// A tree with one adapter and one device that offers one service.
enum Sample {
    static let adapter = "/org/bluez/hci0"
    static let device = "/org/bluez/hci0/dev_02_00_00_00_00_02"
    static let service = device + "/service0008"
    static let characteristic = service + "/char0009"

    static func interfaces(_ pairs: [(String, [(name: String, value: DBusValue)])]) -> DBusValue {
        .dictionary(
            key: "s", value: "a{sv}", pairs.map { DBusValue.DBusDictionaryEntry(.string($0.0), .properties($0.1)) })
    }

    static let objects: [(path: String, interface: String, properties: [(name: String, value: DBusValue)])] = [
        (
            adapter, BlueZNames.adapter,
            [
                ("Address", .string("00:AA:01:00:00:00")), ("AddressType", .string("public")), ("Powered", .bool(true)),
                ("Roles", .strings(["central", "peripheral"])), ("Modalias", .string("usb:v1D6Bp0246d0542")),
            ]
        ),
        (device, BlueZNames.device, [("Address", .string("02:00:00:00:00:02")), ("AddressType", .string("random"))]),
        (
            service, BlueZNames.remoteService,
            [("UUID", .string("0000ff10-0000-1000-8000-00805f9b34fb")), ("Primary", .bool(true))]
        ),
        (
            characteristic, BlueZNames.characteristic,
            [
                ("UUID", .string("0000ff15-0000-1000-8000-00805f9b34fb")), ("Service", .path(service)),
                ("Flags", .strings(["notify", "authorize"])), ("MTU", .uint16(513)),
            ]
        ),
        (
            characteristic + "/desc000b", BlueZNames.descriptor,
            [("UUID", .string("00002902-0000-1000-8000-00805f9b34fb"))]
        ),
    ]

    static var answer: [DBusValue] {
        [
            .dictionary(
                key: "o", value: "a{sa{sv}}",
                objects.map {
                    DBusValue.DBusDictionaryEntry(.path($0.path), interfaces([($0.interface, $0.properties)]))
                })
        ]
    }

    static func tree(_ overrides: [(name: String, value: DBusValue)] = []) -> BusObjectTree {
        var tree = BusObjectTree()
        _ = tree.replace(with: answer)
        if !overrides.isEmpty { _ = tree.handle(changed(adapter, BlueZNames.adapter, overrides)) }
        return tree
    }

    static func changed(
        _ path: String, _ interface: String, _ values: [(name: String, value: DBusValue)], gone: [String] = []
    ) -> DBusMessage {
        DBusMessage(
            path: path, interface: BlueZNames.properties, member: "PropertiesChanged",
            arguments: [.string(interface), .properties(values), .strings(gone)])
    }
}

@Suite struct BusObjectTreeTests {
    @Test func `properties read again from bluetoothd report only those that differ`() {
        var tree = Sample.tree()
        let address = ("Address", DBusValue.string("02:00:00:00:00:02"))
        let asked = [address, ("AddressType", .string("random")), ("Connected", .bool(true))]
        let properties = Dictionary(uniqueKeysWithValues: asked)
        let changes = tree.update(Sample.device, BlueZNames.device, with: properties)
        #expect(changes == [.changed(path: Sample.device, interface: BlueZNames.device, names: ["Connected"])])
        #expect(tree[Sample.device, BlueZNames.device, "Connected"] == .bool(true))
        #expect(tree.update(Sample.device, BlueZNames.device, with: properties) == [])
        #expect(tree.update("/org/bluez/hci9", BlueZNames.device, with: properties) == [])
        #expect(tree.properties("/org/bluez/hci9", BlueZNames.device) == nil)
    }

    @Test func `the list of managed objects replaces all earlier objects`() {
        var tree = BusObjectTree()
        let changes = tree.replace(with: Sample.answer)
        #expect(changes.count == Sample.objects.count)
        #expect(tree.paths(with: BlueZNames.device) == [Sample.device])
        #expect(tree[Sample.device, BlueZNames.device, "Address"]?.text == "02:00:00:00:00:02")
        let none = tree.replace(with: [])
        #expect(none.isEmpty)
        #expect(tree.paths(with: BlueZNames.device).isEmpty)
    }

    @Test func `D-Bus objects are added and removed by their signals`() {
        var tree = BusObjectTree()
        let added = DBusMessage(
            path: "/", interface: BlueZNames.objectManager, member: "InterfacesAdded",
            arguments: [
                .path("/org/bluez/hci1"), Sample.interfaces([(BlueZNames.adapter, []), ("org.freedesktop.Other", [])]),
            ])
        do {
            let told = tree.handle(added)
            #expect(told == [.added(path: "/org/bluez/hci1", interface: BlueZNames.adapter)])
        }
        let removed = DBusMessage(
            path: "/", interface: BlueZNames.objectManager, member: "InterfacesRemoved",
            arguments: [.path("/org/bluez/hci1"), .strings([BlueZNames.adapter, BlueZNames.device])])
        do {
            let told = tree.handle(removed)
            #expect(told == [.removed(path: "/org/bluez/hci1", interface: BlueZNames.adapter)])
        }
        do {
            let told = tree.handle(removed)
            #expect(told == [])
        }
    }

    @Test func `properties in a change signal are reported even if equal, and invalidated ones are removed`() {
        var tree = Sample.tree()
        let message = Sample.changed(
            Sample.device, BlueZNames.device, [("RSSI", .int16(-60)), ("Name", .string("a"))], gone: ["AddressType"])
        let change = BusObjectTree.ObjectChange.changed(
            path: Sample.device, interface: BlueZNames.device, names: ["Name", "RSSI"])
        do {
            let told = tree.handle(message)
            #expect(told == [change])
        }
        do {
            let told = tree.handle(message)
            #expect(told == [change])
        }
        #expect(tree[Sample.device, BlueZNames.device, "RSSI"]?.number == -60)
        #expect(tree[Sample.device, BlueZNames.device, "AddressType"] == nil)
    }

    @Test(
        arguments: [
            DBusMessage(path: "/x", interface: BlueZNames.properties, member: "PropertiesChanged"),
            DBusMessage(
                path: "/x", interface: BlueZNames.objectManager, member: "InterfacesAdded", arguments: [.byte(1)]),
            DBusMessage(
                path: "/x", interface: BlueZNames.objectManager, member: "InterfacesRemoved",
                arguments: [.path("/x"), .string("no list")]),
            Sample.changed("/unknown", BlueZNames.device, [("RSSI", .int16(1))]),
            DBusMessage(path: "/x", interface: "other", member: "Signal", arguments: [.string("x")]),
        ])
    func `D-Bus signals of an unexpected form change nothing`(message: DBusMessage) {
        var tree = Sample.tree()
        let told = tree.handle(message)
        #expect(told.isEmpty)
    }

    @Test func `the object tree holds 16,384 objects and ignores a further one`() {
        var tree = BusObjectTree()
        func add(_ number: Int) -> Int {
            tree.handle(
                DBusMessage(
                    path: "/", interface: BlueZNames.objectManager, member: "InterfacesAdded",
                    arguments: [.path("/d\(number)"), Sample.interfaces([(BlueZNames.device, [])])])
            ).count
        }
        let taken = (0..<BusObjectTree.maximumObjects).reduce(0) { $0 + add($1) }
        #expect(taken == BusObjectTree.maximumObjects)
        let (next, known) = (add(BusObjectTree.maximumObjects), add(0))
        #expect(next == 0)
        #expect(known == 1)
    }
}

@Suite struct RemoteAttributeTableTests {
    @Test func `remote services and characteristics are read from their D-Bus objects`() throws {
        let table = RemoteAttributeTable(Sample.tree(), device: Sample.device)
        let service = try #require(table.services.first)
        #expect(service == RemoteService(uuid: BluetoothUUID(UInt16(0xFF10)), startHandle: 8, endHandle: 11))
        let characteristic = try #require(table.characteristics(of: service).first)
        #expect(characteristic.uuid == BluetoothUUID(UInt16(0xFF15)))
        #expect(characteristic.properties == .notify)
        #expect(characteristic.valueHandle == 10)
        #expect(characteristic.clientConfigurationHandle == 11)
        #expect(table.path(of: characteristic) == Sample.characteristic)
        #expect(table.mtu == 513)
    }

    @Test func `a device without D-Bus objects of its own has no services of another device`() {
        let table = RemoteAttributeTable(Sample.tree(), device: "/org/bluez/hci0/dev_02")
        #expect(table.services.isEmpty && table.characteristics.isEmpty && table.mtu == nil)
    }

    @Test func `an MTU from bluetoothd outside of 23 to 517 is ignored`() {
        for (told, expected) in [(22, nil), (23, 23), (517, 517), (518, nil)] as [(UInt16, Int?)] {
            var tree = Sample.tree()
            _ = tree.handle(Sample.changed(Sample.characteristic, BlueZNames.characteristic, [("MTU", .uint16(told))]))
            #expect(RemoteAttributeTable(tree, device: Sample.device).mtu == expected)
        }
    }

    @Test func `the flags of every characteristic property are written as they are read`() {
        let all: CharacteristicProperties = [.read, .write, .writeWithoutResponse, .notify, .indicate]
        #expect(CharacteristicProperties(flags: all.flags) == all)
        #expect(CharacteristicProperties(flags: ["broadcast", "encrypt-read"]) == [])
    }

    @Test(
        arguments: [
            ("/a/service000a", 10), ("/a/char00ff", 255), ("/a/desc1234", 0x1234), ("/a/char00f", nil),
            ("/a/char00zz", nil), ("/a/dev_1", nil), ("", nil),
        ] as [(String, UInt16?)])
    func `the handle of an attribute is read from the four digits at the end of its D-Bus path`(
        path: String, handle: UInt16?
    ) {
        #expect(AttributeObjectPath.handle(of: path) == handle)
    }

    @Test func `a D-Bus path names its device and its adapter`() {
        #expect(AttributeObjectPath.device(of: Sample.characteristic) == Sample.device)
        #expect(AttributeObjectPath.device(of: "/org/bluez/hci0") == nil)
        #expect(AttributeObjectPath.adapterIndex(of: "/org/bluez/hci12") == 12)
        #expect(AttributeObjectPath.adapterIndex(of: "/org/bluez/hci99999") == nil)
        #expect(AttributeObjectPath.adapterIndex(of: "/org/bluez/usb0") == nil)
    }
}
