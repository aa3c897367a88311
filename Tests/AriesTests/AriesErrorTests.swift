import Aries
import Testing

@Suite struct AriesErrorTests {
    @Test func `errors are equal when their codes are`() {
        #expect(AriesError(.timeout, "one") == AriesError(.timeout, "two", wireCode: "w"))
        #expect(Set([AriesError(.timeout, "one"), AriesError(.timeout, "two")]).count == 1)
        #expect(AriesError(.timeout, "one") != AriesError(.cancelled, "one"))
    }

    @Test func `an error says its code and its sentence, and where the cause lies`() {
        let error = AriesError(.rejected, "They said no.", wireCode: "request_not_accepted")
        #expect("\(error)" == "aries.connection.rejected: They said no.")
        #expect(error.origin == .peer && error.wireCode == "request_not_accepted")
        let local = AriesError.Code.allCases.filter { $0.origin == .local }
        #expect(
            local.map(\.rawValue) == [
                "aries.invitation.not-recognised", "aries.invitation.handshake-unsupported",
                "aries.invitation.profile-unsupported", "aries.connection.cancelled", "aries.state.malformed",
            ])
    }

    @Test func `the codes of the module begin with its name and are unique`() {
        let codes = AriesError.Code.allCases.map(\.rawValue)
        #expect(codes.allSatisfy { $0.hasPrefix("aries.") })
        #expect(Set(codes).count == codes.count)
    }
}
