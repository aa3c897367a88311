package import JSON

/// Checks the time claims of a token: `nbf`, `exp` and `iat`.
package enum TokenTimeChecks {
    /// Records whether the request's time is between `nbf` and `exp`, and `iat` is not in the future.
    package static func check(
        _ claims: JSONObject, _ request: VerificationRequest, into list: inout CredentialCheckList
    ) {
        let done: Void? = list.attempt { () throws(CredentialError) in
            let issued = try seconds("iat", of: claims)
            let start = try seconds("nbf", of: claims)
            let end = try seconds("exp", of: claims)
            try CredentialTime.check(from: start, to: end, request, "The token")
            try CredentialTime.check(from: issued, to: nil, request, "The token by its claim iat")
        }
        if done != nil {
            list.pass(.time, "The time lies in the token's validity, within \(request.policy.toleranceSeconds) s.")
        }
    }

    /// Returns the period of validity in the claims.
    package static func validity(_ claims: JSONObject) -> CredentialContent.ValidityPeriod {
        CredentialContent.ValidityPeriod(from: claims["nbf"] ?? claims["iat"], until: claims["exp"])
    }

    /// Returns a time claim in seconds since 1970; nil when it is absent.
    ///
    /// Throws `credential.time-format`.
    static func seconds(_ name: String, of claims: JSONObject) throws(CredentialError) -> Double? {
        guard let value = claims[name] else { return nil }
        do throws(CredentialError) {
            return try CredentialTime.seconds(numeric: value, "The claim \(name)")
        } catch {
            throw CredentialError(error.code, error.reason, at: .pointer("").appending(name))
        }
    }
}
