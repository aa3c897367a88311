public import Determinism

/// Supplies the device's own payload, and splits payloads that arrive joined.
///
/// A value like any other: the core that holds it calls it with the time and does nothing else with it. Applications
/// may bring their own.
public protocol PayloadSupplier: Sendable {
    /// Returns the payload to serve at `time`.
    ///
    /// - Throws: any `HeraldError`, upon which nothing is served; `herald.chain.expired` where its keys have run out.
    mutating func payload(at time: WallTime) throws(HeraldError) -> SuppliedPayload

    /// Splits payloads that a peer sent joined; leaves out what cannot be a payload.
    func split(_ joined: [UInt8]) -> [[UInt8]]
}

/// A payload and the time until which it is valid.
public struct SuppliedPayload: Hashable, Sendable {
    /// The payload to serve: 1 to 510 bytes.
    public var bytes: [UInt8]
    /// The time at which the node requests another payload; nil for never.
    public var validUntil: WallTime?

    /// Makes a supplied payload from its parts.
    public init(_ bytes: [UInt8], validUntil: WallTime? = nil) {
        self.bytes = bytes
        self.validUntil = validUntil
    }
}

/// Splits joined payloads into pieces of one length, as the deployed libraries do.
public enum PayloadSplitting {
    /// Returns the whole pieces of `length` bytes; a shorter rest is dropped.
    public static func pieces(of joined: [UInt8], length: Int) -> [[UInt8]] {
        guard length > 0 else { return [] }
        return stride(from: 0, through: joined.count - length, by: length).map { Array(joined[$0..<$0 + length]) }
    }
}

/// A supplier that serves the same payload at all times.
public struct FixedPayloadSupplier: PayloadSupplier {
    /// The payload to serve: 1 to 510 bytes.
    public let bytes: [UInt8]

    /// Makes a supplier of a fixed payload.
    ///
    /// - Throws: `herald.payload.malformed` for no bytes, `herald.payload.too-long` for more than 510.
    public init(_ bytes: [UInt8]) throws(HeraldError) {
        guard !bytes.isEmpty else { throw HeraldError(.payloadMalformed, "A payload has at least one byte.") }
        self.bytes = try HeraldPayload.checked(bytes)
    }

    /// Returns the fixed payload, whatever the time.
    public func payload(at time: WallTime) -> SuppliedPayload { SuppliedPayload(bytes) }

    /// Splits joined payloads into pieces of the own payload's length.
    public func split(_ joined: [UInt8]) -> [[UInt8]] { PayloadSplitting.pieces(of: joined, length: bytes.count) }
}

/// A supplier that serves a beacon's payload.
public struct BeaconPayloadSupplier: PayloadSupplier {
    private let fixed: FixedPayloadSupplier

    /// Makes a supplier of a beacon's payload.
    ///
    /// - Throws: as `BeaconPayload.encoded`.
    public init(_ payload: BeaconPayload, order: PayloadByteOrder = .deployed) throws(HeraldError) {
        fixed = try FixedPayloadSupplier(payload.encoded(order: order))
    }

    /// Returns the beacon's payload, whatever the time.
    public func payload(at time: WallTime) -> SuppliedPayload { fixed.payload(at: time) }

    /// Splits joined payloads into pieces of the own payload's length.
    public func split(_ joined: [UInt8]) -> [[UInt8]] { fixed.split(joined) }
}

/// A supplier that serves the contact identifier of each period, and reports the end of its keys.
public struct SimplePayloadSupplier: PayloadSupplier {
    /// The country in the payload, as an ISO 3166 numeric code.
    public let country: UInt16
    /// The state in the payload, numbered by the country.
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

    /// Returns the payload of the period that contains `time`.
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
        let next = SimplePayloadCalendar.CalendarPeriod(day: slot.day, period: slot.period + 1)
        return SuppliedPayload(try payload.encoded(order: order), validUntil: chain.schedule.start(of: next))
    }

    /// Splits joined payloads into pieces of the own payload's length.
    public func split(_ joined: [UInt8]) -> [[UInt8]] {
        let own =
            HeraldPayloadHeader.byteCount + SimplePayload.identifierBytes + ((try? extendedData.encoded().count) ?? 0)
        return PayloadSplitting.pieces(of: joined, length: own)
    }
}
