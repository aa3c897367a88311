import Determinism
import Herald

#if canImport(Darwin)
    public import Foundation
#else
    public import FoundationEssentials
#endif

/// Supplies the device's own payload, by the calls of the deployed libraries.
///
/// It is asked when the sensor starts, and once a minute from then on; the deployed libraries ask at each read.
public protocol PayloadDataSupplier: Sendable {
    /// The payload of an older application, served where `BLESensorConfiguration.interopOpenTraceEnabled` is set.
    func legacyPayload(_ timestamp: PayloadTimestamp, device: Device?) -> LegacyPayloadData?
    /// The payload to serve: 1 to 510 bytes; nil serves none.
    ///
    /// - Parameter device: Always nil, because all devices get the same payload.
    func payload(_ timestamp: PayloadTimestamp, device: Device?) -> PayloadData?
    /// Takes payloads apart that a device shared one after the other.
    func payload(_ data: Data) -> [PayloadData]
}

extension PayloadDataSupplier {
    /// None.
    public func legacyPayload(_ timestamp: PayloadTimestamp, device: Device?) -> LegacyPayloadData? { nil }

    /// Cuts into pieces of the own payload's length.
    public func payload(_ data: Data) -> [PayloadData] {
        let length = payload(PayloadTimestamp(), device: nil)?.count ?? 0
        return PayloadSplitting.pieces(of: Array(data), length: length).map { PayloadData(Data($0)) }
    }
}

/// The time for which a payload is asked.
public typealias PayloadTimestamp = Date

/// A device that a payload is for.
public struct Device: Hashable, Sendable {
    /// The name of the device.
    public let targetIdentifier: TargetIdentifier
}

/// A supplier of the deployed libraries' form as one of a sensor.
struct SupplierAdapter: PayloadSupplier {
    let supplier: any PayloadDataSupplier

    func payload(at time: WallTime) throws(HeraldError) -> SuppliedPayload {
        guard let payload = supplier.payload(Date(time), device: nil) else {
            throw HeraldError(.payloadMalformed, "The application supplies no payload.")
        }
        let bytes = try FixedPayloadSupplier(Array(payload.data)).bytes
        return SuppliedPayload(
            bytes, validUntil: WallTime(millisecondsSinceEpoch: time.millisecondsSinceEpoch + 60_000))
    }

    func split(_ joined: [UInt8]) -> [[UInt8]] { supplier.payload(Data(joined)).map { Array($0.data) } }
}

extension Date {
    init(_ time: WallTime) { self.init(timeIntervalSince1970: Double(time.millisecondsSinceEpoch) / 1000) }
}
