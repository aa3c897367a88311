public import DIDComm

/// What a mediator does with an envelope that was posted to one of its routing keys.
///
/// A forward may hold another one for the same mediator; a few are followed, and more are cut off, so that no
/// sender can keep it busy with itself. A sender learns the same of an unknown key as of one that is known, but for one
/// thing: that a queue is full, because then nothing was taken. Source: RFC 0094.
public struct ForwardIntake: Sendable {
    /// An envelope that is to wait for a key.
    public struct Item: Hashable, Sendable {
        /// The key of the mediator that opened the layer.
        public let routingKey: Verkey
        /// The key that the envelope goes to.
        public let recipient: Verkey
        /// The envelope.
        public let envelope: [UInt8]

        /// Describes an envelope.
        public init(routingKey: Verkey, recipient: Verkey, envelope: [UInt8]) {
            self.routingKey = routingKey
            self.recipient = recipient
            self.envelope = envelope
        }
    }

    /// What a store made of an item.
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// It is on the disk.
        case stored
        /// It is on the disk, and the queue is longer than it should be.
        case storedOverSoftLimit
        /// The owner of the routing key has no such key.
        case unknown
        /// The queue has no room.
        case full
        /// The recipient is a routing key of the same mediator.
        case isRoutingKey
        /// The store failed.
        case failed
    }

    /// What happens to it.
    public enum Input: Hashable, Sendable {
        /// A layer was opened by a routing key.
        case opened(OpenedEnvelope)
        /// A layer that was to be opened does not open.
        case notOpened
        /// The result of storing the item.
        case stored(Outcome)
    }

    /// What it wants done.
    public enum Output: Hashable, Sendable {
        /// Store this durably, then say `stored`.
        case store(Item)
        /// Open this with a routing key, then say `opened` or `notOpened`.
        case unwrap([UInt8])
        /// This is the end; nothing follows.
        case answer(Answer)
    }

    /// The answer to the sender.
    public enum Answer: String, Hashable, Sendable, CaseIterable {
        /// It was taken: it is on the disk if its recipient is known.
        case taken
        /// It was not taken, and may be brought again later.
        case later
        /// It is nothing that can be taken.
        case refused
    }

    /// The most layers for the same mediator.
    public static let maximumLayers = 4

    /// How many layers were opened.
    public private(set) var layers = 0

    private var item: Item?

    /// Waits for the outermost layer.
    public init() {}

    /// Takes one event and appends what is to be done.
    public mutating func handle(_ input: Input, into outputs: inout [Output]) {
        switch input {
        case .opened(let opened): open(opened, into: &outputs)
        case .notOpened: outputs.append(.answer(layers == 0 ? .refused : .taken))
        case .stored(let outcome): stored(outcome, into: &outputs)
        }
    }

    /// As `handle(_:into:)`, returning the outputs.
    public mutating func handle(_ input: Input) -> [Output] {
        var outputs: [Output] = []
        handle(input, into: &outputs)
        return outputs
    }

    private mutating func open(_ opened: OpenedEnvelope, into outputs: inout [Output]) {
        layers += 1
        guard let forward = try? Forward(parsing: opened.plaintext) else {
            return outputs.append(.answer(layers == 1 ? .refused : .taken))
        }
        // A DID, or what is no key, belongs to no account.
        guard let recipient = forward.recipientKey else { return outputs.append(.answer(.taken)) }
        let item = Item(routingKey: opened.recipient, recipient: recipient, envelope: forward.envelope)
        self.item = item
        outputs.append(.store(item))
    }

    private mutating func stored(_ outcome: Outcome, into outputs: inout [Output]) {
        guard let item else { return }
        self.item = nil
        switch outcome {
        case .stored, .storedOverSoftLimit, .unknown: outputs.append(.answer(.taken))
        case .full, .failed: outputs.append(.answer(.later))
        case .isRoutingKey where layers < Self.maximumLayers: outputs.append(.unwrap(item.envelope))
        // What goes round in circles is answered as an envelope for an unknown key.
        case .isRoutingKey: outputs.append(.answer(.taken))
        }
    }
}
