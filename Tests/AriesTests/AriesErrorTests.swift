import Aries
import Testing

@Suite struct AriesErrorTests {
    @Test func `Aries errors are equal when their codes are`() {
        #expect(AriesError(.timeout, "one") == AriesError(.timeout, "two", wireCode: "w"))
        #expect(Set([AriesError(.timeout, "one"), AriesError(.timeout, "two")]).count == 1)
        #expect(AriesError(.timeout, "one") != AriesError(.cancelled, "one"))
    }

    @Test func `an Aries error prints its code and its sentence, and shows the wire code`() {
        let error = AriesError(.rejected, "They said no.", wireCode: "request_not_accepted")
        #expect("\(error)" == "aries.connection.rejected: They said no.")
        #expect(error.wireCodeText == "request_not_accepted")
    }

    @Test func `the codes of the Aries module begin with its name and are unique`() {
        let codes = AriesError.Code.allCases.map(\.rawValue)
        #expect(codes.allSatisfy { $0.hasPrefix("aries.") })
        #expect(Set(codes).count == codes.count)
    }
}
