import Bluetooth

/// The properties of a device that others access: plain numbers, because each look reads those of many.
struct SimulatedDeviceRadio: Sendable {
    var address: DeviceAddress
    /// The interval of its advertisements, in milliseconds.
    private(set) var intervalMilliseconds = 0.0
    private(set) var isAdvertising = false
    private(set) var isConnectable = false
    /// True when the device advertises as an iPhone whose application is in the background.
    private(set) var isInBackground = false
    /// True when the device advertises at any time.
    let canAdvertise: Bool
    /// The number of further addresses from which it advertises at each look.
    let phantoms: Int
    /// True when its application never comes to the front.
    let isLocked: Bool
    fileprivate(set) var byteCount = 0

    init(address: DeviceAddress, phantoms: Int, canAdvertise: Bool, isLocked: Bool = false) {
        self.address = address
        self.phantoms = phantoms
        self.canAdvertise = canAdvertise
        self.isLocked = isLocked
    }

    fileprivate mutating func advertise(_ advertisement: DeviceAdvertisement?) {
        isAdvertising = advertisement != nil
        isConnectable = advertisement?.isConnectable ?? false
        isInBackground = advertisement?.isInBackground ?? false
        intervalMilliseconds = advertisement?.intervalMilliseconds ?? 0
        byteCount = min(advertisement?.data.count ?? 0, SimulatedDeviceRadios.maximumBytes)
    }
}

/// The advertisement of a device.
struct DeviceAdvertisement: Hashable, Sendable {
    let data: [UInt8]
    let isConnectable: Bool
    let intervalMilliseconds: Double
    /// True for the advertisement of an iPhone whose application is in the background.
    let isInBackground: Bool
}

/// A change on the air that every shard must see.
enum DeviceRadioUpdate: Sendable {
    case advertisement(Int, DeviceAdvertisement?)
    case address(Int, DeviceAddress)
}

/// The state on the air of all devices in one slice of time.
///
/// Every shard has its own copy and gets what changes, so that threads share no memory that is written.
struct SimulatedDeviceRadios: Sendable {
    /// The most bytes of advertising data.
    static let maximumBytes = 31
    /// Bytes from the data of one device to those of the next.
    private static let stride = 32

    private(set) var all: [SimulatedDeviceRadio]
    /// The advertising data of all, one after the other.
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

    /// The device that has an address at present.
    func owner(of address: DeviceAddress) -> Int? { owners[address] }

    /// True when one of the two can detect the other, in the present states of their systems; also where they cannot
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
