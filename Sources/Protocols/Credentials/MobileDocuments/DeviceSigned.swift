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

    /// The forms that devices in use sign in place of DeviceAuthenticationBytes.
    private enum WrongForm: CaseIterable {
        /// The transcript stands with tag 24, as SessionTranscriptBytes.
        case transcriptTagged
        /// The engagement is encoded twice in the transcript.
        case engagementTwice

        /// The end of the sentence that says in which form the proof would be right.
        var words: String {
            switch self {
            case .transcriptTagged: "if the transcript stood in it with tag 24 (ISO/IEC 18013-5, clause 12.4)"
            case .engagementTwice:
                "if the engagement were encoded twice in the transcript (ISO/IEC 18013-5, clause 12.7.1)"
            }
        }

        /// Returns the transcript in this form, as it stands in what is signed and as the session's keys have it.
        func transcript(of bytes: [UInt8]) -> (signed: [UInt8], keyed: [UInt8])? {
            switch self {
            case .transcriptTagged: return (CBORItem.embedded(.raw(bytes)).encoded, bytes)
            case .engagementTwice:
                guard let parts = (try? CBORValue(parsing: bytes))?.array, parts.count == 3 else { return nil }
                let items = parts.map { CBORItem.raw(Array($0.encoding)) }
                let twice = CBORItem.array([.embedded(items[0]), items[1], items[2]]).encoded
                return (twice, twice)
            }
        }
    }

    /// Returns the error of a wrong proof, which says in which wrong form of the message it would be right, if in one.
    private func explained(
        _ error: CredentialError, type: String, session: MobileDocumentSession,
        isRight: (_ message: [UInt8], _ transcript: [UInt8]) -> Bool
    ) -> CredentialError {
        for form in WrongForm.allCases {
            guard let transcript = form.transcript(of: session.transcript),
                isRight(signedBytes(type: type, transcript: transcript.signed), transcript.keyed)
            else { continue }
            return CredentialError(error.code, "\(error.reason) It would verify \(form.words).", at: error.location)
        }
        return error
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
        switch proof {
        case .mac(let mac):
            check(mac, type: type, key: key, session: session, into: &list)
            return nil
        case .signature(let signature):
            return check(signature, type: type, key: key, session: session, into: &list)
        }
    }

    private func check(
        _ mac: COSEMac0, type: String, key: COSEKey?, session: MobileDocumentSession,
        into list: inout CredentialCheckList
    ) {
        guard let key, let secret = session.macKey(deviceKey: key, over: session.transcript) else {
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
            do throws(CredentialError) {
                try mac.verify(signedBytes(type: type, transcript: session.transcript), by: secret)
            } catch {
                throw explained(error, type: type, session: session) { message, transcript in
                    let secret = session.macKey(deviceKey: key, over: transcript)
                    return secret.map { (try? mac.verify(message, by: $0)) != nil } ?? false
                }
            }
        }
        if done != nil { list.pass(.holder, "The device that the issuer named answered in this session.") }
    }

    private func check(
        _ signature: COSESign1, type: String, key: COSEKey?, session: MobileDocumentSession,
        into list: inout CredentialCheckList
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
            do throws(CredentialError) {
                let payload = signedBytes(type: type, transcript: session.transcript)
                try signature.verify(payload, by: key, algorithm: algorithm)
            } catch {
                throw explained(error, type: type, session: session) { message, _ in
                    (try? signature.verify(message, by: key, algorithm: algorithm)) != nil
                }
            }
        }
        if done != nil { list.pass(.holder, "The device that the issuer named signed in this session.") }
        return CredentialContent.Signature(
            key: "the device's key", algorithm: named?.rawValue ?? "unknown",
            covers: "the session, the document type and the device's elements", isValid: done != nil)
    }
}
