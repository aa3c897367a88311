import CBOR
import COSE
import CryptoSuite

/// Verifies a mobile document: an IssuerSigned, a Document or a DeviceResponse, as CBOR or in base64url.
///
/// Source: ISO/IEC 18013-5, clauses 9.1.2 and 9.3.1. Digests and signatures are over the bytes as they came. Items that
/// the holder left out are no fault.
public struct MobileDocumentVerifier: Sendable {
    private let request: VerificationRequest

    /// Makes a verifier for a request; without its session, the device's proof is reported as not done.
    public init(_ request: VerificationRequest) { self.request = request }

    private var limits: VerificationLimits { request.policy.limits }

    /// Verifies a document or all documents of a response; errors are in the report, never thrown.
    public func verify(_ bytes: [UInt8]) -> CredentialReport {
        var list = CredentialCheckList()
        let parsed = list.attempt { () throws(CredentialError) -> [CBORValue] in
            let value = try CredentialCBORReader.value(CredentialFormatDetection.binary(bytes), limits)
            return try MobileDocument.documents(in: value)
        }
        guard let documents = parsed else { return report(list, CredentialContent()) }
        guard documents.count > 1 else { return verify(document: documents[0]) }
        list.pass(.parse, "The response is well formed.")
        list.pass(.form, "The response has \(documents.count) documents.")
        for kind in CredentialFormat.mobileDocument.kinds { list.exclude(kind) }
        return CredentialReport(
            .mobileDocument, list, policy: request.policy, inner: documents.map { verify(document: $0) })
    }

    private func report(_ list: CredentialCheckList, _ content: CredentialContent) -> CredentialReport {
        CredentialReport(.mobileDocument, list, policy: request.policy, content: content)
    }

    private func verify(document value: CBORValue) -> CredentialReport {
        var (list, content) = (CredentialCheckList(), CredentialContent())
        guard
            let document = list.attempt({ () throws(CredentialError) in try MobileDocument(value, limits) })
        else { return report(list, content) }
        let readObject = list.attempt { () throws(CredentialError) -> (CBORValue, MobileSecurityObject) in
            let payload = try document.issuerAuth.attachedPayload()
            let wrapped = try CredentialCBORReader.encoded(payload, limits)
            let object = try CredentialCBORReader.embedded(wrapped, "The signed object", limits)
            return (payload, try MobileSecurityObject(object))
        }
        guard let (payload, object) = readObject else { return report(list, content) }
        list.pass(.parse, "The document is well formed.")
        list.pass(.form, "The document and the signed object have all their parts.")
        for item in document.namespaces.flatMap(\.items) {
            if item.saltCount < IssuerSignedItem.leastSaltCount {
                list.pass(.form, "The salt of an element is short.", note: .mdForm, at: item.value.place)
            }
            if item.digestID > IssuerSignedItem.largestDigestID {
                list.pass(.form, "The number of a digest is large.", note: .mdForm, at: item.value.place)
            }
        }
        MobileDocumentContent.fill(&content, document, object)
        let signer = checkSigner(document, payload, object, into: &list, &content)
        MobileDocumentDigestCheck.check(document, object, into: &list)
        checkType(document, object, into: &list)
        checkTimes(object, into: &list)
        checkStatus(object, signer, into: &list)
        checkDevice(document, object, into: &list, &content)
        return report(list, content)
    }

    /// Records who signed the mobile security object; returns the signer.
    private func checkSigner(
        _ document: MobileDocument, _ payload: CBORValue, _ object: MobileSecurityObject,
        into list: inout CredentialCheckList,
        _ content: inout CredentialContent
    ) -> CredentialSigner {
        let headers = document.issuerAuth.headers
        let algorithm = list.attempt { () throws(CredentialError) -> SignatureAlgorithm in
            try headers.checkCritical()
            return try headers.algorithm()
        }
        let found = list.attempt { () throws(CredentialError) -> MobileDocumentSignerCheck in
            guard let chain = try headers.certificates() else {
                throw CredentialError(.x5Chain, "The signature brings no certificates.")
            }
            return try MobileDocumentSignerCheck(CertificateChecks(chain), request)
        }
        guard let signer = found else { return CredentialSigner(key: nil, roots: []) }
        headers.checkThumbprint(of: signer.chain.leaf, into: &list)
        if headers.isProtected(COSEHeaders.Label.certificates) {
            list.pass(.chain, "The certificates stand in the protected header.", note: .x5Profile)
        }
        let signedAt = try? object.time("signed")
        let subject = signer.chain.leaf.subject.description
        content.issuer = subject
        let roots = signer.checkChain(type: object.type, signedAt: signedAt ?? nil, into: &list, &content)
        let isLenient = roots.isEmpty || roots.contains(where: \.isLenient)
        signer.checkPlace(document, type: object.type, isLenient: isLenient, into: &list)
        guard let key = list.attempt({ () throws(CredentialError) in try signer.chain.key() }) else {
            return CredentialSigner(key: nil, roots: roots)
        }
        list.pass(.key, "The signer's key is that of its certificate.")
        let result = CredentialSigner(key: key, roots: roots)
        guard let algorithm else { return result }
        guard key.algorithms.contains(algorithm) else {
            list.fail(.algMismatch, "\(algorithm.rawValue) is not an algorithm of a key of kind \(key.kind).")
            return result
        }
        list.pass(.algorithm, "\(algorithm.rawValue) fits the key.")
        let isValid: Void? = list.attempt { () throws(CredentialError) in
            try document.issuerAuth.verify(payload.bytes ?? [], by: key, algorithm: algorithm)
        }
        if isValid != nil { list.pass(.signature, "The signature fits the key and the signed bytes.") }
        content.signatures.append(
            CredentialContent.Signature(
                key: subject, algorithm: algorithm.rawValue,
                covers: "the signed object with the digests of all elements", isValid: isValid != nil))
        return result
    }

    private func checkType(
        _ document: MobileDocument, _ object: MobileSecurityObject, into list: inout CredentialCheckList
    ) {
        if let type = document.type, !type.isExactly(object.type) {
            return list.fail(.mdDoctype, "The document is of another type than the issuer signed.")
        }
        let types = request.policy.types
        guard types.isEmpty || types.containsExactly(object.type) else {
            return list.fail(.mdDoctype, "The document is of another type than is asked for.")
        }
        list.pass(
            .type,
            document.type == nil
                ? "The document says its type only where the issuer signed it."
                : "The document is of the type that the issuer signed.")
    }

    private func checkTimes(_ object: MobileSecurityObject, into list: inout CredentialCheckList) {
        let done: Void? = list.attempt { () throws(CredentialError) in
            guard let signed = try object.time("signed"), let start = try object.time("validFrom"),
                let end = try object.time("validUntil")
            else { throw CredentialError(.mdForm, "The validity lacks a time.") }
            _ = try object.time("expectedUpdate")
            guard start >= signed else {
                throw CredentialError(.timeOrder, "The validity begins before the document was signed.")
            }
            try CredentialTime.check(from: start, to: end, request, "The document")
        }
        guard done != nil else { return }
        list.pass(.time, "The time lies in the document's validity.")
        if object.hasFraction {
            list.pass(.time, "A time of the document has a fraction of a second.", note: .timeFormat)
        }
    }

    private func checkStatus(
        _ object: MobileSecurityObject, _ signer: CredentialSigner, into list: inout CredentialCheckList
    ) {
        guard let status = object.status else {
            return list.leave(.status, "The credential names no status list.")
        }
        CredentialStatusCheck(request).check(reference: status, signer: signer, into: &list)
    }

    private func checkDevice(
        _ document: MobileDocument, _ object: MobileSecurityObject, into list: inout CredentialCheckList,
        _ content: inout CredentialContent
    ) {
        let kind = list.attempt { () throws(CredentialError) in try COSEKey.read(object.deviceKey) }
        guard let signed = document.deviceSigned else {
            return list.recordNoHolder(isBound: true, isInner: false, request.policy)
        }
        for element in signed.elements where document.holds(element.name, in: element.namespace) {
            list.fail(.mdDoubled, "The device signed an element that the issuer signed too.")
        }
        let signature = signed.check(object, type: object.type, key: kind, session: request.session, into: &list)
        if let signature {
            content.signatures.append(signature)
        }
    }
}

extension CredentialStatusCheck {
    /// Checks the status references of a mobile document, to a status list and to an identifier list.
    ///
    /// A status list token in CBOR (draft-ietf-oauth-status-list, section 6.3) and an identifier list (ISO/IEC 18013-5,
    /// second edition, clause 12.3.6.4); a credential may have both.
    func check(reference: CBORValue, signer: CredentialSigner, into list: inout CredentialCheckList) {
        let (entry, identifier) = (reference["status_list"], reference["identifier_list"])
        /// The issuer may name the certificate above the signer of a list (clause 12.3.6).
        func listSigner(of reference: CBORValue?) -> CredentialSigner {
            guard let named = reference?["certificate"]?.bytes, !signer.roots.isEmpty else { return signer }
            let root = TrustedRoot(certificate: named, purpose: .mobileDocuments(types: [], country: nil))
            return CredentialSigner(key: nil, roots: [root])
        }
        if let entry {
            guard let index = entry["idx"]?.int, let address = entry["uri"]?.text else {
                return list.fail(.stForm, "The reference to a status list does not follow its format.")
            }
            checkToken(.index(index), address: address, signer: listSigner(of: entry), takesBinary: true, into: &list)
        }
        if let bytes = identifier?["id"]?.bytes, let address = identifier?["uri"]?.text {
            checkToken(
                .identifier(bytes), address: address, signer: listSigner(of: identifier), takesBinary: true, into: &list
            )
        } else if entry == nil || identifier != nil {
            list.leaveUnknownStatus(isMap: reference.map != nil)
        }
    }
}
