import Bluetooth
import ByteCoding
import Herald
import Terminal

/// The options of a command that change the services of its sensor and those that it looks for.
enum ProximityProfile {
    static let service = ValueOption(
        "service", .bluetoothUUID("UUID"),
        "Uses this service instead of Herald's; only devices with it are detected.")
    static let readsModel = FlagOption("read-model", "Reads the model of devices; makes them recognisable.")
    static let legacy = ValueOption(
        "opentrace", .payloadBytes("HEX"), "Serves these bytes to OpenTrace too, and reads those of others.")
    static let tail = ValueOption(
        "contact-tail", .contactTail("TIME"),
        "How long a contact lasts after its last reading: none, mean, or a time up to 30s (mean).")

    /// The declarations of the options that change a sensor's services.
    static let options = [service.declaration, readsModel.declaration, legacy.declaration, tail.declaration].under(
        "Protocol")

    /// Changes `configuration` as the options say.
    static func apply(_ arguments: ParsedArguments, to configuration: inout HeraldConfiguration) {
        if let service = arguments[service] {
            configuration.advertisement.services = [service]
            configuration.detection.services = [service]
            configuration.detection.findsCurrent = false
            configuration.detection.findsDocumented = false
        }
        if arguments[readsModel] { configuration.readsModel = true }
        if let payload = arguments[legacy] { configuration.legacy = .openTrace(payload: payload) }
        if let tail = arguments[tail] { configuration.tail = tail }
    }
}

extension ValueKind where Value == BluetoothUUID {
    /// The kind of option values that are a UUID of 16, 32 or 128 bits.
    fileprivate static func bluetoothUUID(_ placeholder: String) -> ValueKind {
        ValueKind(placeholder) { (text) throws(InvalidValue) in
            guard let uuid = BluetoothUUID(text) else {
                throw InvalidValue(
                    "is not a UUID", advice: "Write FCF6 or 428132af-4746-42d3-801e-4572d65bfd9b")
            }
            return uuid
        }
    }
}

extension ValueKind where Value == [UInt8] {
    /// The kind of option values that are 1 to 512 bytes as hexadecimal digits.
    fileprivate static func payloadBytes(_ placeholder: String) -> ValueKind {
        ValueKind(placeholder) { (text) throws(InvalidValue) in
            guard let bytes = Hex.decode(text), (1...512).contains(bytes.count) else {
                throw InvalidValue("is not 1 to 512 bytes", advice: "Write hexadecimal digits, such as 0a0b")
            }
            return bytes
        }
    }
}

extension ValueKind where Value == HeraldConfiguration.ContactTail {
    /// The kind of option values that are `none`, `mean`, or a time of up to 30 seconds (HP-58).
    fileprivate static func contactTail(_ placeholder: String) -> ValueKind {
        ValueKind(placeholder) { (text) throws(InvalidValue) in
            switch text {
            case "none": return .none
            case "mean": return .meanInterval
            default:
                guard let time = Duration(spelled: text), (.zero...(.seconds(30))).contains(time) else {
                    throw InvalidValue("is not a time of up to 30 seconds", advice: "Write none, mean or 10s")
                }
                return .fixed(time)
            }
        }
    }
}
