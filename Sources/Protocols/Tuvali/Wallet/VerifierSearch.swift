import Bluetooth

/// Finds the verifier of the QR code among the received advertisements, again after each connection that ended before
/// anything was written.
struct VerifierSearch: Sendable {
    private let attemptLimit: Int
    private var matcher: AdvertisementMatcher
    private var attempt = 0
    /// Why the last connection broke.
    private var lastFailure: TuvaliError?

    init(uri: TuvaliURI, configuration: WalletConfiguration) {
        attemptLimit = configuration.connectAttempts
        matcher = AdvertisementMatcher(uri: uri, profiles: configuration.profiles, limit: configuration.sightingLimit)
    }

    /// Takes one report; a match counts as an attempt to connect, and must be heard whole again for the next.
    mutating func take(_ report: AdvertisementReport) -> AdvertisementMatcher.Verdict {
        let verdict = matcher.take(report)
        if case .match(let address, _) = verdict {
            matcher.forget(address)
            attempt += 1
        }
        return verdict
    }

    /// The number of the attempt that follows one that failed; nil when none is left.
    mutating func nextAttempt(after failure: TuvaliError) -> Int? {
        guard attempt < attemptLimit else { return nil }
        lastFailure = failure
        return attempt + 1
    }

    /// Why the time for looking passed without a match: the last connection's failure, where there was one.
    var failure: TuvaliError {
        if let lastFailure { return lastFailure }
        guard matcher.heardOther else { return TuvaliError(.walletVerifierNotFound, "No verifier was heard.") }
        return TuvaliError(
            .walletStaleURI, "Verifiers are near, but none with the key of this QR code: the code is stale.")
    }
}
