import Bluetooth
import TestSupport
import Testing
import Tuvali

@Suite struct WireProfileTests {
    @Test(
        .shows(
            "TUV-130", "TUV-131", "TUV-132", "TUV-133", "TUV-134", "TUV-135", "TUV-136", "TUV-137", "TUV-138",
            "TUV-139", "TUV-140"))
    func `the 0.5 profile has the deployed UUIDs, and the verification status an older one`() {
        let expected: [(TuvaliCharacteristic, String)] = [
            (.identify, "00000006-5026-444A-9E0E-D6F2450F3A77"),
            (.requestSize, "00000004-5026-444A-9E0E-D6F2450F3A77"),
            (.request, "00000005-5026-444A-9E0E-D6F2450F3A77"),
            (.responseSize, "00000007-5026-444A-9E0E-D6F2450F3A77"),
            (.submitResponse, "00000008-5026-444A-9E0E-D6F2450F3A77"),
            (.reportRequest, "00000009-5026-444A-9E0E-D6F2450F3A77"),
            (.reportResponse, "0000000A-5026-444A-9E0E-D6F2450F3A77"),
            (.verificationStatus, "00002037-0000-1000-8000-00805F9B34FB"),
            (.disconnect, "0000000B-5026-444A-9E0E-D6F2450F3A77"),
        ]
        for (characteristic, text) in expected {
            #expect(WireProfile.tuvali05.uuid(of: characteristic).description == text)
        }
        #expect(WireProfile.tuvali05.service.description == "00000001-0000-1000-8000-00805F9B34FB")
        #expect(WireProfile.tuvali05.scanResponseService.description == "00000002-0000-1000-8000-00805F9B34FB")
    }

    @Test(.shows("TUV-120", "TUV-121", "TUV-122", "TUV-123", "TUV-124", "TUV-125", "TUV-126", "TUV-127", "TUV-128"))
    func `the 0.4 profile has sixteen-bit UUIDs from 2030 to 2038`() {
        let order: [TuvaliCharacteristic] = [
            .identify, .requestSize, .request, .responseSize, .submitResponse, .reportRequest, .reportResponse,
            .verificationStatus, .disconnect,
        ]
        for (offset, characteristic) in order.enumerated() {
            #expect(WireProfile.tuvali04.uuid(of: characteristic).short == UInt16(0x2030 + offset))
        }
        #expect(WireProfile.tuvali04.service.short == 0xAB29)
        #expect(WireProfile.tuvali04.scanResponseService.short == 0xAB2A)
    }

    @Test(arguments: WireProfile.allCases)
    func `every Tuvali characteristic is found by its UUID, and an unknown UUID is not`(profile: WireProfile) {
        for characteristic in TuvaliCharacteristic.allCases {
            #expect(profile.characteristic(with: profile.uuid(of: characteristic)) == characteristic)
        }
        #expect(profile.characteristic(with: BluetoothUUID(0x2A00 as UInt16)) == nil)
    }

    @Test(arguments: WireProfile.allCases)
    func `a verifier publishes nine characteristics, and descriptors only when asked`(profile: WireProfile) {
        let plain = profile.serviceDefinition()
        #expect(plain.characteristics.count == 9)
        #expect(!plain.characteristics.contains { $0.hasClientConfiguration })
        let subscribed = profile.serviceDefinition(hasClientConfiguration: true)
        #expect(subscribed.characteristics.filter(\.hasClientConfiguration).count == 3)
        #expect(
            plain.characteristics.filter { $0.properties == [.write, .writeWithoutResponse] }.count == 4)
    }
}
