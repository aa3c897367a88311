import Bluetooth

/// The services and characteristics of a remote device, as bluetoothd has them on the bus.
struct RemoteAttributeTable: Sendable {
    /// A characteristic with its place on the bus.
    struct Characteristic: Hashable, Sendable {
        /// The characteristic as users of the radio see it.
        var remote: RemoteCharacteristic
        /// The D-Bus path of the characteristic.
        var path: String
        /// The service to which it belongs.
        var service: UInt16
    }

    /// The services, in the order of handles.
    private(set) var services: [RemoteService] = []
    /// The characteristics, in the order of handles.
    private(set) var characteristics: [Characteristic] = []
    /// The largest ATT MTU that bluetoothd states for one of the characteristics.
    private(set) var mtu: Int?

    /// Reads the attributes in `tree` of the device at `path`; attributes without a handle or a UUID are left out.
    init(_ tree: BusObjectTree, device path: String) {
        for child in tree.paths(with: BlueZNames.characteristic, under: path) { readCharacteristic(tree, child) }
        characteristics.sort { $0.remote.valueHandle < $1.remote.valueHandle }
        for child in tree.paths(with: BlueZNames.remoteService, under: path) {
            guard let handle = AttributeObjectPath.handle(of: child),
                let uuid = Self.uuid(tree, child, BlueZNames.remoteService),
                tree[child, BlueZNames.remoteService, "Primary"]?.flag ?? true
            else { continue }
            services.append(RemoteService(uuid: uuid, startHandle: handle, endHandle: Self.end(tree, child, handle)))
        }
        services.sort { $0.startHandle < $1.startHandle }
    }

    /// The characteristics of a service.
    func characteristics(of service: RemoteService) -> [RemoteCharacteristic] {
        characteristics.filter { $0.service == service.startHandle }.map(\.remote)
    }

    /// The object of a characteristic; nil when it is not there.
    func path(of characteristic: RemoteCharacteristic) -> String? {
        characteristics.first { $0.remote.valueHandle == characteristic.valueHandle }?.path
    }

    private mutating func readCharacteristic(_ tree: BusObjectTree, _ path: String) {
        guard let declaration = AttributeObjectPath.handle(of: path), declaration < .max,
            let uuid = Self.uuid(tree, path, BlueZNames.characteristic),
            let service = tree[path, BlueZNames.characteristic, "Service"]?.text.flatMap(AttributeObjectPath.handle)
        else { return }
        let flags = tree[path, BlueZNames.characteristic, "Flags"]?.texts ?? []
        let configuration = tree.paths(with: BlueZNames.descriptor, under: path).first {
            Self.uuid(tree, $0, BlueZNames.descriptor) == .clientConfiguration
        }
        if let reported = tree[path, BlueZNames.characteristic, "MTU"]?.number, (23...517).contains(reported) {
            mtu = max(mtu ?? 0, reported)
        }
        characteristics.append(
            Characteristic(
                remote: RemoteCharacteristic(
                    uuid: uuid, properties: CharacteristicProperties(flags: flags), valueHandle: declaration + 1,
                    clientConfigurationHandle: configuration.flatMap(AttributeObjectPath.handle)),
                path: path, service: service))
    }

    private static func uuid(_ tree: BusObjectTree, _ path: String, _ interface: String) -> BluetoothUUID? {
        tree[path, interface, "UUID"]?.text.flatMap { BluetoothUUID($0) }
    }

    /// The end handle of a service: that of its last known attribute, because bluetoothd does not state it.
    private static func end(_ tree: BusObjectTree, _ path: String, _ start: UInt16) -> UInt16 {
        let attributes =
            tree.paths(with: BlueZNames.descriptor, under: path).compactMap(AttributeObjectPath.handle)
            + tree.paths(with: BlueZNames.characteristic, under: path).compactMap(AttributeObjectPath.handle)
            .map { $0 == .max ? $0 : $0 + 1 }
        return attributes.reduce(start, max)
    }
}

extension CharacteristicProperties {
    private static let names: [(flag: String, property: CharacteristicProperties)] = [
        ("read", .read), ("write-without-response", .writeWithoutResponse), ("write", .write), ("notify", .notify),
        ("indicate", .indicate),
    ]

    /// Reads the flags that bluetoothd names; those it adds for security and extensions say nothing here.
    init(flags: [String]) {
        self = Self.names.filter { flags.contains($0.flag) }.reduce([]) { $0.union($1.property) }
    }

    /// The flags as bluetoothd names them.
    var flags: [String] { Self.names.filter { contains($0.property) }.map(\.flag) }
}
