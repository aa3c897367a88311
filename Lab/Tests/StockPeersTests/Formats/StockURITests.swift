import Testing

@testable import StockPeers

/// Tests of the QR code texts that each deployed wallet accepts.
@Suite struct StockURITests {
    static let key = "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
    static let good = StockURI.Verdict.accepted(name: "N", leadingKey: [0x85, 0x20, 0xF0, 0x09, 0x89])
    static let crash = StockURI.Verdict.crash("the key is not hexadecimal")

    @Test func `each generation of stock verifiers writes the Tuvali URI in its own spelling`() {
        let key = Samples.bytes(Self.key)
        #expect(StockURI.text(name: "N", key: key, generation: .v05) == "OPENID4VP://connect?name=N&key=\(Self.key)")
        #expect(StockURI.text(name: "N", key: key, generation: .v04) == "OPENID4VP://connect:?name=N&key=\(Self.key)")
        #expect(StockURI.text(name: "a b", key: [1], generation: .v05) == "OPENID4VP://connect?name=a%20b&key=01")
    }

    @Test(
        arguments: [
            ("OPENID4VP://connect?name=N&key=\(key)", good, good),
            ("OPENID4VP://connect:?name=N&key=\(key)", good, good),
            ("OPENID4VP://other/path?x=1&key=\(key)&name=N#end", good, good),
            ("openid4vp://connect?name=N&key=\(key)", good, .refused(.invalidURI)),
            ("https://connect?name=N&key=\(key)", good, .refused(.invalidURI)),
            ("OPENID4VP://connect?key=\(key)", .refused(.invalidURI), .refused(.invalidURI)),
            ("OPENID4VP://connect?name=N", .refused(.invalidURI), .refused(.invalidURI)),
            (
                "OPENID4VP://connect?name=&key=\(key)", .refused(.invalidURI),
                .accepted(name: "", leadingKey: [0x85, 0x20, 0xF0, 0x09, 0x89])
            ),
            ("OPENID4VP:connect?name=N&key=\(key)", .refused(.unknown), good),
            ("OPENID4VP://connect?name=N&key=xyz0", .refused(.unknown), crash),
            ("OPENID4VP://connect?name=N&key=8520f00989f", .refused(.unknown), crash),
            (
                "OPENID4VP://connect?name=N&key=8520f009", .refused(.unknown),
                .accepted(name: "N", leadingKey: [0x85, 0x20, 0xF0, 0x09])
            ),
            ("OPENID4VP://connect?name=N&key=8520F00989", good, good),
            (
                "OPENID4VP://connect?name=a+b%20c&key=8520f00989",
                .accepted(name: "a b c", leadingKey: [0x85, 0x20, 0xF0, 0x09, 0x89]),
                .accepted(name: "a+b c", leadingKey: [0x85, 0x20, 0xF0, 0x09, 0x89])
            ),
        ] as [(String, StockURI.Verdict, StockURI.Verdict)])
    func `stock wallets accept, refuse or crash on a Tuvali URI as observed`(
        text: String, android: StockURI.Verdict, iOS: StockURI.Verdict
    ) {
        #expect(StockURI.readByAndroid(text) == android)
        #expect(StockURI.readByIOS(text) == iOS)
    }
}
