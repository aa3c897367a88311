import Bluetooth
import CBOR
import COSE
import Credentials
import CryptoSuite
import Determinism

@testable import MobileSession

/// Forged elements, signed objects and certificates in a session that is right otherwise, and forged questions.
extension SessionForgery {
    private static let age = ForgedReading.item(1, "age_over_18", .bool(true))

    static let elements: [SessionForgery] = [
        answer("value of an element changed", "credential.md-digest") { $0.changeReturned = { $0[0].items[1] = age } },
        answer("element of another document", "credential.md-digest") {
            $0.changeReturned = { $0[0].items[0] = ForgedReading.item(0, "family_name", .text("Byron")) }
        },
        answer("element without a digest", "credential.md-digest-missing") {
            $0.changeReturned = { $0[0].items.append(ForgedReading.item(40, "age_over_21", .bool(true))) }
        },
        answer("digest of another namespace", "credential.md-digest") {
            $0.signed.append(("org.example", [("a", .int(1)), ("age_over_18", .bool(true))]))
            $0.changeReturned = { $0[0].items[1] = $0[1].items[1] }
        },
        answer("element moved to another namespace", "credential.md-digest-missing") {
            $0.changeReturned = { returned in
                let item = returned[0].items.removeFirst()
                returned.append((namespace: "org.example", items: [item]))
            }
        },
        answer("element twice", "credential.md-doubled") {
            $0.changeReturned = { $0[0].items.append($0[0].items[0]) }
        },
        answer("name twice with two digests", "credential.md-doubled") {
            $0.signed[0].elements.append(("family_name", .text("Byron")))
        },
        answer("element renamed", "credential.md-digest") {
            $0.changeReturned = { $0[0].items[1] = ForgedReading.item(1, "age_over_65", .bool(false)) }
        },
        Self("element that was asked for the session alone is kept", "retained alone") {
            var reading = try ForgedReading()
            reading.retained = ["given_name"]
            reading.asked = "name,over-18"
            reading.signed[0].elements.append(("given_name", .text("Ada")))
            reading.isAboutRetention = true
            return try reading.play()
        },
    ]

    static let objects: [SessionForgery] = [
        answer("type outside changed", "credential.md-doctype") {
            $0.changeObject = { $0["docType"] = .text("org.example") }
            $0.issuer.types = []
            $0.proofType = "org.example"
        },
        answer("signed object of version 2.0", "credential.md-version") {
            $0.changeObject = { $0["version"] = .text("2.0") }
        },
        answer("digests by SHA-1", "credential.md-alg") {
            $0.changeObject = { $0["digestAlgorithm"] = .text("SHA-1") }
        },
        answer("document that has ended", "credential.time-expired") {
            $0.changeObject = { $0["validityInfo"] = ForgedIssuer.validity(until: -1) }
        },
        answer("document that has not begun", "credential.time-future") {
            $0.changeObject = { $0["validityInfo"] = ForgedIssuer.validity(from: 1) }
        },
        answer("document valid before it was signed", "credential.time-order") {
            $0.changeObject = { $0["validityInfo"] = ForgedIssuer.validity(signed: -5) }
        },
        answer("document signed before its certificate", "credential.md-signed-time") {
            $0.changeObject = { $0["validityInfo"] = ForgedIssuer.validity(signed: -60) }
        },
        answer("signed object changed", "credential.sig-invalid") {
            $0.changeAuth = { parts in
                guard case .bytes(var payload) = parts[2] else { return }
                // The minor number of the version, of which each is taken.
                if let found = payload.firstRange(of: Array("1.0".utf8)) { payload[found.upperBound - 1] ^= 1 }
                parts[2] = .bytes(payload)
            }
        },
        answer("signature of another signer", "credential.sig-invalid") {
            $0.issuer.signing = .ecdsa(try ForgedIssuer.key(9))
        },
        answer("algorithm of the signature unprotected", "credential.alg-mismatch") {
            $0.changeAuth = { parts in
                guard case .map(var header) = parts[1] else { return }
                header[.int(1)] = .int(-7)
                (parts[0], parts[1]) = (.bytes([]), .map(header))
            }
        },
    ]

    static let certificates: [SessionForgery] = [
        answer("no certificate", "credential.x5-chain") { $0.issuer.chain = [] },
        answer("certificate that is none", "credential.x5-chain") { $0.issuer.chain = [[1, 2, 3]] },
        answer("authority of the forger in the chain", "credential.trust-issuer") { reading in
            try reading.issuer.makeOwnAuthority()
        },
        answer("signer with the key of a reader", "credential.x5-eku") {
            $0.issuer.signer.extensions = ForgedIssuer.extensions(uses: [.mobileDocumentReader])
        },
        answer("signer that may not sign", "credential.x5-ku") {
            $0.issuer.signer.extensions = ForgedIssuer.extensions(usage: .contentCommitment)
        },
        answer("signer of another country", "credential.x5-name") {
            $0.issuer.signer.subject[0] = .country("CA")
            $0.signed[0].elements[2].value = .text("CA")
        },
        answer("signer of another state", "credential.x5-name") {
            $0.issuer.signer.subject[1] = .stateOrProvince("US-CA")
            $0.signed[0].elements[3].value = .text("US-CA")
        },
        answer("signer that has expired", "credential.x5-expired") {
            $0.issuer.signer.notAfter = WallTime(
                millisecondsSinceEpoch: ForgedReading.now.millisecondsSinceEpoch - ForgedIssuer.day)
        },
        answer("signer that was revoked", "credential.x5-revoked") {
            let list = RevocationListTemplate(
                issuer: ForgedIssuer.rootName, thisUpdate: ForgedIssuer.start, nextUpdate: ForgedIssuer.end,
                revokedSerialNumbers: [[2]])
            $0.issuer.revocationLists = [try list.sign(by: $0.issuer.issuing)]
        },
        answer("signer of an authority of the same name", "credential.x5-sig") {
            $0.issuer.issuing = .ecdsa(try ForgedIssuer.key(9))
        },
        answer("signer signed by its own key", "credential.trust-issuer") {
            $0.issuer.signer.issuer = $0.issuer.signer.subject
            $0.issuer.issuing = $0.issuer.signing
        },
        answer("authority for another type of document", "credential.trust-issuer") {
            $0.issuer.types = ["org.example"]
        },
        answer("document that names another country", "credential.md-country") {
            $0.signed[0].elements[2].value = .text("CA")
        },
        answer("document that names another state", "credential.md-country") {
            $0.signed[0].elements[3].value = .text("US-CA")
        },
    ]

    // MARK: Questions to a holder

    static let questions: [SessionForgery] = [
        question("key of the reader on another curve", "mdoc.engagement-curve") {
            $0.keyItem = COSEKey.ecdsa(try ForgedIssuer.key(5, .p384).publicKey).item
        },
        question("key of the reader off its curve", "mdoc.session-cbor") {
            let key = try ForgedIssuer.key(5).publicKey
            $0.keyItem = .ordered([
                [.int(1), .int(2)], [.int(-1), .int(1)], [.int(-2), .bytes(key.x)], [.int(-3), .bytes(key.x)],
            ])
        },
        question("key of the reader that signs alone", "mdoc.engagement-curve") {
            $0.keyItem = COSEKey.ed25519([UInt8](repeating: 9, count: 32)).item
        },
        question("key of another reader in the first message", "mdoc.session-decrypt") {
            $0.keyItem = COSEKey.ecdsa(try ForgedIssuer.key(9).publicKey).item
        },
        question("request for another engagement", "mdoc.session-decrypt") {
            $0.sessionTranscript = { _ in SessionTranscript(engagement: [0xA0], readerKeyBytes: [0xA0]) }
        },
        question("request repeated behind the answer", "mdoc.session-decrypt") { question in
            question.limit = 2
            question.values = { message in
                let again = try SessionEstablishment(message, limit: 1 << 16).data
                return [
                    (ForgedQuestion.link, .state, [1]), (ForgedQuestion.link, .clientToServer, [0] + message),
                    (ForgedQuestion.link, .clientToServer, [0] + SessionData(data: again).encoded),
                ]
            }
        },
        question("request before the start", "mdoc.protocol") {
            $0.values = { [(ForgedQuestion.link, .clientToServer, [0] + $0)] }
        },
        question("start by another value", "mdoc.protocol") {
            $0.values = { [(ForgedQuestion.link, .state, [3]), (ForgedQuestion.link, .clientToServer, [0] + $0)] }
        },
        question("request of a second central", "mdoc.broken-off") {
            $0.values = { [(ForgedQuestion.link, .state, [1]), (LinkID(2), .clientToServer, [0] + $0)] }
        },
        question("second start", "mdoc.protocol") {
            $0.values = {
                [
                    (ForgedQuestion.link, .state, [1]), (ForgedQuestion.link, .state, [1]),
                    (ForgedQuestion.link, .clientToServer, [0] + $0),
                ]
            }
        },
        question("reader's signature for another session", "reader wrong") {
            $0.signedTranscript = { _ in SessionTranscript(engagement: [0xA0], readerKeyBytes: [0xA0]) }
        },
        question("flag of retention changed behind the signature", "reader wrong") {
            $0.changeRequest = { $0.items = ForgedQuestion.items(isRetained: true) }
        },
        question("signature by the key of a document signer", "reader wrong") { $0.uses = [.mobileDocumentSigner] },
        question("reader of an authority that is not known", "reader unknown") { $0.isAuthorityKnown = false },
        Self("Ident of another code", "mdoc.ident-mismatch") {
            try ForgedQuestion.play { _ in
                let other = try ForgedSession(seed: 77, asking: MobileRequest(asking: "name"))
                return try other.engagement.ident()
            }
        },
        Self("Ident of no bytes", "mdoc.ident-mismatch") { try ForgedQuestion.play { _ in [] } },
    ]
}
