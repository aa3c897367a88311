public import Determinism

/// Supplies the device's own payload, and splits payloads that arrive joined.
///
/// A value like any other: the core that holds it calls it with the time and does nothing else with it. Applications
/// may bring their own.
public protocol PayloadSupplier: Sendable {
    /// The payload to serve at `time`.
    ///
    /// - Throws: any `HeraldError`, upon which nothing is served; `herald.chain.expired` where its keys have run out.
    mutating func payload(at time: WallTime) throws(HeraldError) -> SuppliedPayload

    /// Takes payloads apart that a peer shared one after the other; what cannot be one is left out.
    func split(_ joined: [UInt8]) -> [[UInt8]]
}

/// A payload and the time until which it is valid.
public struct SuppliedPayload: Hashable, Sendable {
    /// The payload: 1 to 510 bytes.
    public var bytes: [UInt8]
    /// The time from which the node requests another payload; nil for never.
    public var validUntil: WallTime?

    /// Makes a supplied payload.
    public init(_ bytes: [UInt8], validUntil: WallTime? = nil) {
        self.bytes = bytes
        self.validUntil = validUntil
    }
}

/// Cuts joined payloads into pieces of one length, as the deployed libraries do.
public enum PayloadSplitting {
    /// The whole pieces of `length` bytes; a rest that is shorter is left out.
    public static func pieces(of joined: [UInt8], length: Int) -> [[UInt8]] {
        guard length > 0 else { return [] }
        return stride(from: 0, through: joined.count - length, by: length).map { Array(joined[$0..<$0 + length]) }
    }
}

/// Serves the same payload at all times.
public struct FixedPayloadSupplier: PayloadSupplier {
    /// The payload: 1 to 510 bytes.
    public let bytes: [UInt8]

    /// Makes a supplier.
    ///
    /// - Throws: `herald.payload.malformed` for no bytes, `herald.payload.too-long` for more than 510.
    public init(_ bytes: [UInt8]) throws(HeraldError) {
        guard !bytes.isEmpty else { throw HeraldError(.payloadMalformed, "A payload has at least one byte.") }
        self.bytes = try HeraldPayload.checked(bytes)
    }

    /// Returns the same payload, whatever the time.
    public func payload(at time: WallTime) -> SuppliedPayload { SuppliedPayload(bytes) }

    /// Cuts into pieces of the own payload's length.
    public func split(_ joined: [UInt8]) -> [[UInt8]] { PayloadSplitting.pieces(of: joined, length: bytes.count) }
}

/// Serves a beacon's payload.
public struct BeaconPayloadSupplier: PayloadSupplier {
    private let fixed: FixedPayloadSupplier

    /// Makes a supplier.
    ///
    /// - Throws: as `BeaconPayload.encoded`.
    public init(_ payload: BeaconPayload, order: PayloadByteOrder = .deployed) throws(HeraldError) {
        fixed = try FixedPayloadSupplier(payload.encoded(order: order))
    }

    /// Returns the same payload, whatever the time.
    public func payload(at time: WallTime) -> SuppliedPayload { fixed.payload(at: time) }

    /// Cuts into pieces of the own payload's length.
    public func split(_ joined: [UInt8]) -> [[UInt8]] { fixed.split(joined) }
}

/// Serves the contact identifier of the period, and says when the keys run out instead of sending zeros.
public struct SimplePayloadSupplier: PayloadSupplier {
    /// The country, ISO 3166 numeric.
    public let country: UInt16
    /// The state, as the country numbers them.
    public let state: UInt16
    /// The byte order of integers in the payload.
    public let order: PayloadByteOrder
    /// The extended data after each identifier; the deployed phone libraries send none.
    public var extendedData = ExtendedData()

    private let chain: SimpleKeyChain
    private var day: Int?
    private var identifiers: DayIdentifiers?

    /// Makes a simple payload supplier from its parts.
    public init(chain: SimpleKeyChain, country: UInt16, state: UInt16, order: PayloadByteOrder = .deployed) {
        self.chain = chain
        self.country = country
        self.state = state
        self.order = order
    }

    /// The time after which the key chain has no more keys.
    public var expiry: WallTime { chain.schedule.end }

    /// The payload of the period that `time` lies in.
    ///
    /// - Throws: `herald.chain.not-begun`, `herald.chain.expired`, and what encoding throws.
    public mutating func payload(at time: WallTime) throws(HeraldError) -> SuppliedPayload {
        let slot = try chain.schedule.slot(at: time)
        if day != slot.day {
            identifiers = try chain.identifiers(ofDay: slot.day)
            day = slot.day
        }
        guard let identifier = identifiers?[slot.period] else {
            throw HeraldError(.payloadMalformed, "Period \(slot.period) has no identifier.")
        }
        let payload = SimplePayload(country: country, state: state, identifier: identifier, extendedData: extendedData)
        let next = SimpleKeySchedule.Slot(day: slot.day, period: slot.period + 1)
        return SuppliedPayload(try payload.encoded(order: order), validUntil: chain.schedule.start(of: next))
    }

    /// Cuts into pieces of the own payload's length.
    public func split(_ joined: [UInt8]) -> [[UInt8]] {
        let own = PayloadHeader.byteCount + SimplePayload.identifierBytes + ((try? extendedData.encoded().count) ?? 0)
        return PayloadSplitting.pieces(of: joined, length: own)
    }
}
