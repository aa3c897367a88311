import CryptoSuite
import TestSupport
import Testing

@testable import Tuvali

@Suite struct SessionKeysTests {
    private func keys() throws -> (ofVerifier: SessionKeys, ofWallet: SessionKeys) {
        (
            try SessionKeys(
                privateKey: Secret(copying: Samples.verifierPrivateKey), peerPublicKey: Samples.walletPublicKey),
            try SessionKeys(
                privateKey: Secret(copying: Samples.walletPrivateKey), peerPublicKey: Samples.verifierPublicKey)
        )
    }

    @Test(.shows("TUV-026", "TUV-027", "TUV-028", "TUV-029"))
    func `both ends derive the published keys from the keys of RFC 7748`() throws {
        let wallet = Samples.bytes("2069330385bc2e30a9951b910a9461caf0c389bb664ea40dd96ebfca59d79cb2")
        let verifier = Samples.bytes("3930173021376acf4d6281079b6e287df23d1571acbe100e24e88d69407dbc00")
        for keys in try [keys().ofVerifier, keys().ofWallet] {
            #expect(keys.wallet.copyBytes() == wallet)
            #expect(keys.verifier.copyBytes() == verifier)
        }
    }

    @Test(.shows("TUV-026", "TUV-030"))
    func `the published plaintext is encrypted to the published bytes in both directions`() throws {
        let keys = try keys().ofWallet
        let plaintext = [UInt8](0..<100)
        #expect(
            try AuthenticatedCipher.aesGCM.seal(plaintext, key: keys.verifier, nonce: Samples.nonce)
                == Samples.bytes(
                    "d802815b88700165689cf544a5d2aa5a0422d7fdafb1d5c235522cc4b04b28f927a427b6e71e75cc335805cb543948ce"
                        + "17e83537bc56fa9ef3aa891f0c84c5355a3342704466bab3c1a0d24a203af43a1c870f6626594bb7e6c7abca6892"
                        + "11ca6efff4a1867f76b66876f08a779e1bec75df089a"))
        #expect(
            try AuthenticatedCipher.aesGCM.seal(plaintext, key: keys.wallet, nonce: Samples.nonce)
                == Samples.bytes(
                    "0579d2678a0a4a3f88ae44be75378fcc8ff33df5b81126cf2948c3eb7a1150da2bdd1319e4735b94d111122c34ae8fc9"
                        + "9363a9962be6d8c2ca095e19d74ae7b943e9981dd209bb2289f27d5536cc5528a71fc941b93e7eaa5bd83e95bea2"
                        + "195aec7476145b0162b0ec9ddac5b0ebc76082002b1b"))
    }

    @Test(.shows("TUV-028")) func `a session key agreement with a key of low order is refused`() throws {
        for point in [[UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31)] {
            #expect(throws: CryptoError(.lowOrderPoint, "")) {
                try SessionKeys(privateKey: Secret(copying: Samples.walletPrivateKey), peerPublicKey: point)
            }
        }
    }

    @Test(.shows("TUV-025"))
    func `an Identify request of 44 bytes is read, one byte less refused, and further bytes ignored`() {
        let request = IdentifyRequest(nonce: Samples.nonce, publicKey: Samples.walletPublicKey)
        #expect(request.bytes == Samples.nonce + Samples.walletPublicKey)
        #expect(IdentifyRequest(parsing: request.bytes) == request)
        #expect(IdentifyRequest(parsing: request.bytes.dropLast()) == nil)
        #expect(IdentifyRequest(parsing: request.bytes + [9, 9]) == request)
    }

    @Test func `the six check words come from a list without repeats, and differ for different keys`() {
        #expect(KeyCheckWords.list.count == 256)
        #expect(Set(KeyCheckWords.list).count == 256)
        #expect(KeyCheckWords.words(for: Samples.verifierPublicKey).count == 6)
        #expect(
            KeyCheckWords.words(for: Samples.verifierPublicKey) != KeyCheckWords.words(for: Samples.walletPublicKey))
    }
}
