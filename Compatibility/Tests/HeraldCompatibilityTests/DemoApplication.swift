import FoundationEssentials
import HeraldCompatibility

// Code of the form that the demonstration application of Herald for iOS has: its calls, in words of our own. It
// compiles with the changes that Documentation/Manual/HeraldLibraries.md names: the radios of the array, `var` for a
// payload that is appended to, `Sendable`, and the device that a payload is for.

/// Supplies an identifier in a payload of a fixed length, and the payload of an older application.
struct DemoPayloadSupplier: PayloadDataSupplier {
    let identifier: Int32
    let length: Int

    func payload(_ timestamp: PayloadTimestamp, device: Device?) -> PayloadData? {
        var payloadData = PayloadData()
        payloadData.append(UInt8(0))
        payloadData.append(UInt16(0))
        payloadData.append(identifier)
        payloadData.append(Data(repeating: 0, count: length - payloadData.count))
        return payloadData
    }

    func legacyPayload(_ timestamp: PayloadTimestamp, device: Device?) -> LegacyPayloadData? {
        guard BLESensorConfiguration.interopOpenTraceEnabled, let own = payload(timestamp, device: device) else {
            return nil
        }
        let text = #"{"id":"\#(own.data.base64EncodedString())","o":"OT_HA","v":2}"#
        return LegacyPayloadData(
            service: BLESensorConfiguration.interopOpenTraceServiceUUID, data: Data(text.utf8))
    }
}

/// Writes the lines of a log, as Herald's contact log does with a formatter.
struct DemoContactLog: SensorDelegate {
    let payloadDataFormatter: any PayloadDataFormatter
    let write: @Sendable (String) -> Void

    init(
        payloadDataFormatter: any PayloadDataFormatter = ConcretePayloadDataFormatter(),
        write: @escaping @Sendable (String) -> Void
    ) {
        self.payloadDataFormatter = payloadDataFormatter
        self.write = write
    }

    func sensor(_ sensor: SensorType, didDetect: TargetIdentifier) { write("\(sensor.rawValue),\(didDetect),1") }
    func sensor(_ sensor: SensorType, available: Bool, didDeleteOrDetect: TargetIdentifier) {
        if !available { write("\(sensor.rawValue),\(didDeleteOrDetect),7") }
    }
    func sensor(_ sensor: SensorType, didRead: PayloadData, fromTarget: TargetIdentifier) {
        let name = didRead.protocolName == .OPENTRACE ? "legacy" : payloadDataFormatter.shortFormat(didRead)
        write("\(sensor.rawValue),\(fromTarget),2,\(name)")
    }
    func sensor(_ sensor: SensorType, didMeasure: Proximity, fromTarget: TargetIdentifier) {
        write("\(sensor.rawValue),\(fromTarget),3,\(didMeasure.description)")
    }
    func sensor(_ sensor: SensorType, didShare: [PayloadData], fromTarget: TargetIdentifier) {
        let names = didShare.map { payloadDataFormatter.shortFormat($0) }.joined(separator: " ")
        write("\(sensor.rawValue),\(fromTarget),4,\(names)")
    }
    func sensor(_ sensor: SensorType, didVisit: Location?) {
        guard let didVisit else { return }
        write("\(sensor.rawValue),,5,\(didVisit.description)")
    }
    func sensor(_ sensor: SensorType, didReceive: Data, fromTarget: TargetIdentifier) {
        write("\(sensor.rawValue),\(fromTarget),received \(didReceive.count)")
    }
    func sensor(_ sensor: SensorType, didUpdateState: SensorState) {
        write("\(sensor.rawValue),\(didUpdateState.rawValue)")
    }
}
