import Determinism

/// Holds the verifier's request, seals it for the wallet that identifies itself, and serves it to this wallet's reads.
struct VerifierRequestHolder: Sendable {
    private var message: VerifierRequestMessage?
    private var salt: [UInt8] = []
    private var server: VerifierRequestServer?

    /// The public keys of both ends; nil before a wallet has identified itself.
    private(set) var channelKeys: SessionPublicKeys?

    /// True when the verifier holds a request for the wallet.
    var holdsRequest: Bool { message != nil }

    /// Stores a request to be sealed with a salt of 16 bytes.
    mutating func hold(_ message: VerifierRequestMessage, salt: [UInt8]) {
        self.message = message
        self.salt = salt
    }

    /// Seals the request for the wallet that has identified itself; called once in a session.
    mutating func prepare(
        for identify: IdentifyRequest, _ keys: SessionKeys, verifierKey: [UInt8], _ configuration: VerifierConfiguration
    ) {
        channelKeys = SessionPublicKeys(verifier: verifierKey, wallet: identify.publicKey)
        guard let message else { return }
        let context = SealedRequest.SealingContext(walletKey: keys.wallet, identify: identify, verifierKey: verifierKey)
        guard let sealed = try? SealedRequest.seal(message, for: context, salt: salt) else { return }
        server = VerifierRequestServer(sealed: sealed, readLimit: configuration.requestReadLimit)
    }

    /// Answers a read by the wallet that the session belongs to; returns why the session ends, if it does.
    ///
    /// The wallet's user begins to think when the last window was read. Once a size is announced, and at a verifier
    /// without a request, the value is the empty one of a deployed verifier.
    mutating func answer(
        _ characteristic: TuvaliCharacteristic, from offset: Int, of wallet: inout VerifierSession.ServedWallet,
        mtu: Int, thinkingUntil: MonotonicInstant, into outputs: inout [VerifierSession.Output]
    ) -> TuvaliError? {
        guard case .awaitingSize(let key, _, let isLate) = wallet.step, let channelKeys else {
            outputs.append(.answerRead(wallet.link, []))
            return nil
        }
        let answer =
            switch characteristic {
            case .requestSize: server?.readSize(offset: offset)
            case .request: server?.readWindow(offset: offset, mtu: mtu)
            default: VerifierRequestServer.ReadAnswer?.none
            }
        switch answer {
        case nil: outputs.append(.answerRead(wallet.link, []))
        case .value(let value, let isLast):
            outputs.append(.answerRead(wallet.link, value))
            guard isLast else { return nil }
            wallet.step = .awaitingSize(key, until: thinkingUntil, isLate: isLate)
            outputs.append(.event(.requestRead(channelKeys)))
        case .exhausted:
            outputs.append(.answerRead(wallet.link, []))
            return TuvaliError(
                .verifierTooManyReads, "The wallet read the request more often than any wallet needs.")
        }
        return nil
    }

    /// The error for a wallet that answers without having read the request; nil when it has read it.
    ///
    /// A deployed wallet does so, and one that was kept from it.
    var unread: TuvaliError? {
        guard holdsRequest, server?.isRead != true else { return nil }
        return TuvaliError(.verifierRequestUnread, "The wallet did not read the request, and sends without it.")
    }

    /// Releases the sealed request at the end of the session.
    mutating func drop() { server = nil }
}
