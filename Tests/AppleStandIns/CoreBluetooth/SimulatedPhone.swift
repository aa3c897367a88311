import Air
public import Bluetooth
import Determinism
public import Foundation
import Radio
public import VirtualRadio

/// An Apple device on a virtual air. Not Apple's: tests make one, and managers that are made afterwards belong to it.
public final class SimulatedPhone: Sendable {
    /// Conditions of the phone that a test may change at any time.
    public struct Conditions: Sendable {
        /// True when Bluetooth is on.
        public var isOn = true
        /// The permission for Bluetooth that the user gave the app.
        public var authorization = CBManagerAuthorization.allowedAlways
        /// True when the app is in the background: its advertisement is the overflow area, its scans need services,
        /// report each device once, and do not see the overflow area of others.
        public var isInBackground = false
    }

    /// The number of write commands, or of values to push, that the system takes before an app must wait.
    static let queueCapacity = 10

    /// The radio of the device.
    let radio: VirtualRadio
    /// The MTU that the system asks for.
    let systemMTU: Int

    private let state = Lock(Conditions())
    private let observers = Lock([@Sendable () -> Void]())
    private let endings = Lock([@Sendable () -> Void]())
    private let centrals = Lock([String: KeptCentral]())
    private let peripherals = Lock([String: KeptPeripheral]())
    /// The receiver of the events of the peripheral role.
    let peripheralHome = PeripheralHome()

    private init(_ radio: VirtualRadio, systemMTU: Int) {
        self.radio = radio
        self.systemMTU = systemMTU
        Task { [peripheralHome] in for await event in radio.events { peripheralHome.deliver(event) } }.forget()
    }

    /// Puts a device on an air, and makes it the one to which new managers belong.
    ///
    /// - Parameter systemMTU: the ATT MTU that the system asks for unasked: 185 on older devices, more on newer ones.
    public static func make(
        on air: VirtualAir, systemMTU: Int = 185,
        configuration: VirtualRadio.Configuration = VirtualRadio.Configuration()
    ) async throws -> SimulatedPhone {
        var configuration = configuration
        configuration.maximumMTU = systemMTU
        let phone = SimulatedPhone(try await air.makeRadio(configuration), systemMTU: systemMTU)
        phone.becomeCurrent()
        return phone
    }

    /// Makes this the device to which new managers belong.
    public func becomeCurrent() { Self.chosen.withLock { $0 = self } }

    private static let chosen = Lock<SimulatedPhone?>(nil)

    static var current: SimulatedPhone {
        guard let phone = chosen.withLock({ $0 }) else { preconditionFailure("a test makes a phone first") }
        return phone
    }

    /// The address on the air, which no app sees.
    public var address: DeviceAddress { radio.address }

    /// The present conditions of the phone.
    public var conditions: Conditions { state.withLock { $0 } }

    /// Changes the conditions of the phone, and notifies the managers.
    public func change(_ body: @Sendable (inout Conditions) -> Void) {
        state.withLock { body(&$0) }
        for observer in observers.withLock({ $0 }) { observer() }
    }

    /// Ends the app as the system does when it needs the memory: its managers say and do nothing more. What those with
    /// a restore identifier had goes on, for the managers of that name that the app makes when it is started anew.
    public func endApp() {
        let ended = endings.withLock { endings in
            defer { endings = [] }
            return endings
        }
        for end in ended { end() }
    }

    func atEnd(_ body: @escaping @Sendable () -> Void) { endings.withLock { $0.append(body) } }

    func keep(_ central: KeptCentral, for identifier: String) { centrals.withLock { $0[identifier] = central } }

    func keep(_ peripheral: KeptPeripheral, for identifier: String) {
        peripherals.withLock { $0[identifier] = peripheral }
    }

    func takeCentral(_ identifier: String) -> KeptCentral? {
        centrals.withLock { $0.removeValue(forKey: identifier) }
    }

    func takePeripheral(_ identifier: String) -> KeptPeripheral? {
        peripherals.withLock { $0.removeValue(forKey: identifier) }
    }

    func observe(_ observer: @escaping @Sendable () -> Void) { observers.withLock { $0.append(observer) } }

    var managerState: CBManagerState {
        let conditions = conditions
        if conditions.authorization != .allowedAlways { return .unauthorized }
        return conditions.isOn ? .poweredOn : .poweredOff
    }

    /// The identifier by which the system names a device to this app: not its address, and always the same.
    public static func identifier(of address: DeviceAddress) -> UUID {
        let key: [UInt8] = [0x3A, 0x5C, 0x91, 0x0E, 0xD7, 0x62]
        var bytes = [UInt8](repeating: 0x40, count: 16)
        for (index, byte) in address.littleEndian.enumerated() { bytes[index] = byte ^ key[index] }
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }

    /// The bit of the overflow area that a service sets: known for Herald's documented service, made up for others,
    /// since Apple publishes no rule.
    static func overflowBit(of service: BluetoothUUID) -> Int {
        if service == BluetoothUUID("428132AF-4746-42D3-801E-4572D65BFD9B") { return 10 * 8 + 5 }
        return service.bytes.reduce(7) { ($0 * 31 + Int($1)) % 128 }
    }

    /// The manufacturer data of an app in the background.
    static func overflowArea(of services: [BluetoothUUID]) -> [UInt8] {
        var bitmap = [UInt8](repeating: 0, count: 16)
        for service in services {
            let bit = overflowBit(of: service)
            bitmap[bit / 8] |= 1 << (bit % 8)
        }
        return [0x4C, 0x00, 0x01] + bitmap
    }
}
