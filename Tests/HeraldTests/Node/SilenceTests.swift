import Bluetooth
import Determinism
import Herald
import Testing

@Suite struct SilenceTests {
    private static let peer = DeviceAddress(value: 0xC0FF_EE00_0102, kind: .random)

    private func silences(_ outputs: [HeraldNode.Output]) -> Int {
        outputs.count { output in
            if case .event(.trouble(let error, nil)) = output { error.code == .radioSilent } else { false }
        }
    }

    @Test func `a radio that is on and reports no device for two minutes is reported once`() throws {
        var stage = try Stage()
        #expect(silences(stage.wait(.milliseconds(119_999))) == 0)
        #expect(silences(stage.wait(.milliseconds(1))) == 1)
        #expect(silences(stage.wait(.seconds(3600))) == 0)
    }

    @Test func `an advertisement of any device restarts the two minutes of a silent radio, also after a report`() throws
    {
        var stage = try Stage()
        let television: [UInt8] = [2, 1, 6, 3, 3, 0x0A, 0x18]
        #expect(silences(stage.wait(.seconds(100))) == 0)
        stage.put(.heard(AdvertisementReport(address: Self.peer, kind: .connectable, rssi: -60, data: television)))
        #expect(silences(stage.wait(.seconds(119))) == 0)
        #expect(silences(stage.wait(.seconds(1))) == 1)
        stage.put(.heard(AdvertisementReport(address: Self.peer, kind: .connectable, rssi: -60, data: television)))
        #expect(silences(stage.wait(.seconds(120))) == 1)
    }

    @Test func `a radio that is off is not reported silent, and has two minutes after it is switched on`() throws {
        var stage = try Stage()
        stage.put(.radio(.off))
        #expect(silences(stage.wait(.seconds(600))) == 0)
        stage.put(.radio(.on))
        #expect(silences(stage.wait(.milliseconds(119_999))) == 0)
        #expect(silences(stage.wait(.milliseconds(1))) == 1)
        stage.put(.stop)
        #expect(silences(stage.wait(.seconds(600))) == 0)
    }
}
