public import Foundation

public enum CBManagerState: Int, Sendable {
    case unknown = 0
    case resetting = 1
    case unsupported = 2
    case unauthorized = 3
    case poweredOff = 4
    case poweredOn = 5
}

public enum CBManagerAuthorization: Int, Sendable {
    case notDetermined = 0
    case restricted = 1
    case denied = 2
    case allowedAlways = 3
}

open class CBManager: NSObject {
    public internal(set) var state = CBManagerState.unknown

    public class var authorization: CBManagerAuthorization { SimulatedPhone.current.conditions.authorization }

    /// True once the simulated system has ended the app; the app's code still runs in a test, but reaches no radio.
    var isEnded = false

    let phone: SimulatedPhone
    let queue: DispatchQueue

    init(_ queue: DispatchQueue?) {
        phone = SimulatedPhone.current
        self.queue = queue ?? .main
    }
}

/// Carries what is not sendable between a manager's queue and the tasks that ask the simulated radio: each value is
/// touched on the queue alone.
struct OnQueue<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
