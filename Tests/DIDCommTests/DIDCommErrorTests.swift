import Testing

@testable import DIDComm

@Suite struct DIDCommErrorTests {
    @Test func `DIDComm errors are equal when their codes are`() {
        #expect(DIDCommError(.keyMalformed, "one") == DIDCommError(.keyMalformed, "two"))
        #expect(Set([DIDCommError(.keyMalformed, "one"), DIDCommError(.keyMalformed, "two")]).count == 1)
    }

    @Test func `a DIDComm error prints its code and its sentence`() {
        let error = DIDCommError(.keyMalformed, "it has 31 bytes")
        #expect("\(error)" == "didcomm.key.malformed: it has 31 bytes")
    }

    @Test func `the codes of the DIDComm module begin with its name and are unique`() {
        let codes = DIDCommError.Code.allCases.map(\.rawValue)
        #expect(codes.allSatisfy { $0.hasPrefix("didcomm.") })
        #expect(Set(codes).count == codes.count)
    }
}
