import JSON
import TestSupport
import Testing

@testable import Credentials

@Suite struct WycheproofJWSTests {
    /// Returns true when a token's signature by the key is accepted under the rules for tokens.
    private func isAccepted(_ token: String, _ jwk: JSONObject) -> Bool {
        (try? check(token, jwk)) != nil
    }

    private func check(_ token: String, _ jwk: JSONObject) throws(CredentialError) {
        let token = try CompactJWS(parsing: token.utf8, limits: VerificationLimits())
        var key = ResolvedKey(try VerificationKey(try UncheckedPublicKey(jwk: jwk)), identifier: "k", controller: "c")
        try JWKUsageCheck.apply(jwk, to: &key)
        let algorithm = try token.algorithm()
        try key.checkAlgorithm(algorithm)
        try key.key.verify(token.signature, over: token.signingInput, algorithm: algorithm)
    }

    /// Why a case that the file calls valid is refused here all the same.
    private func exception(_ token: String, _ jwk: JSONObject) -> String? {
        if jwk["kty"]?.string == "oct" { return "shared secret" }
        guard let header = try? CompactJWS(parsing: token.utf8, limits: VerificationLimits()).header,
            let algorithm = header["alg"]?.string, let only = jwk["alg"]?.string, only != algorithm
        else { return nil }
        return "the key is for \(only) alone"
    }

    @Test(.enabled(if: Samples.arePresent))
    func `Wycheproof JWS cases are accepted if they are valid and of a supported algorithm, else refused`() throws {
        let file = try OutsideVectors.contents(of: "wycheproof/json_web_signature_test.json")
        let value = try JSONValue(parsing: file, limits: JSONLimits(maximumBytes: 4 << 20))
        var counts = (accepted: 0, refused: 0, excepted: [String: Int]())
        for group in try #require(value["testGroups"]?.array) {
            let jwk = try #require(group["public"]?.object ?? group["private"]?.object)
            for item in try #require(group["tests"]?.array) {
                let token = try #require(item["jws"]?.string)
                let comment = Comment(rawValue: "case \(item["tcId"]?.int ?? 0)")
                guard item["result"]?.string == "valid" else {
                    #expect(!isAccepted(token, jwk), comment)
                    counts.refused += 1
                    continue
                }
                if let reason = exception(token, jwk) {
                    #expect(!isAccepted(token, jwk), comment)
                    counts.excepted[reason, default: 0] += 1
                } else {
                    #expect(isAccepted(token, jwk), comment)
                    counts.accepted += 1
                }
            }
        }
        #expect(counts.refused == 355)
        #expect(counts.accepted == 32)
        #expect(
            counts.excepted == ["shared secret": 10, "the key is for ES521 alone": 2, "the key is for PS256 alone": 2])
    }
}
