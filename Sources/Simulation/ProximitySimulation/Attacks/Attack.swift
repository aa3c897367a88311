import Determinism

/// How a device attacks others.
public enum Attack: String, Hashable, Sendable, CaseIterable {
    /// Advertises from twenty fresh addresses at every look.
    case addressFlood = "address-flood"
    /// Reads the payload of another device, and serves and advertises what that one does.
    case replay
    /// Connects to all devices and writes frames that announce more than there may be, as fast as it can.
    case oversizedFrames = "oversized-frames"
    /// Offers the service and answers nothing; connects to all devices, writes nothing and stays connected.
    case slowLinks = "slow-links"
    /// Connects to all devices and writes messages as fast as it can.
    case messageFlood = "message-flood"
    /// Changes its identity every second: another pseudo address, and another payload that it writes to all devices.
    case identityChurn = "identity-churn"
    /// Advertises as many iPhones with applications in the background do, and accepts no connection.
    case fakePhones = "fake-phones"

    /// From how many fresh addresses it advertises beside its own.
    var phantoms: Int { self == .addressFlood || self == .fakePhones ? 20 : 0 }

    /// The host of such a device.
    func host(_ random: SeededRandom) -> any CrowdHost { AttackHost(self, random) }
}
