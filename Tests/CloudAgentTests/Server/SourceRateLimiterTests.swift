import Determinism
import Testing
import WebAddressing

@testable import CloudAgent

@Suite struct SourceRateLimiterTests {
    private static func address(_ text: String) throws -> IPAddress { try #require(IPAddress(parsing: text)) }

    private func admitted(
        _ count: Int, of limits: inout SourceRateLimiter, _ source: IPAddress?, at now: MonotonicInstant = .zero
    ) -> Int {
        (0..<count).count { _ in limits.admits(source, at: now) }
    }

    @Test func `a source address may send a burst, and then its number of envelopes per second`() throws {
        var limits = SourceRateLimiter(perSecond: 10, burst: 5)
        let source = try Self.address("192.0.2.1")
        #expect(admitted(8, of: &limits, source) == 5)
        #expect(admitted(8, of: &limits, source, at: .zero + .milliseconds(200)) == 2)
        #expect(admitted(8, of: &limits, source, at: .zero + .seconds(60)) == 5, "and saves up no more than a burst")
        #expect(admitted(8, of: &limits, try Self.address("192.0.2.2")) == 5, "others are not held up")
    }

    @Test func `IPv6 envelope sources are counted by the prefix of one customer`() throws {
        var limits = SourceRateLimiter(perSecond: 1, burst: 2)
        #expect(admitted(2, of: &limits, try Self.address("2001:db8::1")) == 2)
        #expect(admitted(2, of: &limits, try Self.address("2001:db8::ffff:2")) == 0)
        #expect(admitted(2, of: &limits, try Self.address("2001:db8:0:1::1")) == 2)
    }

    @Test func `envelopes from this machine, an unknown source, or without a set limit are admitted`() throws {
        var limits = SourceRateLimiter(perSecond: 1, burst: 1)
        for source in [nil, try Self.address("127.0.0.1"), try Self.address("127.9.9.9"), try Self.address("::1")] {
            #expect(admitted(9, of: &limits, source) == 9)
        }
        var none = SourceRateLimiter(perSecond: 0, burst: 1)
        #expect(admitted(9, of: &none, try Self.address("192.0.2.1")) == 9)
    }

    @Test func `the envelope limit remembers a limited number of source addresses, the latest ones`() throws {
        var limits = SourceRateLimiter(perSecond: 1, burst: 1)
        let first = IPAddress.v4(IPv4Address(10, 0, 0, 0))
        #expect(admitted(2, of: &limits, first) == 1)
        for number in 1...SourceRateLimiter.capacity {
            let address = IPv4Address(11, UInt8(number >> 16), UInt8(number >> 8 & 255), UInt8(number & 255))
            _ = limits.admits(.v4(address), at: .zero)
        }
        #expect(admitted(1, of: &limits, first) == 1, "it was forgotten")
        let last = IPv4Address(
            11, UInt8(SourceRateLimiter.capacity >> 16), UInt8(SourceRateLimiter.capacity >> 8 & 255),
            UInt8(SourceRateLimiter.capacity & 255))
        #expect(admitted(1, of: &limits, .v4(last)) == 0)
    }
}
