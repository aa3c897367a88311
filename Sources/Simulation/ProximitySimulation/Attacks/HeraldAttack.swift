import Determinism

/// The attacks that a simulated device makes on others.
public enum HeraldAttack: String, Hashable, Sendable, CaseIterable {
    /// Advertises from twenty fresh addresses at every look.
    case addressFlood = "address-flood"
    /// Reads the payload of another device, and serves and advertises a copy of it.
    case replay
    /// Connects to all devices and writes frames that announce more bytes than the limit, as fast as it can.
    case oversizedFrames = "oversized-frames"
    /// Advertises the service and answers no request; connects to all devices, writes nothing and stays connected.
    case slowLinks = "slow-links"
    /// Connects to all devices and writes messages as fast as it can.
    case messageFlood = "message-flood"
    /// Changes its identity every second: another pseudo address, and another payload that it writes to all devices.
    case identityChurn = "identity-churn"
    /// Advertises as if it were many iPhones with applications in the background, and accepts no connection.
    case fakePhones = "fake-phones"

    /// The number of further addresses from which the attacker advertises.
    var phantoms: Int { self == .addressFlood || self == .fakePhones ? 20 : 0 }

    /// Makes the host that carries out this attack.
    func host(_ random: SeededRandom) -> any CrowdHost { AttackingDevice(self, random) }
}
