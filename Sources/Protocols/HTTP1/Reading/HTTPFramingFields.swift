/// The header fields that decide the end of a message, its host and the end of the connection.
struct HTTPFramingFields {
    private(set) var hosts = 0
    private(set) var codings = 0
    private(set) var lengths = 0
    private(set) var expectations = 0
    private(set) var host: Range<Int>?
    private var coding: Range<Int>?
    private var length: Range<Int>?
    private var expectation: Range<Int>?
    /// True when the field `Connection` names `close`, so that the connection ends with this message.
    private(set) var closes = false
    private var namesUpgrade = false
    private var offersWebSocket = false

    init(_ fields: HTTPFieldList) {
        for place in fields.places { add(place, fields) }
    }

    private mutating func add(_ place: HTTPFieldList.FieldRanges, _ fields: HTTPFieldList) {
        switch place.name.count {
        case 4 where fields.has(place, "host"): (hosts, host) = (hosts + 1, place.value)
        case 6 where fields.has(place, "expect"): (expectations, expectation) = (expectations + 1, place.value)
        case 7 where fields.has(place, "upgrade"):
            if HTTPFieldList.list(fields.bytes, place.value, holds: "websocket") { offersWebSocket = true }
        case 10 where fields.has(place, "connection"):
            if HTTPFieldList.list(fields.bytes, place.value, holds: "close") { closes = true }
            if HTTPFieldList.list(fields.bytes, place.value, holds: "upgrade") { namesUpgrade = true }
        case 14 where fields.has(place, "content-length"): (lengths, length) = (lengths + 1, place.value)
        case 17 where fields.has(place, "transfer-encoding"): (codings, coding) = (codings + 1, place.value)
        default: break
        }
    }

    /// True when both fields that ask for a WebSocket are present.
    var asksForWebSocket: Bool { namesUpgrade && offersWebSocket }

    /// Returns true when the one expectation is `100-continue`.
    func expectsContinue(_ bytes: [UInt8]) -> Bool {
        expectations == 1 && expectation.map { bytes.isSame($0, "100-continue") } ?? false
    }

    /// Returns true when the body is chunked; fails when the transfer coding is malformed or contradictory.
    func isChunked(_ bytes: [UInt8], minorVersion: Int) -> Result<Bool, HTTPReadError> {
        guard codings > 0 else { return .success(false) }
        guard lengths == 0, codings == 1, minorVersion == 1, let coding else {
            return .failure(HTTPReadError(.malformed, "The framing of the body is ambiguous."))
        }
        guard bytes.isSame(coding, "chunked") else {
            return .failure(HTTPReadError(.codingNotServed, "The transfer coding is not served."))
        }
        return .success(true)
    }

    /// Returns the value of `Content-Length`, one field of 1 to 18 digits; nil when the field is absent.
    func counted(_ bytes: [UInt8], limit: Int) -> Result<Int?, HTTPReadError> {
        guard lengths > 0 else { return .success(nil) }
        guard lengths == 1, let length, (1...18).contains(length.count), bytes.allDigits(in: length) else {
            return .failure(HTTPReadError(.malformed, "The length of the body is malformed."))
        }
        var number = 0
        for index in length { number = number * 10 + Int(bytes[index] - 48) }
        guard number <= limit else { return .failure(HTTPReadError(.bodyTooLarge, "The body is too large.")) }
        return .success(number)
    }
}

/// The framing of a request's body and connection, derived from its header fields.
struct HTTPRequestFraming {
    let bodyLength: HTTPRequestHead.BodyLength
    let isLast: Bool
    let expectsContinue: Bool
    let asksForWebSocket: Bool

    /// Checks the rules that span several header lines, and resolves the target of `line`.
    static func judge(
        _ fields: HTTPFieldList, _ line: inout HTTPRequestLine, maximumBodyBytes: Int
    ) -> Result<HTTPRequestFraming, HTTPReadError> {
        let (bytes, found, version) = (fields.bytes, HTTPFramingFields(fields), line.minorVersion)
        guard found.hosts == 1 || found.hosts == 0 && version == 0 else {
            return .failure(HTTPReadError(.malformed, "There must be one host."))
        }
        if let host = found.host, !HTTPAuthority.isValid(bytes, host) {
            return .failure(HTTPReadError(.malformed, "The host is malformed."))
        }
        if let refusal = line.resolve(bytes, host: found.host) { return .failure(refusal) }
        let bodyLength: HTTPRequestHead.BodyLength
        switch found.isChunked(bytes, minorVersion: version) {
        case .failure(let refusal): return .failure(refusal)
        case .success(true): bodyLength = .chunked
        case .success(false):
            switch found.counted(bytes, limit: maximumBodyBytes) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let count): bodyLength = .counted(count ?? 0)
            }
        }
        let expects = found.expectsContinue(bytes)
        guard expects || found.expectations == 0 else {
            return .failure(HTTPReadError(.expectationNotMet, "The expectation cannot be met."))
        }
        return .success(
            HTTPRequestFraming(
                bodyLength: bodyLength, isLast: version == 0 || found.closes,
                expectsContinue: expects && version == 1 && !bodyLength.isEmpty,
                asksForWebSocket: found.asksForWebSocket && version == 1))
    }
}
