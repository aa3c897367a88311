public import Credentials
public import Determinism
public import Tuvali

/// What a station works with.
public struct StationSettings: Sendable {
    /// The verifier's name, which wallets show: at most 14 bytes.
    public var name: String
    /// What can be asked for, never empty; the first one is asked for at the start.
    public var requests = [StationRequest.anything]
    /// What is demanded of credentials.
    public var policy = VerificationPolicy()
    /// Who may issue what.
    public var trust = TrustStore()
    /// What is decided without a person.
    public var decisions = DecisionPolicy()
    /// How long codes, credentials and notices stand.
    public var times = StationTimes()
    /// The limits of a hand-over; how long the verifier advertises and waits for the decision follows from `times`.
    public var verifier = VerifierConfiguration()
    /// The earliest time that a clock which was set can show.
    public var earliestTime = WallTime(millisecondsSinceEpoch: 1_767_225_600_000)
    /// The time after which the trust file is too old; nil for never.
    public var trustedUntil: WallTime?

    /// Whether the radio is a simulated one, which the page says.
    public var hasSimulatedRadio = false

    /// Makes settings.
    public init(name: String) { self.name = name }

    /// What stands against the desk's work at a time.
    public func standing(at time: WallTime) -> [StationError.Code] {
        var standing: [StationError.Code] = hasSimulatedRadio ? [.simulatedRadio] : []
        if time < earliestTime {
            standing.append(.clockNotSet)
        } else if let trustedUntil, time > trustedUntil {
            standing.append(.trustOutdated)
        }
        return standing
    }

    /// The configuration of a session: the station renews codes and ends waits before the session does.
    var session: VerifierConfiguration {
        var session = verifier
        session.advertisingWait = times.codeLifetime + times.codeGrace + .seconds(30)
        session.decisionWait = times.shownFor + .seconds(30)
        return session
    }
}
