package import Credentials
public import Determinism
package import MobileSession
package import Tuvali

/// The settings of a station: name, requests, policy, trust and times.
public struct StationSettings: Sendable {
    /// The verifier's name, which wallets show: at most 14 bytes.
    package var name: String
    /// The requests to choose from, never empty; the first one is made at the start.
    package var requests = [StationRequest.anything]
    /// The demands on credentials.
    package var policy = VerificationPolicy()
    /// The issuers that are trusted, each for its kinds of credentials.
    package var trust = TrustStore()
    /// The key and the certificates by which requests to phones are signed; nil for unsigned ones.
    package var reader: DeviceRequestWriter.ReaderIdentity?
    /// The decisions that are made without a person.
    package var decisions = DecisionPolicy()
    /// The times for which codes, credentials and notices stay.
    package var times = StationTimes()
    /// The limits of a hand-over; how long the verifier advertises and waits for the decision follows from `times`.
    package var verifier = VerifierConfiguration()
    /// The earliest time that a clock which was set can show.
    package static let earliestTime = WallTime(millisecondsSinceEpoch: 1_767_225_600_000)
    /// The time after which the trust file is too old; nil for never.
    package var trustedUntil: WallTime?

    /// True when the radio is a simulated one, which the page says.
    package var hasSimulatedRadio = false

    /// Makes settings.
    public init(name: String) { self.name = name }

    /// Returns the problems that hinder the desk's work at a time.
    public func standing(at time: WallTime) -> [StationError.Code] {
        var standing: [StationError.Code] = hasSimulatedRadio ? [.simulatedRadio] : []
        if time < Self.earliestTime {
            standing.append(.clockNotSet)
        } else if let trustedUntil, time > trustedUntil {
            standing.append(.trustOutdated)
        }
        return standing
    }

    /// The configuration of a session: the station renews codes and ends waits before the session does.
    var session: VerifierConfiguration {
        var session = verifier
        session.advertisingWait = StationTimes.codeLifetime + StationTimes.codeGrace + .seconds(30)
        // A credential may wait until a code before it is decided about.
        session.decisionWait = times.shownFor * 2 + .seconds(30)
        return session
    }
}
