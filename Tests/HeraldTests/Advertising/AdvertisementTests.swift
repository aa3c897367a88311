import Bluetooth
import ByteCoding
import Determinism
import TestSupport
import Testing

@testable import Herald

@Suite struct AdvertisementTests {
    static let address = PseudoDeviceAddress(value: 0x0605_0403_0201)

    @Test(.shows("HP-12", "HP-61"))
    func `a Herald advertisement without a pseudo address names both generations of the service`() throws {
        let advertisement = try HeraldAdvertisement()
        #expect(Hex.encode(advertisement.data) == "0201060303f6fc11079bfd5bd672451e80d3424647af328142")
        #expect(advertisement.scanResponse == [])
    }

    @Test(.shows("HP-24"))
    func `a Herald advertisement with a pseudo address has the deployed bytes of either generation`() throws {
        let current = try HeraldAdvertisement(pseudoAddress: Self.address)
        #expect(Hex.encode(current.data) == "0201060303f6fc09fff105010203040506")
        let documented = try HeraldAdvertisement(
            .init(services: [HeraldUUIDs.documentedService]), pseudoAddress: Self.address)
        #expect(Hex.encode(documented.data) == "02010611079bfd5bd672451e80d3424647af32814209fffaff010203040506")
        #expect(documented.data.count == 31)
    }

    @Test func `a pseudo address without room moves to the scan response; services without room are refused`() throws {
        let both = HeraldAdvertisement.Content(services: [HeraldUUIDs.service, HeraldUUIDs.documentedService])
        let advertisement = try HeraldAdvertisement(both, pseudoAddress: Self.address)
        #expect(advertisement.data.count == 25)
        #expect(Hex.encode(advertisement.scanResponse) == "09fff105010203040506")
        let long = BluetoothUUID(high: 1, low: 2)
        #expect(throws: HeraldError(.advertisementTooLong, "")) {
            try HeraldAdvertisement(.init(services: [long, HeraldUUIDs.documentedService]))
        }
        #expect(throws: HeraldError(.configurationInvalid, "")) { try HeraldAdvertisement(.init(services: [])) }
    }

    @Test func `a Herald advertisement may have a transmit power and a service of the application`() throws {
        let own = BluetoothUUID(high: 1, low: 2)
        let advertisement = try HeraldAdvertisement(.init(services: [own], transmitPower: -12))
        var detection = HeraldAdvertisementFields.DetectionCriteria()
        #expect(!HeraldAdvertisementFields(parsing: advertisement.data).namesHerald)
        detection.services = [own]
        let reading = HeraldAdvertisementFields(parsing: advertisement.data, detecting: detection)
        #expect(reading.namesHerald)
        #expect(reading.transmitPower == -12)
    }

    @Test(
        .shows("HP-27", "HP-60"),
        arguments: [
            ("02010611079bfd5bd672451e80d3424647af328142", true, nil as UInt64?),
            ("0201060303f6fc09fff105010203040506", true, 0x0605_0403_0201),
            ("02010611079bfd5bd672451e80d3424647af32814209fffaff010203040506", true, 0x0605_0403_0201),
            ("02011a0809fffffa1007331f2c30", false, nil), ("02011a09fffffa1007331f2c30", false, 0x302C_1F33_0710),
            ("0302f6fc", true, nil), ("0303f6fd", false, nil), ("11069bfd5bd672451e80d3424647af328142", true, nil),
            ("09fff20510203040506070", false, nil), ("08fff1050102030405", false, nil),
            ("0afff10501020304050607", false, nil), ("0503180af6fc", true, nil), ("0403f6fc01", true, nil),
            ("0505f6fc0000", true, nil), ("09040a180000f6fc0000", true, nil), ("0605f6fc000001", true, nil),
            ("0505f6fc0100", false, nil), ("0404f6fc00", false, nil), ("0505f6fc00", false, nil),
        ])
    func `services and pseudo addresses of every Herald generation are read`(
        text: String, namesHerald: Bool, address: UInt64?
    ) throws {
        let reading = HeraldAdvertisementFields(parsing: try #require(Hex.decode(text)))
        #expect(reading.namesHerald == namesHerald)
        #expect(reading.pseudoAddress == address.map(PseudoDeviceAddress.init(value:)))
    }

    @Test func `a service of the application is detected in each of its forms`() throws {
        var detection = HeraldAdvertisementFields.DetectionCriteria()
        detection.findsCurrent = false
        detection.services = [BluetoothUUID(UInt16(0xFCF7))]
        for text in ["0303f7fc", "0505f7fc0000", "1107fb349b5f8000008000100000f7fc0000"] {
            let bytes = try #require(Hex.decode(text))
            #expect(HeraldAdvertisementFields(parsing: bytes, detecting: detection).namesHerald)
        }
        for text in ["0303f6fc", "0505f6fc0000", "1107fb349b5f8000008000100000f6fc0000", "0505f7fc0001"] {
            let bytes = try #require(Hex.decode(text))
            #expect(!HeraldAdvertisementFields(parsing: bytes, detecting: detection).namesHerald)
        }
    }

    @Test func `a Herald generation that is not enabled is not detected`() throws {
        var detection = HeraldAdvertisementFields.DetectionCriteria()
        detection.findsDocumented = false
        detection.readsExchangedCompany = false
        let documented = try #require(Hex.decode("11079bfd5bd672451e80d3424647af328142"))
        #expect(!HeraldAdvertisementFields(parsing: documented, detecting: detection).namesHerald)
        let exchanged = try #require(Hex.decode("09fffffa1007331f2c30"))
        #expect(HeraldAdvertisementFields(parsing: exchanged, detecting: detection).pseudoAddress == nil)
        detection.findsCurrent = false
        #expect(!HeraldAdvertisementFields(parsing: [3, 3, 0xF6, 0xFC], detecting: detection).namesHerald)
    }

    @Test func `an advertisement cut short never has more contents than the whole one`() throws {
        let whole = try HeraldAdvertisement(.init(transmitPower: 4), pseudoAddress: Self.address).data
        let accepted = DecoderVerifier.acceptedTruncations(of: whole) { bytes in
            HeraldAdvertisementFields(parsing: bytes).pseudoAddress
        }
        #expect(accepted == [])
        let services = DecoderVerifier.acceptedTruncations(of: whole) { bytes in
            HeraldAdvertisementFields(parsing: bytes).namesHerald ? true : nil
        }
        #expect(services == Array(7..<whole.count))
    }

    @Test func `transmit power is read as a signed number`() {
        #expect(HeraldAdvertisementFields(parsing: [2, 0x0A, 0xF4]).transmitPower == -12)
        #expect(HeraldAdvertisementFields(parsing: [1, 0x0A]).transmitPower == nil)
    }
}
