import Determinism

// The verifier's request: whether there is one, reading it, and a verifier that does not answer.
extension WalletSession {
    /// The public keys of both ends, which an answer is bound to.
    public var channelKeys: ChannelKeys { ChannelKeys(verifier: uri.key, wallet: identify.publicKey) }

    private func context(_ keys: SessionKeys) -> SealedRequest.Context {
        SealedRequest.Context(walletKey: keys.wallet, identify: identify, verifierKey: uri.key)
    }

    /// The verifier has the wallet's key: asks it for its request, or lets the user send.
    mutating func channelSetUp(
        _ keys: SessionKeys, _ setup: ChannelSetup, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard configuration.readsRequest || uri.asks else {
            return becomeReady(keys, setup.channel, at: now, into: &outputs)
        }
        guard setup.offersRequest else { return withoutRequest(keys, setup.channel, at: now, into: &outputs) }
        let reader = RequestReader(over: setup.channel, configuration, at: now, into: &outputs)
        phase = .readingRequest(keys, setup.channel, reader)
    }

    private mutating func becomeReady(
        _ keys: SessionKeys, _ channel: WalletChannel, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        phase = .ready(keys, channel, until: now + configuration.consentWait)
        outputs.append(.event(.secureChannelEstablished))
    }

    /// Goes on as with a deployed verifier, unless the verifier's code says that it holds a request.
    private mutating func withoutRequest(
        _ keys: SessionKeys, _ channel: WalletChannel, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard !uri.asks || configuration.acceptsMissingRequest else {
            let reason = "The verifier's code says that it holds a request, but none could be read."
            return close(.failed(TuvaliError(.walletRequestWithheld, reason)), at: now, into: &outputs)
        }
        becomeReady(keys, channel, at: now, into: &outputs)
    }

    /// Lets the reader take an input; in any other phase the input has no effect.
    mutating func readRequest(
        at now: MonotonicInstant, into outputs: inout [Output],
        _ take: (inout RequestReader, inout [Output]) -> RequestReader.Result
    ) {
        guard case .readingRequest(let keys, var channel, var reader) = phase else { return }
        let result = take(&reader, &outputs)
        phase = .readingRequest(keys, channel, reader)
        switch result {
        case .underWay: break
        case .none: withoutRequest(keys, channel, at: now, into: &outputs)
        case .unanswered(let end):
            channel.unansweredUntil = end
            withoutRequest(keys, channel, at: now, into: &outputs)
        case .read(let sealed): requestRead(sealed, keys, channel, at: now, into: &outputs)
        case .failed(let error): close(.failed(error), at: now, into: &outputs)
        }
    }

    private mutating func requestRead(
        _ sealed: [UInt8], _ keys: SessionKeys, _ channel: WalletChannel, at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        do {
            outputs.append(.event(.requested(try SealedRequest.open(sealed, for: context(keys)), channelKeys)))
            becomeReady(keys, channel, at: now, into: &outputs)
        } catch {
            close(.failed(error), at: now, into: &outputs)
        }
    }

    mutating func valueRead(
        _ characteristic: TuvaliCharacteristic, _ value: [UInt8], at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        if characteristic == .requestSize { answered() }
        readRequest(at: now, into: &outputs) { $0.valueRead(characteristic, value, at: now, into: &$1) }
    }

    mutating func readFailed(
        _ characteristic: TuvaliCharacteristic, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard !closeUnanswered(at: now, into: &outputs) else { return }
        if characteristic == .requestSize { answered() }
        readRequest(at: now, into: &outputs) { reader, _ in reader.readFailed(characteristic) }
    }

    /// An answer came, late or in time: ATT allows requests again.
    private mutating func answered() {
        if case .ready(let keys, var channel, let deadline) = phase {
            channel.unansweredUntil = nil
            phase = .ready(keys, channel, until: deadline)
        }
        sender?.unansweredUntil = nil
    }

    /// Whether the time that ATT allows for the answer to REQUEST_SIZE has passed.
    private func isUnanswered(at now: MonotonicInstant) -> Bool {
        let end: MonotonicInstant? =
            switch phase {
            case .ready(_, let channel, _): channel.unansweredUntil
            case .sending: sender?.unansweredUntil
            case .idle, .scanning, .connecting, .settingUp, .readingRequest, .closing, .closed: nil
            }
        return end.map { now >= $0 } ?? false
    }

    private static let unanswered = TuvaliError(
        .walletRequestUnanswered, "The verifier never answered the read of REQUEST_SIZE, and the link is of no use.")

    mutating func closeUnanswered(at now: MonotonicInstant, into outputs: inout [Output]) -> Bool {
        guard isUnanswered(at: now) else { return false }
        close(.failed(Self.unanswered), at: now, into: &outputs)
        return true
    }

    mutating func finishUnanswered(at now: MonotonicInstant, into outputs: inout [Output]) -> Bool {
        guard isUnanswered(at: now) else { return false }
        finish(.failed(Self.unanswered), into: &outputs)
        return true
    }
}
