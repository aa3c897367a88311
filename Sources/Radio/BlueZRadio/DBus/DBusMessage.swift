/// A message that came over the bus.
struct DBusMessage: Sendable {
    /// The path of the D-Bus object that the message is about.
    var path: String
    /// The interface of that object.
    var interface: String
    /// The name of the method or signal.
    var member: String
    /// The unique name of the sender.
    var sender: String
    /// The arguments of the message.
    var arguments: [DBusValue]

    /// Makes a D-Bus message from its parts.
    init(path: String, interface: String, member: String, sender: String = "", arguments: [DBusValue] = []) {
        self.path = path
        self.interface = interface
        self.member = member
        self.sender = sender
        self.arguments = arguments
    }
}

/// The error of a call over D-Bus: its name and its text.
struct DBusError: Error, Hashable, Sendable {
    /// The name of an error that the bus, the daemon or sd-bus gave.
    var name: String
    /// The sentence that came with it.
    var text: String

    /// Makes an error with its code and a sentence about the cause.
    init(_ name: String, _ text: String = "") {
        self.name = name
        self.text = text
    }

    /// The connection to the bus is gone.
    static let disconnected = DBusError("org.freedesktop.DBus.Error.Disconnected", "the bus is gone")
}

/// The names of the objects and interfaces of bluetoothd.
enum BlueZNames {
    static let service = "org.bluez"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let remoteService = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let descriptor = "org.bluez.GattDescriptor1"
    static let applicationManager = "org.bluez.GattManager1"
    static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    static let advertisement = "org.bluez.LEAdvertisement1"
    static let properties = "org.freedesktop.DBus.Properties"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let peer = "org.freedesktop.DBus.Peer"
    static let bus = "org.freedesktop.DBus"
}
