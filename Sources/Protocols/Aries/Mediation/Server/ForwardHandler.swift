public import DIDComm

/// Handles an envelope that was posted to one of the mediator's routing keys.
///
/// A forward may hold another one for the same mediator; a few are followed, and more are cut off, so that no
/// sender can keep it busy with itself. A sender learns the same of an unknown key as of one that is known, but for one
/// thing: that a queue is full, because then nothing was taken. Source: RFC 0094.
public struct ForwardHandler: Sendable {
    /// An envelope to be queued for a key.
    public struct ForwardedEnvelope: Hashable, Sendable {
        /// The mediator's routing key that opened the envelope.
        public let routingKey: Verkey
        /// The recipient key that the forward names.
        public let recipient: Verkey
        /// The inner envelope to store for the recipient.
        public let envelope: [UInt8]

        /// Makes a forwarded message from its parts.
        public init(routingKey: Verkey, recipient: Verkey, envelope: [UInt8]) {
            self.routingKey = routingKey
            self.recipient = recipient
            self.envelope = envelope
        }
    }

    /// The result of storing an item.
    public enum ForwardStoreResult: String, Hashable, Sendable, CaseIterable {
        /// The envelope is stored durably.
        case stored
        /// The envelope is stored durably, and the recipient's queue is above its soft limit.
        case storedOverSoftLimit
        /// The routing key's owner has not registered this recipient key.
        case unknown
        /// The recipient's queue is full.
        case full
        /// The recipient is a routing key of the same mediator.
        case isRoutingKey
        /// The store failed; the sender may send the envelope again.
        case failed
    }

    /// An input of the intake of forward messages: a fact, a command of the caller, or the passing of time.
    public enum Input: Hashable, Sendable {
        /// An envelope was decrypted with a routing key.
        case opened(OpenedEnvelope)
        /// An envelope could not be decrypted.
        case notOpened
        /// The result of storing the item.
        case stored(ForwardStoreResult)
    }

    /// An output of the intake of forward messages: an action or an event.
    ///
    /// The caller handles outputs in their order.
    public enum Output: Hashable, Sendable {
        /// Store an item durably, then give `stored`.
        case store(ForwardedEnvelope)
        /// Decrypt an envelope with a routing key, then give `opened` or `notOpened`.
        case unwrap([UInt8])
        /// The answer to the sender; no output follows.
        case answer(ForwardResponse)
    }

    /// The mediator's answer to the sender of an envelope.
    public enum ForwardResponse: String, Hashable, Sendable, CaseIterable {
        /// The envelope is accepted: it is stored if its recipient is known.
        case taken
        /// The envelope is not accepted now; the sender may try again later.
        case later
        /// The envelope is malformed and refused.
        case refused
    }

    /// The most nested envelopes for the same mediator that are opened.
    public static let maximumLayers = 4

    /// The number of nested envelopes that were opened.
    public private(set) var layers = 0

    private var item: ForwardedEnvelope?

    /// Makes a handler that waits for the outermost envelope.
    public init() {}

    /// Handles one input and appends the outputs that it causes.
    public mutating func handle(_ input: Input, into outputs: inout [Output]) {
        switch input {
        case .opened(let opened): open(opened, into: &outputs)
        case .notOpened: outputs.append(.answer(layers == 0 ? .refused : .taken))
        case .stored(let outcome): stored(outcome, into: &outputs)
        }
    }

    /// Handles one input as `handle(_:into:)` does, and returns the outputs in an array.
    public mutating func handle(_ input: Input) -> [Output] {
        var outputs: [Output] = []
        handle(input, into: &outputs)
        return outputs
    }

    private mutating func open(_ opened: OpenedEnvelope, into outputs: inout [Output]) {
        layers += 1
        guard let forward = try? ForwardMessage(parsing: opened.plaintext) else {
            return outputs.append(.answer(layers == 1 ? .refused : .taken))
        }
        // A DID, or a text that is no key, belongs to no account.
        guard let recipient = forward.recipientKey else { return outputs.append(.answer(.taken)) }
        let item = ForwardedEnvelope(routingKey: opened.recipient, recipient: recipient, envelope: forward.envelope)
        self.item = item
        outputs.append(.store(item))
    }

    private mutating func stored(_ outcome: ForwardStoreResult, into outputs: inout [Output]) {
        guard let item else { return }
        self.item = nil
        switch outcome {
        case .stored, .storedOverSoftLimit, .unknown: outputs.append(.answer(.taken))
        case .full, .failed: outputs.append(.answer(.later))
        case .isRoutingKey where layers < Self.maximumLayers: outputs.append(.unwrap(item.envelope))
        // An envelope with too many layers is answered as one for an unknown key.
        case .isRoutingKey: outputs.append(.answer(.taken))
        }
    }
}
