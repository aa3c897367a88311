public import Determinism
public import WebAddressing

/// Carries out one GET for a fetch, without following redirects.
public protocol FetchExchanger: Sendable {
    /// Connects to `target.endpoint`, asks for `target.address`, and returns the whole answer.
    ///
    /// - Parameters:
    ///   - target: the server to connect to and what to ask for.
    ///   - rules: how large body and header may be, and what to accept.
    ///   - deadline: the longest that the caller is kept waiting.
    /// - Throws: `unreachable`, `deadline`, `cancelled`, `local`, and the codes for TLS and for answers that break
    /// HTTP.
    func exchange(
        _ target: FetchTarget, rules: FetchRules, within deadline: Duration
    ) async throws(FetchError) -> FetchResponse
}

/// Fetches from addresses given by strangers, and connects only where such addresses may lead.
///
/// One GET without cookies and credentials, at most `FetchRules.maximumRedirects` redirects, a limit on header and
/// body, and one deadline for all. `FetchStateMachine` decides everything; this carries it out.
public struct GuardedFetch: Sendable {
    private let exchanger: any FetchExchanger
    private let resolver: any HostNameResolver
    private let clock: any MonotonicClock

    /// Makes a fetch that connects by `exchanger` and resolves names by `resolver`.
    public init(
        exchanger: any FetchExchanger, resolver: any HostNameResolver = SystemHostNameResolver(),
        clock: any MonotonicClock = SystemMonotonicClock()
    ) {
        self.exchanger = exchanger
        self.resolver = resolver
        self.clock = clock
    }

    /// Fetches the resource at `address`.
    ///
    /// - Throws: any code of `FetchError`.
    public func get(
        _ address: WebAddress, rules: FetchRules = FetchRules()
    ) async throws(FetchError) -> FetchResult {
        var plan = FetchStateMachine(address, rules: rules)
        var input = FetchStateMachine.Input.begin
        while true {
            guard !Task.isCancelled else { throw FetchError(.cancelled, "The caller cancelled.", at: address) }
            // Without outputs the plan waits for its deadline alone, so that `wake` can only end it.
            switch plan.handle(input, at: clock.now()).first ?? .failed(FetchError(.deadline, "Nothing is owed."))
            {
            case .resolve(let name, let until): input = await resolve(name, until: until)
            case .exchange(let target, let until): input = await exchange(target, rules: rules, until: until)
            case .delivered(let result): return result
            case .failed(let error): throw error
            }
        }
    }

    private func resolve(_ name: String, until: MonotonicInstant) async -> FetchStateMachine.Input {
        do throws(FetchError) {
            return .resolved(try await resolver.addresses(of: name, within: until - clock.now()))
        } catch {
            return .failed(error)
        }
    }

    private func exchange(
        _ target: FetchTarget, rules: FetchRules, until: MonotonicInstant
    ) async -> FetchStateMachine.Input {
        do throws(FetchError) {
            return .answered(try await exchanger.exchange(target, rules: rules, within: until - clock.now()))
        } catch {
            return .failed(error)
        }
    }
}
