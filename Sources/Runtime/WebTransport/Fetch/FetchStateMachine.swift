public import Determinism
public import WebAddressing

/// The core of a guarded fetch: decides which names are resolved, which addresses are connected to, which redirects are
/// followed, and when it ends.
///
/// A core without input or output. It requests one step at a time and ends with exactly one `.delivered` or `.failed`;
/// later inputs are ignored. Every address is checked after every resolution, for every redirect anew, and the
/// connection is made to the checked address itself, so that a name that resolves differently in between has no effect.
public struct FetchStateMachine: StateMachine, Sendable {
    /// An input of the fetch plan: a fact, a command of the caller, or the passing of time.
    public enum Input: Hashable, Sendable {
        /// The caller wants it to begin.
        case begin
        /// The requested name has these addresses, the best first.
        case resolved([IPAddress])
        /// The whole response has arrived.
        case answered(FetchResponse)
        /// The requested step failed, with a code of this module.
        case failed(FetchError)
        /// Time has passed: check the deadline.
        case wake
    }

    /// An output of the fetch plan: an action or an event.
    ///
    /// The caller handles outputs in their order.
    public enum Output: Hashable, Sendable {
        /// Find all addresses of a name before the instant, and answer with `.resolved` or `.failed`.
        case resolve(String, until: MonotonicInstant)
        /// Send one GET to exactly this address before the instant, and answer with `.answered` or `.failed`.
        case exchange(FetchTarget, until: MonotonicInstant)
        /// The fetch succeeded with this result.
        case delivered(FetchResult)
        /// The fetch failed with this error.
        case failed(FetchError)
    }

    /// The state of the plan.
    private enum Phase {
        /// The plan has not begun.
        case idle
        /// Waits for the addresses of the present host's name.
        case resolving
        /// Waits for the response of the present address; these others were checked and are next.
        case exchanging([IPAddress])
        /// The result was given.
        case over
    }

    /// The most addresses of one name that are looked at; one refused among them refuses the name.
    public static let maximumAddresses = 32

    private let rules: FetchRules
    private var address: WebAddress
    private var redirects: [WebAddress] = []
    private var phase = Phase.idle
    private var end: MonotonicInstant?

    /// Plans to fetch the resource at `address`.
    public init(_ address: WebAddress, rules: FetchRules = FetchRules()) {
        self.address = address
        self.rules = rules
    }

    /// The deadline of the whole fetch; nil before it began and after it ended.
    public var nextDeadline: MonotonicInstant? {
        if case .over = phase { return nil }
        return end
    }

    /// Handles an event and appends the next actions.
    public mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        if let deadline = nextDeadline, now >= deadline {
            return fail(.deadline, "The answer was not whole in the time allowed.", into: &outputs)
        }
        switch (phase, input) {
        case (.idle, .begin):
            end = now + rules.deadline
            approach(at: now, into: &outputs)
        case (.resolving, .resolved(let addresses)):
            check(Array(addresses.prefix(Self.maximumAddresses)), at: now, into: &outputs)
        case (.exchanging(let addresses), .answered(let answer)):
            take(answer, from: addresses, at: now, into: &outputs)
        case (.exchanging(let addresses), .failed(let error)):
            retry(after: error, addresses, at: now, into: &outputs)
        case (.resolving, .failed(let error)):
            fail(error.code, error.reason, into: &outputs)
        case (.idle, _), (.over, _), (.resolving, _), (.exchanging, _): return
        }
    }
}

extension FetchStateMachine {
    /// Begins with the present address: checks its text, then requests its name's addresses or its content.
    private mutating func approach(at now: MonotonicInstant, into outputs: inout [Output]) {
        if let refusal = AddressGuard.refusal(of: address, by: rules) {
            return fail(refusal.code, refusal.reason, into: &outputs)
        }
        switch address.host {
        case .address(let literal): check([literal], at: now, into: &outputs)
        case .name(let name):
            phase = .resolving
            outputs.append(.resolve(name, until: end ?? now))
        }
    }

    /// Connects to the first of the addresses when all of them may be connected to.
    private mutating func check(_ addresses: [IPAddress], at now: MonotonicInstant, into outputs: inout [Output]) {
        if let refusal = AddressGuard.refusal(of: addresses, at: address, by: rules) {
            return fail(refusal.code, refusal.reason, into: &outputs)
        }
        exchange(Array(addresses.prefix(max(1, rules.maximumAttempts))), at: now, into: &outputs)
    }

    private mutating func exchange(_ addresses: [IPAddress], at now: MonotonicInstant, into outputs: inout [Output]) {
        guard let first = addresses.first, let end else {
            return fail(.unreachable, "No server answers at any of the addresses.", into: &outputs)
        }
        phase = .exchanging(addresses)
        let until = addresses.count > 1 ? min(end, now + rules.attemptDeadline) : end
        outputs.append(.exchange(FetchTarget(address, at: first), until: until))
    }

    /// Tries the next address when no server answered at this one.
    private mutating func retry(
        after error: FetchError, _ addresses: [IPAddress], at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard error.code == .unreachable || error.code == .deadline, addresses.count > 1 else {
            return fail(error.code, error.reason, into: &outputs)
        }
        exchange(Array(addresses.dropFirst()), at: now, into: &outputs)
    }

    private mutating func take(
        _ answer: FetchResponse, from addresses: [IPAddress], at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        if FetchResponse.redirects.contains(answer.status) { return follow(answer, at: now, into: &outputs) }
        guard (200...299).contains(answer.status) else {
            return fail(.status, "The status is \(answer.status).", wireCode: answer.status, into: &outputs)
        }
        guard answer.isPlain else {
            return fail(.encoded, "The body is compressed though none was asked for.", into: &outputs)
        }
        guard answer.body.count <= rules.maximumBodyBytes else {
            return fail(.bodyTooLarge, "The body is larger than allowed.", into: &outputs)
        }
        phase = .over
        outputs.append(
            .delivered(FetchResult(address: address, redirects: redirects, from: addresses.first, answer: answer)))
    }

    /// Follows a redirect, if the rules allow it.
    private mutating func follow(_ answer: FetchResponse, at now: MonotonicInstant, into outputs: inout [Output]) {
        let next: WebAddress
        do throws(FetchError) {
            next = try target(of: answer)
        } catch {
            let text = answer.location.map { String(decoding: $0.utf8.prefix(WebAddress.maximumBytes), as: UTF8.self) }
            return fail(error.code, error.reason, redirectTarget: text, into: &outputs)
        }
        redirects.append(address.withoutFragment)
        address = next
        approach(at: now, into: &outputs)
    }

    private func target(of answer: FetchResponse) throws(FetchError) -> WebAddress {
        guard let location = answer.location else {
            throw FetchError(.redirectMalformed, "The redirect names no target.")
        }
        let next: WebAddress
        do throws(WebAddressError) {
            next = try address.resolving(location)
        } catch {
            guard error.code != .scheme else {
                throw FetchError(.redirectScheme, "The redirect leads out of the web.")
            }
            throw FetchError(.redirectMalformed, "The redirect's target cannot be read: \(error.reason).")
        }
        guard !next.scheme.isWebSocket else {
            throw FetchError(.redirectScheme, "The redirect leads to a WebSocket.")
        }
        guard next.scheme.isSecure || !address.scheme.isSecure else {
            throw FetchError(.redirectDowngrade, "The redirect leads from TLS to none.")
        }
        let wanted = next.withoutFragment
        guard wanted != address.withoutFragment, !redirects.contains(wanted) else {
            throw FetchError(.redirectLoop, "The redirect leads in a circle.")
        }
        guard redirects.count < rules.maximumRedirects else {
            throw FetchError(.redirectLimit, "There are more than \(rules.maximumRedirects) redirects.")
        }
        return next
    }

    private mutating func fail(
        _ code: FetchError.Code, _ reason: String, wireCode: Int? = nil, redirectTarget: String? = nil,
        into outputs: inout [Output]
    ) {
        phase = .over
        let error = FetchError(code, reason, at: address, wireCode: wireCode, redirectTarget: redirectTarget)
        outputs.append(.failed(error))
    }
}
