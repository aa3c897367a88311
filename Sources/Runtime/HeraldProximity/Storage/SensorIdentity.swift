import ByteCoding
public import CryptoSuite
public import Determinism
public import Herald

/// The secret from which a device's contact identifiers are derived, and the days that it covers.
///
/// Layout when stored: version 1 (one byte), epoch in milliseconds since 1970 (eight bytes, with a sign), last day
/// (four bytes), secret; integers least significant byte first.
public struct SensorIdentity: Sendable {
    /// The number of bytes of a fresh secret, as in the deployed libraries.
    public static let secretBytes = 2048

    /// The secret of the key chain.
    public let secret: Secret
    /// The schedule of the key chain's days.
    public let schedule: SimplePayloadCalendar

    /// Makes a sensor identity from its parts.
    public init(secret: Secret, schedule: SimplePayloadCalendar = SimplePayloadCalendar()) {
        self.secret = secret
        self.schedule = schedule
    }

    /// The identity that a store holds; a fresh one, which is saved, where it holds none or one whose days are over.
    ///
    /// A fresh identity begins with 2026-01-01, as that of all devices does, or with the day of `time` where those days
    /// are over. A clock that shows an earlier time is one that has not been set yet: it replaces no identity.
    ///
    /// - Throws: what the store throws.
    public static func restore(
        from store: any SensorStateStore, at time: WallTime, random: inout some RandomSource
    ) async throws -> SensorIdentity {
        let isClockSet = time.millisecondsSinceEpoch >= SimplePayloadCalendar.defaultEpoch.millisecondsSinceEpoch
        if let bytes = try await store.load(), let identity = SensorIdentity(parsing: bytes),
            !isClockSet || (try? identity.schedule.slot(at: time)) != nil
        {
            return identity
        }
        var secret = random.bytes(count: secretBytes)
        let isWithinDefault = !isClockSet || (try? SimplePayloadCalendar().slot(at: time)) != nil
        let midnight = time.millisecondsSinceEpoch - time.millisecondsSinceEpoch % SimplePayloadCalendar.dayMilliseconds
        let epoch = isWithinDefault ? SimplePayloadCalendar.defaultEpoch : WallTime(millisecondsSinceEpoch: midnight)
        let identity = SensorIdentity(
            secret: Secret(consuming: &secret), schedule: SimplePayloadCalendar(epoch: epoch))
        try await store.save(identity.bytes)
        return identity
    }

    /// Reads an identity; nil when the bytes are none.
    public init?(parsing bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard reader.byte() == 1, let epoch = reader.littleEndian(UInt64.self),
            let lastDay = reader.littleEndian(UInt32.self), (1...100_000).contains(lastDay),
            (SimpleKeyChain.minimumSecretBytes...Self.secretBytes).contains(reader.remainingCount)
        else { return nil }
        secret = Secret(copying: reader.rest())
        schedule = SimplePayloadCalendar(
            epoch: WallTime(millisecondsSinceEpoch: Int64(bitPattern: epoch)), lastDay: Int(lastDay))
    }

    /// The stored form of the identity: version, epoch, last day and the secret.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = [1]
        bytes.appendLittleEndian(UInt64(bitPattern: schedule.epoch.millisecondsSinceEpoch))
        bytes.appendLittleEndian(UInt32(clamping: schedule.lastDay))
        return bytes + secret.copyBytes()
    }

    /// Makes the supplier of the device's own payloads.
    ///
    /// - Throws: `herald.chain.secret-too-short`.
    public func supplier(
        country: UInt16, state: UInt16, order: PayloadByteOrder = .deployed
    ) throws(HeraldError) -> SimplePayloadSupplier {
        SimplePayloadSupplier(
            chain: try SimpleKeyChain(secret: secret, schedule: schedule), country: country, state: state, order: order)
    }
}
