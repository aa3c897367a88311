import Aries
import DIDComm

/// The stored part of the answer to a client's request, so that a repeated request gets the same answer; parts that
/// follow from the request or the account are not stored.
enum StoredRequestAnswer: Hashable, Sendable {
    /// The request was carried out.
    case done
    /// The request was not allowed.
    case denied
    /// The account is served, with the routing key that its keys share.
    case sharedGrant
    /// The mediator granted the recipient key this routing key, which no other key shares.
    case keyGrant(Verkey)
    /// The result of each change of keys.
    case keys([KeylistUpdate.Result])
    /// The webhook of the request is set.
    case waking

    /// The results of key changes, in the order of their codes in stored answers, which never changes.
    private static let results: [KeylistUpdate.Result] = [.success, .noChange, .clientError, .serverError]

    /// The stored form of the answer: a byte for the case, then its values.
    private var bytes: [UInt8] {
        switch self {
        case .done: [0]
        case .denied: [1]
        case .sharedGrant: [2]
        case .keyGrant(let key): [3] + key.bytes
        case .keys(let results): [4] + results.map { UInt8(Self.results.firstIndex(of: $0) ?? 3) }
        case .waking: [5]
        }
    }

    func sealed(by secret: MediatorSecret) -> [UInt8] { secret.seal(bytes, as: .answer) }

    /// Decrypts a stored answer.
    ///
    /// - Throws: `cloud.store.damaged`.
    init(_ sealed: [UInt8], by secret: MediatorSecret) throws(CloudAgentError) {
        let bytes = try secret.open(sealed, as: .answer)
        let rest = Array(bytes.dropFirst())
        switch bytes.first {
        case 0: self = .done
        case 1: self = .denied
        case 2: self = .sharedGrant
        case 3:
            guard let key = Verkey(rest) else { throw Self.damaged }
            self = .keyGrant(key)
        case 4:
            guard rest.allSatisfy({ $0 < Self.results.count }) else { throw Self.damaged }
            self = .keys(rest.map { Self.results[Int($0)] })
        case 5: self = .waking
        default: throw Self.damaged
        }
    }

    private static var damaged: CloudAgentError {
        CloudAgentError(.damaged, "The answer to a request in the store cannot be read.")
    }
}
