/// A copy of the objects of bluetoothd on the bus, kept up to date by its signals.
///
/// Bounded: 16,384 objects, 64 interfaces each; what does not fit is left out.
struct BusObjectTree: Sendable {
    /// A change of the objects of bluetoothd.
    enum ObjectChange: Hashable, Sendable {
        /// An interface came into being at a path.
        case added(path: String, interface: String)
        /// An interface is gone from a path.
        case removed(path: String, interface: String)
        /// Properties changed, or were reported again.
        case changed(path: String, interface: String, names: [String])
    }

    /// The most objects that are kept.
    static let maximumObjects = 16_384
    private static let maximumInterfaces = 64

    private var objects: [String: [String: [String: DBusValue]]] = [:]

    /// Makes an empty tree.
    init() {}

    /// The paths that have `interface`, in order, below `prefix`.
    func paths(with interface: String, under prefix: String = "/") -> [String] {
        objects.filter { $0.value[interface] != nil && Self.is($0.key, under: prefix) }.keys.sorted()
    }

    /// The properties of an interface; nil when it is not there.
    func properties(_ path: String, _ interface: String) -> [String: DBusValue]? { objects[path]?[interface] }

    /// One property of an interface of an object.
    subscript(path: String, interface: String, name: String) -> DBusValue? {
        objects[path]?[interface]?[name]
    }

    /// Removes all objects.
    mutating func clear() { objects = [:] }

    /// Takes the answer of GetManagedObjects in place of what was known.
    mutating func replace(with answer: [DBusValue]) -> [ObjectChange] {
        objects = [:]
        var changes: [ObjectChange] = []
        for entry in answer.first?.entries ?? [] {
            guard let path = entry.key.text else { continue }
            add(path, entry.value, into: &changes)
        }
        return changes
    }

    /// Takes a signal of an object manager or of properties; others change nothing.
    mutating func handle(_ message: DBusMessage) -> [ObjectChange] {
        var changes: [ObjectChange] = []
        switch (message.interface, message.member) {
        case (BlueZNames.objectManager, "InterfacesAdded"):
            guard message.arguments.count == 2, let path = message.arguments[0].text else { break }
            add(path, message.arguments[1], into: &changes)
        case (BlueZNames.objectManager, "InterfacesRemoved"):
            guard message.arguments.count == 2, let path = message.arguments[0].text else { break }
            for interface in message.arguments[1].texts ?? [] { remove(path, interface, into: &changes) }
        case (BlueZNames.properties, "PropertiesChanged"):
            guard message.arguments.count == 3, let interface = message.arguments[0].text else { break }
            change(message.path, interface, message.arguments, into: &changes)
        default: break
        }
        return changes
    }

    /// Takes the answer of GetAll for an interface that is there; only what differs has changed.
    mutating func update(_ path: String, _ interface: String, with properties: [String: DBusValue]) -> [ObjectChange] {
        guard let known = objects[path]?[interface] else { return [] }
        let names = properties.keys.filter { properties[$0] != known[$0] }.sorted()
        objects[path]?[interface] = properties
        return names.isEmpty ? [] : [.changed(path: path, interface: interface, names: names)]
    }

    private mutating func add(_ path: String, _ interfaces: DBusValue, into changes: inout [ObjectChange]) {
        guard objects[path] != nil || objects.count < Self.maximumObjects else { return }
        for entry in (interfaces.entries ?? []).prefix(Self.maximumInterfaces) {
            guard let interface = entry.key.text, interface.hasPrefix("org.bluez."),
                let properties = entry.value.properties
            else { continue }
            objects[path, default: [:]][interface] = properties
            changes.append(.added(path: path, interface: interface))
        }
    }

    private mutating func remove(_ path: String, _ interface: String, into changes: inout [ObjectChange]) {
        guard objects[path]?.removeValue(forKey: interface) != nil else { return }
        if objects[path]?.isEmpty ?? false { objects[path] = nil }
        changes.append(.removed(path: path, interface: interface))
    }

    private mutating func change(
        _ path: String, _ interface: String, _ arguments: [DBusValue], into changes: inout [ObjectChange]
    ) {
        guard objects[path]?[interface] != nil, let values = arguments[1].properties else { return }
        for (name, value) in values { objects[path]?[interface]?[name] = value }
        for name in arguments[2].texts ?? [] { objects[path]?[interface]?[name] = nil }
        changes.append(.changed(path: path, interface: interface, names: values.keys.sorted()))
    }

    private static func `is`(_ path: String, under prefix: String) -> Bool {
        prefix == "/" || path == prefix || path.hasPrefix(prefix + "/")
    }
}
