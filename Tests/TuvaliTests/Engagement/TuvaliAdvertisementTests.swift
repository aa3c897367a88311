import TestSupport
import Testing
import Tuvali

@Suite struct TuvaliAdvertisementTests {
    @Test(.shows("TUV-021", "TUV-022", "TUV-139", "TUV-140"))
    func `a verifier's advertisement and scan response have the deployed bytes`() throws {
        let advertisement = try TuvaliAdvertisement(uri: Samples.uri(), profile: .tuvali05)
        #expect(
            advertisement.data
                == Samples.bytes("0201060303010011160100" + "4F56504D4F534950" + "5F" + "8520F00989"))
        #expect(
            advertisement.scanResponse
                == Samples.bytes("1E160200" + "30A754748B7DDCB43EF75A0DBF3A0D26381AF4EBA4A98EAA9B4E6A"))
    }

    @Test func `the longest verifier name fills the advertisement to its last byte`() throws {
        let uri = try Samples.uri(name: "ABCDEFGHIJKLMN")
        let advertisement = TuvaliAdvertisement(uri: uri, profile: .tuvali05)
        #expect(advertisement.data.count == 31)
        #expect(advertisement.scanResponse.count == 31)
    }

    @Test func `the advertised key bytes are the last five even when the name contains an underscore`() throws {
        let parsed = TuvaliAdvertisement.parse(Array("A_B_".utf8) + [1, 2, 3, 4, 5])
        #expect(parsed?.name == Array("A_B".utf8))
        #expect(parsed?.leadingKey == [1, 2, 3, 4, 5])
    }

    @Test(.shows("T9")) func `service data too short for a name and five key bytes is ignored`() {
        #expect(TuvaliAdvertisement.parse([UInt8(ascii: "_"), 1, 2, 3, 4, 5]) == nil)
        #expect(TuvaliAdvertisement.parse([65, UInt8(ascii: "_"), 1, 2, 3, 4, 5]) != nil)
        #expect(TuvaliAdvertisement.parse([65, 66, 1, 2, 3, 4, 5]) == nil)
        #expect(TuvaliAdvertisement.parse([]) == nil)
    }
}
