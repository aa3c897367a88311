import Bluetooth

@testable import BlueZRadio

extension FuzzTarget {
    /// Messages of the Linux kernel on its Bluetooth management and HCI sockets.
    static var management: FuzzTarget {
        FuzzTarget(name: "management", maximumBytes: 1024) {
            [
                [1, 0, 0, 0, 4, 0, 0x3F, 0, 0, 5], [2, 0, 1, 0, 3, 0, 0x3D, 0, 0x14], [4, 0, 1, 0, 0, 0],
                [0x0C, 0, 0, 0, 8, 0, 6, 5, 4, 3, 2, 1, 2, 3], [0x24, 0, 0, 0, 1, 0, 5],
                [0, 0, 0, 0, 31, 31, 5, 2, 5, 1], [4, 0x0E, 7, 1, 2, 0x20, 0, 251, 0, 8],
                [0, 0, 1, 0, 0x41, 0, 6, 5, 4, 3, 2, 1, 0x80, 0, 1, 0, 0, 0, 0, 0],
            ]
        } run: { input in
            if case .answered(_, _, _, let answer) = BluetoothManagementEvent(parsing: input) {
                require(answer.count + 9 == input.count, "an answer has what is left of its message")
            }
            if let features = AdvertisingFeatures(parsing: input), let free = features.free(besides: [3]) {
                require(!features.instances.contains(free) && free != 3, "an instance that is taken is not free")
                require(free <= features.maximumInstances, "there is no instance beyond the last")
            }
            let connections = KernelConnection.list(input)
            require(connections.count * 16 + 4 <= max(4, input.count), "a connection has 16 bytes")
            require(connections.allSatisfy { $0.handle <= 0x0FFF }, "a handle has 12 bits")
            let buffer = RawHCINotification.buffers(in: input)?.bytes ?? 0
            let value = Array(input.prefix(512))
            let packets = RawHCINotification.packets(value, attribute: 1, connection: 2, buffer: buffer)
            require(packets.allSatisfy { $0.count <= max(27, buffer) + 5 }, "a packet fits the controller")
            require(packets.reduce(0) { $0 + $1.count - 5 } == value.count + 7, "nothing is lost or added")
        }
    }

    /// Objects and properties as a bluetoothd that is no friend might tell them.
    static var busProperties: FuzzTarget {
        FuzzTarget(name: "bus-properties", maximumBytes: 4096) {
            [
                [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 1, 2, 16, 3, 4, 9, 9, 2, 16, 1, 1],
                [2, 2, 2, 2, 11, 3, 1, 2, 3],
            ]
        } run: { input in
            var operations = Operations(input)
            var tree = BusObjectTree()
            for _ in 0..<64 where !operations.isAtEnd { _ = tree.handle(message(&operations)) }
            for adapter in AdapterSelector.adapters(in: tree) {
                _ = try? AdapterSelector.choose(adapter.name, from: [adapter])
            }
            for path in tree.paths(with: BlueZNames.device) {
                guard let device = tree.properties(path, BlueZNames.device) else { continue }
                let report = BlueZAdvertisementReport.report(of: device)
                require((report?.data.count ?? 0) <= 255, "a report has at most 255 bytes")
                require(report?.rssi.map { (-127...20).contains($0) } ?? true, "a strength is one")
                let table = RemoteAttributeTable(tree, device: path)
                require(table.mtu.map { (23...517).contains($0) } ?? true, "an MTU is one")
                for service in table.services {
                    require(service.startHandle <= service.endHandle, "a service ends after it begins")
                    _ = table.characteristics(of: service)
                }
            }
        }
    }

    private static let paths = [
        "/org/bluez/hci0", "/org/bluez/hci0/dev_02_00_00_00_00_02", "/org/bluez/hci0/dev_02_00_00_00_00_02/service0008",
        "/org/bluez/hci0/dev_02_00_00_00_00_02/service0008/char0009",
        "/org/bluez/hci0/dev_02_00_00_00_00_02/service0008/charffff", "/", "",
    ]
    private static let interfaces = [
        BlueZNames.adapter, BlueZNames.device, BlueZNames.remoteService, BlueZNames.characteristic,
        BlueZNames.descriptor, "other",
    ]
    private static let names = [
        "Address", "AddressType", "RSSI", "ServiceData", "ManufacturerData", "UUIDs", "AdvertisingFlags", "UUID",
        "Service", "Flags", "MTU", "Powered", "Roles", "Primary", "Modalias", "0000ff10-0000-1000-8000-00805f9b34fb",
    ]
    private static let texts = [
        "02:00:00:00:00:02", "random", "0000ff10-0000-1000-8000-00805f9b34fb", "notify", "usb:v1D6Bp0246d0542",
        "/org/bluez/hci0/dev_02_00_00_00_00_02/service0008", "",
    ]

    private static func message(_ operations: inout Operations) -> DBusMessage {
        let path = paths[operations.below(paths.count)]
        let interface = DBusValue.string(interfaces[operations.below(interfaces.count)])
        switch operations.below(4) {
        case 0:
            let added = DBusValue.dictionary(
                key: "s", value: "a{sv}", [DBusValue.DBusDictionaryEntry(interface, map(&operations, 3))])
            return DBusMessage(
                path: "/", interface: BlueZNames.objectManager, member: "InterfacesAdded",
                arguments: [.path(path), added])
        case 1:
            return DBusMessage(
                path: "/", interface: BlueZNames.objectManager, member: "InterfacesRemoved",
                arguments: [.path(path), .array(of: "s", [interface])])
        case 2:
            return DBusMessage(
                path: path, interface: BlueZNames.properties, member: "PropertiesChanged",
                arguments: [interface, map(&operations, 3), value(&operations, 2)])
        default:
            return DBusMessage(
                path: path, interface: BlueZNames.properties, member: "PropertiesChanged",
                arguments: [value(&operations, 3), value(&operations, 3), value(&operations, 3)])
        }
    }

    private static func map(_ operations: inout Operations, _ depth: Int) -> DBusValue {
        let entries = (0..<operations.below(6)).map { _ in
            DBusValue.DBusDictionaryEntry(
                .string(names[operations.below(names.count)]), .variant(value(&operations, depth - 1)))
        }
        return .dictionary(key: "s", value: "v", entries)
    }

    private static func value(_ operations: inout Operations, _ depth: Int) -> DBusValue {
        guard depth > 0 else { return .byte(operations.byte()) }
        switch operations.below(10) {
        case 0: return .bool(operations.byte() & 1 == 1)
        case 1: return .uint16(operations.word())
        case 2: return .int16(Int16(bitPattern: operations.word()))
        case 3: return .string(texts[operations.below(texts.count)])
        case 4: return .bytes(operations.run())
        case 5: return map(&operations, depth)
        case 6: return .array(of: "v", (0..<operations.below(4)).map { _ in value(&operations, depth - 1) })
        case 7: return .variant(value(&operations, depth - 1))
        case 8: return .uint64(.max - UInt64(operations.byte()))
        default: return .structure([value(&operations, depth - 1)])
        }
    }
}
