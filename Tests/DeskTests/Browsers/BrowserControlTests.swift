import Determinism
import TestSupport
import Testing

@testable import Desk

@Suite struct BrowserControlTests {
    private var control = BrowserControl(random: SeededRandom(seed: 7))
    private var now = MonotonicInstant.zero

    private mutating func opened(_ answer: BrowserControl.OpeningResult) throws -> String {
        guard case .opened(let token, _) = answer else { throw StationError(.internal, "\(answer)") }
        return token
    }

    @Test(.shows("VD3")) mutating func `a code opens the page once, and another takes its place`() throws {
        let first = control.code
        _ = try opened(control.open(code: "\(first)", at: now))
        #expect(control.code != first)
        #expect(control.open(code: "\(first)", at: now) == .refused)
    }

    @Test func `a code has two groups of four characters with a hyphen between them`() {
        let groups = "\(control.code)".split(separator: "-", omittingEmptySubsequences: false)
        #expect(groups.map(\.utf8.count) == [4, 4])
    }

    @Test mutating func `case, hyphen and blanks of a code do not matter, and a part of it does not open`() throws {
        let code = "\(control.code)"
        #expect(control.open(code: String(code.dropLast()), at: now) == .refused)
        #expect(control.open(code: code + "2", at: now) == .refused)
        #expect(control.open(code: "", at: now) == .refused)
        _ = try opened(control.open(code: " " + code.lowercased().filter { $0 != "-" } + " ", at: now))
    }

    @Test mutating func `the browser that opened the page comes back with its token, and with no other`() throws {
        let token = try opened(control.open(code: "\(control.code)", at: now))
        #expect(control.open(token: token) == .opened(token: token, isNew: false))
        #expect(control.open(token: token + "A") == .refused)
        #expect(control.open(token: "") == .refused)
        #expect(control.open(token: String(repeating: "A", count: 10_000)) == .refused)
    }

    @Test mutating func `a second browser with the next code takes the page, and the first token is good no longer`()
        throws
    {
        let first = try opened(control.open(code: "\(control.code)", at: now))
        let second = try opened(control.open(code: "\(control.code)", at: now))
        #expect(control.open(token: first) == .refused)
        #expect(control.open(token: second) == .opened(token: second, isNew: false))
        control.close()
        #expect(control.open(token: second) == .refused)
        #expect(!control.isTaken)
    }

    @Test(.shows("VD3")) mutating func `five wrong codes draw another code and a wait that doubles`() throws {
        let first = control.code
        for _ in 1...4 { #expect(control.open(code: "WRONG", at: now) == .refused) }
        #expect(control.code == first)
        #expect(control.open(code: "WRONG", at: now) == .wait(.seconds(5)))
        #expect(control.code != first)
        now = now + .seconds(4)
        #expect(control.open(code: "\(control.code)", at: now) == .wait(.seconds(1)))
        now = now + .seconds(1)
        for _ in 1..<BrowserControl.wrongLimit { #expect(control.open(code: "WRONG", at: now) == .refused) }
        #expect(control.open(code: "WRONG", at: now) == .wait(.seconds(10)))
        now = now + .seconds(10)
        _ = try opened(control.open(code: "\(control.code)", at: now))
    }

    @Test mutating func `the waits after wrong codes end at 30 seconds`() {
        var last = Duration.zero
        for _ in 0..<20 {
            for _ in 0..<BrowserControl.wrongLimit {
                if case .wait(let time) = control.open(code: "WRONG", at: now) { last = time }
            }
            now = now + last
        }
        #expect(last == .seconds(30))
    }
}
