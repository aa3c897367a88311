import Testing

@testable import CommandProgram

@Suite struct SettingsFileTests {
    @Test func `an unknown setting is answered with the names that there are, where these are few`() throws {
        let names = ["vault", "key-file", "trust"]
        let unknown = #expect(throws: CommandError.self) {
            _ = try SettingsFile.parse(Array("colour = red\n".utf8), name: "settings", names: names)
        }
        let reason = try #require(unknown?.reason)
        #expect(
            reason == "settings line 1: there is no setting “colour”. There are: vault, key-file, trust.", "\(reason)")
        let misspelt = #expect(throws: CommandError.self) {
            _ = try SettingsFile.parse(Array("valt = a\n".utf8), name: "settings", names: names)
        }
        #expect(misspelt?.reason.hasSuffix("Did you mean vault?") == true)
    }
}
