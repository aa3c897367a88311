import Bluetooth
import CryptoSuite
import Determinism

// The verifier's request: holding it, and handing it out to the wallet that identified itself.
extension VerifierSession {
    /// A request and the salt that it is sealed under.
    struct HeldRequest: Sendable {
        let message: RequestMessage
        let salt: [UInt8]
    }

    /// The public keys of both ends, which an answer must be bound to; nil before a wallet has identified itself.
    public var channelKeys: ChannelKeys? { walletKey.map { ChannelKeys(verifier: uri.key, wallet: $0) } }

    /// Whether the verifier holds a request, so that reads of it must be passed on.
    public var holdsRequest: Bool { heldRequest != nil }

    /// Holds a request for the wallet; `uri` says so from now on.
    ///
    /// Allowed before the input `start`.
    ///
    /// - Parameter salt: 16 bytes, fresh for this session.
    /// - Throws: `tuvali.session.misused` at any other time; the session goes on as it was.
    public mutating func hold(_ message: RequestMessage, salt: [UInt8]) throws(TuvaliError) {
        guard case .idle = phase, salt.count == SealedRequest.saltBytes else {
            throw TuvaliError(.sessionMisused, "A request is given before the session starts, with a salt of 16 bytes.")
        }
        heldRequest = HeldRequest(message: message, salt: salt)
        uri = uri.asking()
    }

    /// Seals the request for the wallet that has identified itself; once in a session, as there is one Identify.
    mutating func prepareRequest(for identify: IdentifyRequest, _ keys: SessionKeys) {
        walletKey = identify.publicKey
        guard let heldRequest else { return }
        let context = SealedRequest.Context(walletKey: keys.wallet, identify: identify, verifierKey: uri.key)
        guard let sealed = try? SealedRequest.seal(heldRequest.message, for: context, salt: heldRequest.salt) else {
            return
        }
        requestServer = RequestServer(sealed: sealed, readLimit: configuration.requestReadLimit)
    }

    /// Answers a read; a device that the session does not belong to gets the empty value of a deployed verifier.
    mutating func read(
        _ characteristic: TuvaliCharacteristic, from offset: Int, on link: LinkID, at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        guard case .serving(var wallet) = phase, link == wallet.link,
            case .awaitingSize(let key, _, let isLate) = wallet.step, var server = requestServer
        else { return outputs.append(.answerRead(link, [])) }
        let answer: RequestServer.Answer =
            switch characteristic {
            case .requestSize: server.readSize(offset: offset)
            case .request: server.readWindow(offset: offset, mtu: centrals.mtu(of: link))
            case .identify, .responseSize, .submitResponse, .reportRequest, .reportResponse, .verificationStatus,
                .disconnect:
                .value([], isLast: false)
            }
        requestServer = server
        switch answer {
        case .value(let value, let isLast):
            outputs.append(.answerRead(link, value))
            guard isLast, let channelKeys else { return }
            // The wallet's user begins to think now.
            wallet.step = .awaitingSize(key, until: now + configuration.consentWait, isLate: isLate)
            phase = .serving(wallet)
            outputs.append(.event(.requestRead(channelKeys)))
        case .exhausted:
            outputs.append(.answerRead(link, []))
            let reason = "The wallet read the request more often than any wallet needs."
            close(.failed(TuvaliError(.verifierTooManyReads, reason)), at: now, into: &outputs)
        }
    }

    /// Reports that the wallet answers without having read the request, which a deployed wallet does, and so does one
    /// that was kept from it.
    mutating func noteUnreadRequest(into outputs: inout [Output]) {
        guard holdsRequest, requestServer?.isRead != true else { return }
        let reason = "The wallet sends a credential without having read the request."
        outputs.append(.event(.refused(TuvaliError(.verifierRequestUnread, reason))))
    }

    /// Forgets the request at the end of the session.
    mutating func dropRequest() { requestServer = nil }
}
