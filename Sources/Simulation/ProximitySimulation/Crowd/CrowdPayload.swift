import ByteCoding
import Determinism
import Herald

/// The payloads of a crowd: in the form of simple payloads, with the number of their device.
enum CrowdPayload {
    /// The number of bytes of a crowd's payload.
    static let byteCount = 21

    /// Makes the payload of a device in its `generation`.
    static func bytes(of device: Int, generation: UInt32 = 0) -> [UInt8] {
        var bytes: [UInt8] = [0x10, 0x3A, 0x03, 0x04, 0x00]
        bytes.appendLittleEndian(UInt32(truncatingIfNeeded: device))
        bytes.appendLittleEndian(generation)
        bytes.appendLittleEndian(check(UInt32(truncatingIfNeeded: device), generation))
        return bytes
    }

    /// Supplies the payload of a device: constant, or a new one every quarter of an hour.
    struct Supplier: PayloadSupplier {
        let device: Int
        let isRotating: Bool

        func payload(at time: WallTime) -> SuppliedPayload {
            guard isRotating else { return SuppliedPayload(CrowdPayload.bytes(of: device)) }
            let generation = time.millisecondsSinceEpoch / 900_000
            return SuppliedPayload(
                CrowdPayload.bytes(of: device, generation: UInt32(truncatingIfNeeded: generation)),
                validUntil: WallTime(millisecondsSinceEpoch: (generation + 1) * 900_000))
        }

        func split(_ joined: [UInt8]) -> [[UInt8]] { PayloadSplitting.pieces(of: joined, length: byteCount) }
    }

    /// Finds the device that a payload names; nil for other bytes.
    static func owner(of bytes: [UInt8]) -> Int? {
        guard bytes.count == byteCount else { return nil }
        var reader = ByteReader(Array(bytes[5...]))
        guard let device = reader.littleEndian(UInt32.self), let generation = reader.littleEndian(UInt32.self),
            reader.littleEndian(UInt64.self) == check(device, generation)
        else { return nil }
        return Int(device)
    }

    private static func check(_ device: UInt32, _ generation: UInt32) -> UInt64 {
        (UInt64(device) << 32 | UInt64(generation)) &* 0x9E37_79B9_7F4A_7C15 ^ 0x5359_4D42
    }
}
