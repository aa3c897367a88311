import WebAddressing

/// The parts of a request line, as ranges of the bytes that it came in (RFC 9112 section 3).
struct HTTPRequestLine: Sendable {
    private(set) var method: Range<Int>
    private(set) var target: Range<Int>
    /// The range of the authority (host and port) of the request; nil until it is known.
    private(set) var authority: Range<Int>?
    private(set) var minorVersion: Int
    /// True when the target is the query of an absolute form without a path.
    private(set) var needsSlash = false

    /// Splits a request line into its parts and checks the grammar of each.
    static func read(_ bytes: [UInt8], _ line: Range<Int>) -> Result<HTTPRequestLine, HTTPReadError> {
        guard let first = bytes.first(32, in: line), let last = bytes.last(32, in: line), first < last else {
            return .failure(HTTPReadError(.malformed, "The request line is malformed."))
        }
        let (method, target, version) = (line.lowerBound..<first, first + 1..<last, last + 1..<line.upperBound)
        guard !method.isEmpty, bytes.all(.token, in: method) else {
            return .failure(HTTPReadError(.malformed, "The method is not a token."))
        }
        let minorVersion: Int
        switch HTTPVersion.minor(bytes, version) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let number): minorVersion = number
        }
        // The path behind an authority with brackets is checked with the authority.
        let isPath = bytes[target.lowerBound] == UInt8(ascii: "/")
        guard !target.isEmpty, bytes.all(isPath ? .target : .absoluteTarget, in: target) else {
            return .failure(HTTPReadError(.malformed, "The target is malformed."))
        }
        guard isPercentEncoded(bytes, target) else {
            return .failure(HTTPReadError(.malformed, "The target is wrongly percent-encoded."))
        }
        return .success(HTTPRequestLine(method: method, target: target, authority: nil, minorVersion: minorVersion))
    }

    /// Determines the authority and path of the request (RFC 9112 sections 3.2 and 3.3).
    ///
    /// - Parameter host: The value of the one field `Host`, already checked, or nil.
    mutating func resolve(_ bytes: [UInt8], host: Range<Int>?) -> HTTPReadError? {
        authority = host
        if bytes.isExactly(method, "CONNECT") { return HTTPReadError(.tunnelNotServed, "Tunnels are not served.") }
        if bytes.isExactly(method, "TRACE") { return HTTPReadError(.traceNotServed, "The method TRACE is not served.") }
        let malformed = HTTPReadError(.malformed, "The target is malformed.")
        if bytes[target.lowerBound] == UInt8(ascii: "/") { return nil }
        if bytes.isExactly(target, "*") { return bytes.isExactly(method, "OPTIONS") ? nil : malformed }
        guard let scheme = schemeBytes(bytes) else { return malformed }
        let start = target.lowerBound + scheme
        var end = start
        while end < target.upperBound, bytes[end] != UInt8(ascii: "/"), bytes[end] != UInt8(ascii: "?") { end += 1 }
        guard HTTPAuthority.isValid(bytes, start..<end), bytes.all(.target, in: end..<target.upperBound) else {
            return malformed
        }
        authority = start..<end
        needsSlash = end == target.upperBound || bytes[end] == UInt8(ascii: "?")
        target = end..<target.upperBound
        return nil
    }

    private func schemeBytes(_ bytes: [UInt8]) -> Int? {
        for scheme in ["http://", "https://"] where target.count >= scheme.utf8.count {
            let count = scheme.utf8.count
            if bytes.isSame(target.lowerBound..<target.lowerBound + count, scheme) { return count }
        }
        return nil
    }

    private static func isPercentEncoded(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        var index = range.lowerBound
        while let sign = bytes.first(UInt8(ascii: "%"), in: index..<range.upperBound) {
            guard sign + 2 < range.upperBound, ASCIIByteClass.hexValue(bytes[sign + 1]) != nil,
                ASCIIByteClass.hexValue(bytes[sign + 2]) != nil
            else { return false }
            index = sign + 3
        }
        return true
    }
}

/// A read fault as a Swift error, used only inside this module.
struct HTTPReadError: Error {
    let fault: HTTPReadFault

    init(_ cause: HTTPReadFault.Cause, _ reason: String) { fault = HTTPReadFault(cause, reason) }
}

/// Reads the version of a start line (RFC 9112 section 2.3).
enum HTTPVersion {
    /// Returns the minor version behind `HTTP/1.`, which is 0 or 1.
    static func minor(_ bytes: [UInt8], _ range: Range<Int>) -> Result<Int, HTTPReadError> {
        let start = range.lowerBound
        guard range.count == 8, bytes.isExactly(start..<start + 5, "HTTP/"), ASCIIByteClass.isDigit(bytes[start + 5]),
            bytes[start + 6] == UInt8(ascii: "."), ASCIIByteClass.isDigit(bytes[start + 7])
        else { return .failure(HTTPReadError(.malformed, "The version is malformed.")) }
        let (major, minor) = (bytes[start + 5] - 48, bytes[start + 7] - 48)
        guard major == 1, minor <= 1 else {
            return .failure(HTTPReadError(.versionNotServed, "The version of HTTP is not served."))
        }
        return .success(Int(minor))
    }
}

/// Checks the authority of a target and the value of `Host` (RFC 9110 section 7.2; RFC 3986 section 3.2).
enum HTTPAuthority {
    /// Returns true for a host name or an IPv6 address in brackets, with a port up to 65535 or without one.
    ///
    /// A user and percent-encoded names are refused.
    static func isValid(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        guard let first = range.first else { return false }
        var end = first
        if bytes[first] == UInt8(ascii: "[") {
            guard let close = bytes.first(UInt8(ascii: "]"), in: range) else { return false }
            let address = String(decoding: bytes[first + 1..<close], as: UTF8.self)
            guard IPv6Address(parsing: address) != nil else { return false }
            end = close + 1
        } else {
            while end < range.upperBound, ASCIIByteClass.host.holds(bytes[end]) { end += 1 }
            guard (1...255).contains(end - first) else { return false }
        }
        guard end < range.upperBound else { return true }
        let port = end + 1..<range.upperBound
        guard bytes[end] == UInt8(ascii: ":"), port.count <= 5, bytes.allDigits(in: port) else { return false }
        return port.reduce(0) { $0 * 10 + Int(bytes[$1] - 48) } <= 65535
    }
}
