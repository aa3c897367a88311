import CBOR
import COSE
import Credentials
package import CryptoSuite
package import Determinism

/// The bytes that a reader signs, and the check of its signature by a holder (ISO/IEC 18013-5, clause 12.5).
public enum ReaderAuthentication {
    /// The knowledge that a holder has of a reader.
    public enum ReaderStanding: Hashable, Sendable {
        /// The request is not signed.
        case absent
        /// The signature or the certificate is wrong, for this reason.
        case wrong(String)
        /// The signature is right, and the certificate leads to no authority that the holder has; with its name.
        case unknown(String)
        /// The signature is right, and the certificate leads to an authority that the holder has; with its name.
        case known(String)
    }

    /// Returns the ReaderAuthenticationBytes over one document's part of a request.
    package static func bytes(_ transcript: SessionTranscript, items: [UInt8]) -> [UInt8] {
        CBORItem.embedded(
            .array([.text("ReaderAuthentication"), .raw(transcript.bytes), .raw(items)])
        ).encoded
    }

    /// Returns the ReaderAuthenticationAllBytes over the parts of a whole request, with its DeviceRequestInfoBytes.
    package static func bytes(_ transcript: SessionTranscript, allItems: [[UInt8]], info: [UInt8]?) -> [UInt8] {
        CBORItem.embedded(
            .array([
                .text("ReaderAuthenticationAll"), .raw(transcript.bytes), .array(allItems.map { .raw($0) }),
                info.map { .raw($0) } ?? .null,
            ])
        ).encoded
    }

    /// Returns what is known of the reader that asks for a document.
    ///
    /// - Parameter authorities: the certificates of the authorities of readers that the holder trusts.
    package static func standing(
        of request: DeviceRequest, document: DeviceRequest.DocumentRequest, transcript: SessionTranscript,
        authorities: [Certificate], at time: WallTime
    ) -> ReaderStanding {
        var standings: [ReaderStanding] = []
        if let value = document.readerAuthentication {
            standings.append(
                standing(value, over: bytes(transcript, items: document.itemsBytes), authorities, time))
        }
        standings += request.readerAuthenticationOfAll.map {
            standing(
                $0,
                over: bytes(transcript, allItems: request.documents.map(\.itemsBytes), info: request.infoBytes),
                authorities, time)
        }
        // One wrong signature is enough to say so; otherwise the best one counts.
        for case .wrong(let reason) in standings { return .wrong(reason) }
        for case .known(let name) in standings { return .known(name) }
        return standings.first ?? .absent
    }

    private static func standing(
        _ value: CBORValue, over message: [UInt8], _ authorities: [Certificate], _ time: WallTime
    ) -> ReaderStanding {
        do throws(CredentialError) {
            let signature = try COSESign1(value, VerificationLimits())
            guard signature.payload == nil else { return .wrong("The signature has a payload of its own.") }
            try signature.headers.checkCritical()
            guard let chain = try signature.headers.certificates() else {
                return .wrong("The signature brings no certificate.")
            }
            let certificates = chain.compactMap { try? Certificate(der: $0) }
            guard let leaf = certificates.first, certificates.count == chain.count else {
                return .wrong("A certificate of the reader cannot be read.")
            }
            let name = leaf.subject.commonName ?? leaf.subject.description
            // An algorithm that is not understood here is not wrong.
            guard let algorithm = try algorithm(of: signature) else { return .unknown(name) }
            try signature.verify(message, by: try VerificationKey(leaf.publicKey), algorithm: algorithm)
            let path = CertificatePath(
                chain: certificates, anchors: authorities, purpose: .readerAuthentication, time: time,
                signingTime: nil, toleranceMilliseconds: 60_000)
            guard path.anchor != nil else { return .unknown(name) }
            guard let failure = path.failures.first else { return .known(name) }
            return .wrong("The reader's certificate is not right: \(failure.reason).")
        } catch {
            return .wrong(error.reason)
        }
    }

    /// Returns the algorithm of a signature; nil for one that is not known here.
    private static func algorithm(of signature: COSESign1) throws(CredentialError) -> SignatureAlgorithm? {
        do throws(CredentialError) {
            return try signature.headers.algorithm()
        } catch {
            guard error.code == .algUnknown else { throw error }
            return nil
        }
    }
}
