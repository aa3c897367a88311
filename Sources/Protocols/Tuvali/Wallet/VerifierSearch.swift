import Bluetooth
import Determinism

/// Finds the verifier of the QR code among the received advertisements, again after each connection that ended before
/// anything was written.
struct VerifierSearch: Sendable {
    private let attemptLimit: Int
    private let preferred: WireProfile?
    private let preferredWait: Duration
    /// The verifier as heard with another profile than the preferred one; nil while it was not heard so.
    private var candidate: (address: DeviceAddress, profile: WireProfile, until: MonotonicInstant)?
    private var matcher: AdvertisementMatcher
    private var attempt = 0
    /// The error that ended the last connection.
    private var lastFailure: TuvaliError?

    init(uri: TuvaliURI, configuration: WalletConfiguration) {
        attemptLimit = WalletConfiguration.connectAttempts
        preferred = configuration.profiles.first
        preferredWait = WalletConfiguration.preferredProfileWait
        matcher = AdvertisementMatcher(uri: uri, profiles: configuration.profiles, limit: configuration.sightingLimit)
    }

    /// The time at which a verifier that was not heard with the preferred profile is connected to; nil for none.
    var deadline: MonotonicInstant? { candidate?.until }

    /// Takes one report; a match counts as an attempt to connect, and must be heard whole again for the next.
    ///
    /// A match with another profile than the preferred one waits for that until `deadline`.
    mutating func take(_ report: AdvertisementReport, at now: MonotonicInstant)
        -> AdvertisementMatcher.AdvertisementMatch
    {
        let verdict = matcher.take(report)
        guard case .match(let address, let profile) = verdict else { return verdict }
        guard profile != preferred, preferredWait > .zero else { return match(address, profile) }
        if candidate == nil { candidate = (address, profile, until: now + preferredWait) }
        return .nothing
    }

    /// The verifier that was heard with another profile than the preferred one, once the wait for that is over.
    mutating func takeCandidate() -> AdvertisementMatcher.AdvertisementMatch {
        candidate.map { match($0.address, $0.profile) } ?? .nothing
    }

    private mutating func match(_ address: DeviceAddress, _ profile: WireProfile)
        -> AdvertisementMatcher.AdvertisementMatch
    {
        candidate = nil
        matcher.forget(address)
        attempt += 1
        return .match(address, profile)
    }

    /// The number of the attempt that follows one that failed; nil when none is left.
    mutating func nextAttempt(after failure: TuvaliError) -> Int? {
        guard attempt < attemptLimit else { return nil }
        lastFailure = failure
        return attempt + 1
    }

    /// The error for a search that ended without a match: the last connection's failure, where there was one.
    var failure: TuvaliError {
        if let lastFailure { return lastFailure }
        guard matcher.heardOther else { return TuvaliError(.walletVerifierNotFound, "No verifier was heard.") }
        return TuvaliError(
            .walletStaleURI, "Verifiers are near, but none with the key of this QR code: the code is stale.")
    }
}
