import Bluetooth

/// The properties of a device that others read: plain numbers, because each scan report reads those of many.
struct SimulatedDeviceRadio: Sendable {
    var address: DeviceAddress
    /// The interval of the device's advertisements, in milliseconds.
    private(set) var intervalMilliseconds = 0.0
    private(set) var isAdvertising = false
    private(set) var isConnectable = false
    /// True when the device advertises as an iPhone whose application is in the background.
    private(set) var isInBackground = false
    /// True when the device advertises at any time.
    let canAdvertise: Bool
    /// The number of further addresses from which the device advertises at each report.
    let phantoms: Int
    /// True when the device's application never comes to the foreground.
    let isLocked: Bool
    fileprivate(set) var byteCount = 0

    init(address: DeviceAddress, phantoms: Int, canAdvertise: Bool, isLocked: Bool = false) {
        self.address = address
        self.phantoms = phantoms
        self.canAdvertise = canAdvertise
        self.isLocked = isLocked
    }

    fileprivate mutating func advertise(_ advertisement: DeviceAdvertisingState?) {
        isAdvertising = advertisement != nil
        isConnectable = advertisement?.isConnectable ?? false
        isInBackground = advertisement?.isInBackground ?? false
        intervalMilliseconds = advertisement?.intervalMilliseconds ?? 0
        byteCount = min(advertisement?.data.count ?? 0, SimulatedDeviceRadios.maximumBytes)
    }
}

/// The state of a device's advertising.
struct DeviceAdvertisingState: Hashable, Sendable {
    let data: [UInt8]
    let isConnectable: Bool
    let intervalMilliseconds: Double
    /// True for the advertisement of an iPhone whose application is in the background.
    let isInBackground: Bool
}

/// A change of a device's advertising that every shard must see.
enum DeviceRadioUpdate: Sendable {
    case advertisement(Int, DeviceAdvertisingState?)
    case address(Int, DeviceAddress)
}

/// The state of all devices' advertising in one slice of time.
///
/// Every shard has its own copy and gets what changes, so that threads share no memory that is written.
struct SimulatedDeviceRadios: Sendable {
    /// The most bytes of advertising data.
    static let maximumBytes = 31
    /// The number of bytes in `bytes` for each device.
    private static let stride = 32

    private(set) var all: [SimulatedDeviceRadio]
    /// The advertising data of all devices, one after the other.
    private(set) var bytes: [UInt8]
    private var owners: [DeviceAddress: Int] = [:]

    init(_ stations: [SimulatedDeviceRadio]) {
        all = stations
        bytes = [UInt8](repeating: 0, count: stations.count * Self.stride)
        for index in all.indices { owners[all[index].address] = index }
    }

    subscript(_ index: Int) -> SimulatedDeviceRadio { all[index] }

    /// The range of a device's advertising data in `bytes`.
    func range(of index: Int) -> Range<Int> { index * Self.stride..<index * Self.stride + all[index].byteCount }

    /// Finds the device that has an address at present.
    func owner(of address: DeviceAddress) -> Int? { owners[address] }

    /// True when one of two devices can detect the other in the present states of their systems; also where they cannot
    /// because one is locked, because nothing but its system keeps them from it and the figures must show that.
    func canNotice(_ one: Int, _ other: Int) -> Bool {
        guard all[other].isAdvertising else { return !all[other].canAdvertise && all[one].isAdvertising }
        return !all[other].isInBackground || !all[one].isInBackground || all[one].isLocked || all[other].isLocked
    }

    mutating func apply(_ updates: [DeviceRadioUpdate]) {
        for update in updates {
            switch update {
            case .advertisement(let index, let advertisement):
                all[index].advertise(advertisement)
                for (offset, byte) in (advertisement?.data ?? []).prefix(Self.maximumBytes).enumerated() {
                    bytes[index * Self.stride + offset] = byte
                }
            case .address(let index, let address):
                if owners[all[index].address] == index { owners[all[index].address] = nil }
                all[index].address = address
                owners[address] = index
            }
        }
    }
}
