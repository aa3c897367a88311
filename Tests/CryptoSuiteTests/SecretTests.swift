import Testing

@testable import CryptoSuite

@Suite struct SecretTests {
    private let secret = Secret(copying: [UInt8](repeating: 0xAB, count: 32))

    @Test func `a secret is printed as its length alone`() {
        #expect("\(secret)" == "Secret(32 bytes)")
        #expect(String(describing: secret) == "Secret(32 bytes)")
        #expect(String(reflecting: secret) == "Secret(32 bytes)")
        var printed = ""
        print(secret, to: &printed)
        #expect(printed == "Secret(32 bytes)\n")
    }

    /// Of the suite, because the dump of a local type shows an address.
    struct Holder { let key: Secret }

    @Test func `a dump of a structure that contains a secret does not show the secret`() {
        var dumped = ""
        dump(Holder(key: secret), to: &dumped)
        #expect(dumped.contains("Secret(32 bytes)"))
        #expect(!dumped.contains("171") && !dumped.contains("storage") && !dumped.contains("pointer"))
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    @Test func `secrets are equal when their bytes are`() {
        #expect(secret == Secret(copying: [UInt8](repeating: 0xAB, count: 32)))
        #expect(secret != Secret(copying: [UInt8](repeating: 0xAB, count: 31)))
        for position in 0..<32 {
            var bytes = [UInt8](repeating: 0xAB, count: 32)
            bytes[position] ^= 1
            #expect(secret != Secret(copying: bytes))
        }
        #expect(Secret(copying: []) == Secret(copying: []))
    }

    @Test func `the hash value of a secret depends on its length alone`() {
        #expect(Secret(copying: [1, 2, 3]).hashValue == Secret(copying: [4, 5, 6]).hashValue)
    }

    @Test func `a secret's memory is wiped when its last reference is released`() {
        var seen: [UInt8]?
        var bytes: [UInt8] = [1, 2, 3, 4]
        do {
            let secret = Secret(consuming: &bytes, observeRelease: { seen = Array($0) })
            #expect(secret.copyBytes() == [1, 2, 3, 4])
            #expect(seen == nil)
        }
        #expect(seen == [0, 0, 0, 0])
    }

    @Test func `moving bytes into a secret empties the source`() {
        var bytes: [UInt8] = [1, 2, 3, 4]
        let secret = Secret(consuming: &bytes)
        #expect(bytes.isEmpty)
        #expect(secret.withBytes { Array($0) } == [1, 2, 3, 4])
    }
}
