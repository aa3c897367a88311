import JSON
import Testing

@testable import Credentials
@testable import LinkedData

@Suite struct JSONPointerSelectionTests {
    private static let document: JSONObject = [
        "issuer": "did:example:1",
        "credentialSubject": .object([
            "name": "Ada", "list": .array(["a", "b"]), "": "empty", "farm": .object(["x": 1]),
        ]),
    ]

    private func origin(_ steps: [JSONPath.Step], isList: Bool = false) -> StatementOrigin {
        StatementOrigin(path: JSONPath(steps), isList: isList)
    }

    private func code(_ body: () throws(CredentialError) -> Void) -> CredentialError.Code? {
        do throws(CredentialError) {
            try body()
            return nil
        } catch { return error.code }
    }

    @Test func `a JSON pointer of selective disclosure selects its target, all below, and the objects above`() throws {
        let selection = try JSONPointerSelection([["credentialSubject", "farm"]], in: Self.document)
        #expect(try selection.holds(origin(["credentialSubject"])))
        #expect(try selection.holds(origin(["credentialSubject", "farm"])))
        #expect(try selection.holds(origin(["credentialSubject", "farm", "x"])))
        #expect(try selection.holds(origin([])))
        #expect(try !selection.holds(origin(["credentialSubject", "name"])))
        #expect(try !selection.holds(origin(["issuer"])))
        // No pointer chooses nothing, and the empty one everything.
        #expect(try !JSONPointerSelection([], in: Self.document).holds(origin(["issuer"])))
        #expect(try !JSONPointerSelection([], in: Self.document).holds(origin([])))
        let whole = try JSONPointerSelection([[]], in: Self.document)
        #expect(try whole.holds(origin([])) && whole.holds(origin(["credentialSubject", "list"], isList: true)))
    }

    @Test func `a selective-disclosure pointer into a list is refused, unless another selects the list`() throws {
        let list = origin(["credentialSubject", "list"], isList: true)
        let into = ["credentialSubject", "list", "0"]
        let selection = try JSONPointerSelection([into], in: Self.document)
        #expect(code { () throws(CredentialError) in _ = try selection.holds(list) } == .ldFeature)
        let both = try JSONPointerSelection([into, ["credentialSubject", "list"]], in: Self.document)
        #expect(try both.holds(list))
        #expect(try !JSONPointerSelection([["issuer"]], in: Self.document).holds(list))
    }

    @Test(arguments: [
        ["issuers"], ["credentialSubject", "list", "2"], ["credentialSubject", "list", "-1"], ["issuer", "0"], [""],
        ["credentialSubject", "list", "x"], ["credentialSubject", "list", "99999999999999999999"],
    ])
    func `a selective-disclosure pointer to a missing member is refused`(pointer: [String]) {
        #expect(
            code { () throws(CredentialError) in _ = try JSONPointerSelection([pointer], in: Self.document) }
                == .sigForm)
        #expect(
            code { () throws(CredentialError) in
                _ = try JSONPointerSelection(
                    [["credentialSubject", ""], ["credentialSubject", "list", "1"]], in: Self.document)
            } == nil)
    }

    @Test func `selecting 20,000 statements by 40,000 pointers takes no quadratic time`() throws {
        let names = (0..<20_000).map { "m\($0)" }
        var document = JSONObject()
        for name in names { document[name] = "v" }
        let selection = try JSONPointerSelection(names.map { [$0] } + names.map { [$0] }, in: document)
        for name in names { #expect(try selection.holds(origin([.member(name)]))) }
        #expect(try !selection.holds(origin(["other"])))
    }
}
