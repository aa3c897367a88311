import Testing

@testable import CryptoSuite

@Suite struct CryptoErrorTests {
    @Test func `crypto errors are equal when their codes are`() {
        #expect(CryptoError(.invalidKey, "one") == CryptoError(.invalidKey, "another"))
        #expect(CryptoError(.invalidKey, "one") != CryptoError(.invalidLength, "one"))
        #expect(Set([CryptoError(.invalidKey, "one"), CryptoError(.invalidKey, "another")]).count == 1)
    }

    @Test func `a crypto library that returns nothing is reported as an internal error`() throws {
        #expect(try CryptoError.require(1, "none") == 1)
        #expect(throws: CryptoError(.internal, "")) { try CryptoError.require(nil as Int?, "none") }
    }

    @Test func `crypto error codes keep their names`() {
        #expect(
            CryptoError.Code.allCases.map(\.rawValue) == [
                "crypto.authentication-failed", "crypto.invalid-key", "crypto.low-order-point", "crypto.invalid-point",
                "crypto.invalid-length", "crypto.malformed-certificate", "crypto.certificate-too-large",
                "crypto.internal",
            ])
        #expect("\(CryptoError(.invalidKey, "too short"))" == "crypto.invalid-key: too short")
    }
}
