import Determinism

/// What a device does that it should not.
public enum Mischief: String, Hashable, Sendable, CaseIterable {
    /// Advertises from twenty fresh addresses every time that somebody looks.
    case addressFlood = "address-flood"
    /// Reads the payload of another device, and serves and advertises what that one does.
    case replay
    /// Connects to everybody and writes frames that announce more than there may be, as fast as it can.
    case oversizedFrames = "oversized-frames"
    /// Offers the service and answers nothing; connects to everybody, says nothing and stays.
    case slowLinks = "slow-links"
    /// Connects to everybody and writes messages as fast as it can.
    case messageFlood = "message-flood"
    /// Is somebody else every second: with another pseudo address, and another payload that it writes to everybody.
    case identityChurn = "identity-churn"
    /// Advertises as many iPhones with applications in the background do, and lets nobody connect.
    case fakePhones = "fake-phones"

    /// From how many fresh addresses it advertises beside its own.
    var phantoms: Int { self == .addressFlood || self == .fakePhones ? 20 : 0 }

    /// Who lives on such a device.
    func host(_ random: SeededRandom) -> any CrowdHost { MischiefHost(self, random) }
}
