import CBOR
import COSE

/// The elements that the device of a holder signed in a session (ISO/IEC 18013-5, clause 9.1.3).
struct DeviceSigned {
    /// The device's proof of possession of its key.
    enum Proof {
        case signature(COSESign1)
        /// A proof by MAC, which can be checked only with the reader's private key.
        case mac(COSEMac0)
    }

    /// The namespaces and elements that the device signed, in the order of the bytes.
    let elements: [(namespace: String, name: String, value: CBORValue)]
    /// The device's proof of possession of its key.
    let proof: Proof

    private let namespaces: CBORValue

    /// Reads the device-signed part of a Document.
    ///
    /// Throws `credential.md-form` and the codes of the readers.
    init(_ value: CBORValue, _ limits: VerificationLimits) throws(CredentialError) {
        guard let namespaces = value["nameSpaces"], let auth = value["deviceAuth"] else {
            throw CredentialError(.mdForm, "What the device signed lacks a part.", at: value.place)
        }
        self.namespaces = namespaces
        let map = try CredentialCBORReader.embedded(namespaces, "The namespaces of the device", limits)
        guard let entries = map.map else {
            throw CredentialError(.mdForm, "The namespaces of the device are not a map.", at: namespaces.place)
        }
        var elements: [(namespace: String, name: String, value: CBORValue)] = []
        for entry in entries {
            guard let namespace = entry.key.text, let items = entry.value.map else {
                throw CredentialError(.mdForm, "A namespace of the device is not a map.", at: namespaces.place)
            }
            for item in items {
                guard let name = item.key.text else {
                    throw CredentialError(.mdForm, "An element of the device has no name.", at: namespaces.place)
                }
                elements.append((namespace, name, item.value))
            }
        }
        self.elements = elements
        switch (auth["deviceSignature"], auth["deviceMac"]) {
        case (let signature?, nil): proof = .signature(try COSESign1(signature, limits))
        case (nil, let mac?): proof = .mac(try COSEMac0(detached: mac, limits))
        default: throw CredentialError(.mdForm, "The device proves its key not in exactly one way.", at: auth.place)
        }
    }

    /// Returns the DeviceAuthenticationBytes that the device signed.
    ///
    /// - Parameter transcript: the encoded SessionTranscript.
    func signedBytes(type: String, transcript: [UInt8]) -> [UInt8] {
        CBORItem.embedded(
            .array([
                .text("DeviceAuthentication"), .raw(transcript), .text(type), .raw(Array(namespaces.encoding)),
            ])
        ).encoded
    }

    /// Records whether the device may sign its elements and signed them in the session.
    ///
    /// Gives the description of its signature.
    func check(
        _ object: MobileSecurityObject, type: String, key: COSEKey?, session: MobileDocumentSession?,
        into list: inout CredentialCheckList
    ) -> CredentialContent.Signature? {
        for element in elements where !object.authorizations.covers(element.name, in: element.namespace) {
            list.fail(.mdKeyAuth, "The device signed an element that its key is not authorized for.")
        }
        guard let session else {
            list.leave(
                .holder, "The device's proof was not checked: the transcript of its session is not here.",
                code: .kbUnchecked)
            return nil
        }
        let payload = signedBytes(type: type, transcript: session.transcript)
        switch proof {
        case .mac(let mac):
            check(mac, over: payload, key: key, session: session, into: &list)
            return nil
        case .signature(let signature): return check(signature, over: payload, key: key, into: &list)
        }
    }

    private func check(
        _ mac: COSEMac0, over payload: [UInt8], key: COSEKey?, session: MobileDocumentSession,
        into list: inout CredentialCheckList
    ) {
        guard let secret = key.flatMap(session.macKey) else {
            guard session.readerKey == nil || key == nil else {
                return list.fail(
                    .kbSig, "The device's proof is a MAC, and its key is not on the curve of the session.",
                    in: .holder)
            }
            return list.leave(
                .holder, "The device's proof is a MAC, which takes the reader's key of the session to check.",
                code: .kbUnchecked)
        }
        let done: Void? = list.attempt(in: .holder) { () throws(CredentialError) in
            try mac.verify(payload, by: secret)
        }
        if done != nil { list.pass(.holder, "The device that the issuer named answered in this session.") }
    }

    private func check(
        _ signature: COSESign1, over payload: [UInt8], key: COSEKey?, into list: inout CredentialCheckList
    ) -> CredentialContent.Signature? {
        guard let key = key?.verificationKey else {
            list.leave(.holder, "The device's key signs nothing that can be checked here.", code: .kbUnchecked)
            return nil
        }
        var named: SignatureAlgorithm?
        let done: Void? = list.attempt(in: .holder) { () throws(CredentialError) in
            try signature.headers.checkCritical()
            let algorithm = try signature.headers.algorithm()
            named = algorithm
            guard signature.payload == nil else {
                throw CredentialError(.mdForm, "The device's signature has a payload of its own.")
            }
            try signature.verify(payload, by: key, algorithm: algorithm)
        }
        if done != nil { list.pass(.holder, "The device that the issuer named signed in this session.") }
        return CredentialContent.Signature(
            key: "the device's key", algorithm: named?.rawValue ?? "unknown",
            covers: "the session, the document type and the device's elements", isValid: done != nil)
    }
}
