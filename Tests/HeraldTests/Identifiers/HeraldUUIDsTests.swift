import Bluetooth
import ByteCoding
import TestSupport
import Testing

@testable import Herald

@Suite struct HeraldUUIDsTests {
    @Test(.shows("HP-64", "HP-66")) func `Herald identifiers have the published bytes on the air`() {
        let expected: [(BluetoothUUID, String)] = [
            (HeraldUUIDs.service, "f6fc"), (HeraldUUIDs.documentedService, "9bfd5bd672451e80d3424647af328142"),
            (HeraldUUIDs.payload, "e733898fe34321a12948058ff8c0983e"),
            (HeraldUUIDs.compliantSignal, "111a82809ae024837a432e0913b817f6"),
            (HeraldUUIDs.nonCompliantSignal, "63432db0ada4f38a9a4ae4eaf2d5b00e"),
        ]
        for (uuid, text) in expected { #expect(Hex.encode(uuid.littleEndian) == text) }
        #expect(HeraldUUIDs.openTraceService.description == "A6BA4286-C550-4794-A888-9467EF0B31A8")
        #expect(HeraldUUIDs.openTracePayload.description == "D1034710-B11E-42F2-BCA3-F481177D5BB2")
        #expect(HeraldUUIDs.deviceInformation.short == 0x180A && HeraldUUIDs.modelNumber.short == 0x2A24)
        #expect(
            SignalCharacteristicKind.allCases.map(\.uuid) == [
                HeraldUUIDs.compliantSignal, HeraldUUIDs.nonCompliantSignal,
            ])
    }
}
