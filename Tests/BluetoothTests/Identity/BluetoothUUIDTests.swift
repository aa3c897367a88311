import Bluetooth
import Testing

@Suite struct BluetoothUUIDTests {
    @Test func `a short UUID equals the long form that it stands for`() {
        let long = BluetoothUUID("0000180A-0000-1000-8000-00805f9b34fb")
        #expect(BluetoothUUID(UInt16(0x180A)) == long && BluetoothUUID(UInt32(0x180A)) == long)
        #expect(BluetoothUUID("180a") == long && BluetoothUUID("0000180A") == long)
        #expect(long?.short == 0x180A && long?.littleEndian == [0x0A, 0x18])
        #expect(long?.description == "0000180A-0000-1000-8000-00805F9B34FB")
    }

    @Test func `a UUID outside of the Bluetooth base has no short form`() throws {
        let uuid = try #require(BluetoothUUID("00000001-5026-444A-9E0E-D6F2450F3A77"))
        #expect(uuid.short == nil && uuid.littleEndian.count == 16)
        #expect(BluetoothUUID(littleEndian: uuid.littleEndian) == uuid)
        #expect(BluetoothUUID(UInt32(0x1_0000)).short == nil)
    }

    @Test(arguments: [
        "", "18", "180A0", "180G", "0000180A-0000-1000-8000", "0000180A00001000800000805F9B34FB", "18-0A",
    ])
    func `text that is no Bluetooth UUID is refused`(text: String) {
        #expect(BluetoothUUID(text) == nil)
    }

    @Test func `a Bluetooth UUID is read from 2, 4 or 16 bytes and from no other count`() {
        for count in 0...17 {
            let uuid = BluetoothUUID(littleEndian: [UInt8](repeating: 1, count: count))
            #expect((uuid != nil) == [2, 4, 16].contains(count))
        }
        #expect(BluetoothUUID(littleEndian: [0x0A, 0x18, 0, 0])?.short == 0x180A)
    }
}
