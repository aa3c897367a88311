import CBOR
import COSE
import CryptoSuite
import Testing

@testable import MobileSession

/// A way to have a reader take a wrong answer, or a holder a wrong reader, with the check that prevents it.
struct SessionForgery: CustomTestStringConvertible, Sendable {
    let name: String
    /// The code of the check that refuses it; for a reader's signature the standing of the reader.
    let code: String
    let play: @Sendable () throws -> ForgeryOutcome

    init(_ name: String, _ code: String, _ play: @escaping @Sendable () throws -> ForgeryOutcome) {
        (self.name, self.code, self.play) = (name, code, play)
    }

    var testDescription: String { name }

    /// A forgery of an answer, which differs from a genuine one in what `change` does.
    static func answer(
        _ name: String, _ code: String, _ change: @escaping @Sendable (inout ForgedReading) throws -> Void
    ) -> Self {
        Self(name, code) {
            var reading = try ForgedReading()
            try change(&reading)
            return try reading.play()
        }
    }

    /// A forgery of a question, which differs from a right one in what `change` does.
    static func question(
        _ name: String, _ code: String, _ change: @escaping @Sendable (inout ForgedQuestion) throws -> Void
    ) -> Self {
        Self(name, code) {
            var question = try ForgedQuestion()
            try change(&question)
            return try question.play()
        }
    }

    static let all = messages + responses + proofs + elements + objects + certificates + questions

    /// Returns the session of another reader with another code.
    private static func otherSession() throws -> ForgedSession {
        try ForgedSession(seed: 77, asking: MobileRequest(asking: "name"))
    }

    // MARK: Messages to the reader

    private static let messages: [SessionForgery] = [
        answer("answer under the keys of another session", "mdoc.session-decrypt") {
            $0.messages = { _, response in [try otherSession().message(response)] }
        },
        answer("answer under keys of a changed engagement", "mdoc.session-decrypt") {
            $0.messages = { session, response in
                let other = SessionTranscript(
                    engagement: session.engagement.bytes + [0], readerKeyBytes: CBORItem.null.encoded)
                var cipher = try session.cipher(over: other)
                return [SessionData(data: cipher.seal(response)).encoded]
            }
        },
        answer("answer under the reader's own key", "mdoc.session-decrypt") {
            $0.messages = { session, response in
                var cipher = try session.cipher(.reader)
                return [SessionData(data: cipher.seal(response)).encoded]
            }
        },
        answer("the reader's request sent back", "mdoc.session-decrypt") {
            $0.messages = { session, _ in [SessionData(data: session.establishment?.data).encoded] }
        },
        answer("counter skipped", "mdoc.session-decrypt") {
            $0.messages = { session, response in
                var cipher = try session.cipher()
                _ = cipher.seal(response)
                return [SessionData(data: cipher.seal(response)).encoded]
            }
        },
        answer("bit of the tag changed", "mdoc.session-decrypt") {
            $0.messages = { session, response in
                var message = session.message(response)
                message[message.count - 1] ^= 1
                return [message]
            }
        },
        answer("answer without its tag", "mdoc.session-decrypt") {
            $0.messages = { session, response in
                var cipher = try session.cipher()
                return [SessionData(data: cipher.seal(response)?.dropLast(16)).encoded]
            }
        },
        answer("answer in the clear", "mdoc.session-decrypt") {
            $0.messages = { _, response in [SessionData(data: response).encoded] }
        },
        answer("answer outside of data", "mdoc.peer-status") { $0.messages = { _, response in [response] } },
        answer("data twice in a message", "mdoc.session-cbor") {
            $0.messages = { session, response in
                let member = Array(session.message(response).dropFirst())
                return [[0xA2] + member + member]
            }
        },
        answer("a byte behind the message", "mdoc.session-cbor") {
            $0.messages = { session, response in [session.message(response) + [0]] }
        },
        answer("a part of the message dropped", "mdoc.broken-off") {
            $0.messages = { session, response in [session.message(response).dropLast(100)] }
        },
        answer("status 20 before the answer", "mdoc.peer-status") {
            $0.messages = { session, response in [SessionData(status: 20).encoded, session.message(response)] }
        },
        answer("status 10 before the answer", "mdoc.peer-status") {
            $0.messages = { session, response in [SessionData(status: 10).encoded, session.message(response)] }
        },
        answer("an error of decoding and then the answer", "mdoc.session-decrypt") {
            $0.messages = { session, response in
                [SessionData(data: [1, 2, 3]).encoded, session.message(response)]
            }
        },
    ]

    private static let responses: [SessionForgery] = [
        answer("status 10 beside documents", "mdoc.response-malformed") {
            $0.changeResponse = { $0["status"] = .int(10) }
        },
        answer("no status", "mdoc.response-malformed") { $0.changeResponse = { $0["status"] = nil } },
        answer("version 2.0 of the answer", "mdoc.response-malformed") {
            $0.changeResponse = { $0["version"] = .text("2.0") }
        },
        answer("documents without a list", "mdoc.response-malformed") {
            $0.changeResponse = { $0["documents"] = .map([:]) }
        },
        answer("no documents", "mdoc.nothing-returned") { $0.changeResponse = { $0["documents"] = nil } },
        answer("encrypted documents alone", "mdoc.nothing-returned") {
            $0.changeResponse = {
                $0["encryptedDocuments"] = $0["documents"]
                $0["documents"] = nil
            }
        },
        answer("another type of document than was asked for", "credential.md-doctype") {
            $0.signed = [("org.iso.23220.photoid.1", [("family_name", .text("Lovelace"))])]
            $0.changeObject = { $0["docType"] = .text("org.iso.23220.photoid.1") }
            $0.outerType = "org.iso.23220.photoid.1"
            $0.proofType = $0.outerType
            $0.issuer.types = []
        },
        answer("second document forged", "credential.md-digest") {
            var forged = try ForgedReading()
            forged.changeReturned = { $0[0].items[1] = ForgedReading.item(1, "age_over_18", .bool(true)) }
            let second = forged
            $0.moreDocuments = [{ try second.document(in: $0) }]
        },
        answer("proof of the first document in the second", "credential.sig-invalid") {
            var second = try ForgedReading()
            second.device = try ForgedIssuer.key(9)
            let copied = second
            $0.moreDocuments = [{ try copied.document(in: $0) }]
        },
    ]

    // MARK: The device's proof

    private static func over(
        _ name: String, isMAC: Bool = false,
        _ transcript: @escaping @Sendable (SessionTranscript) throws -> SessionTranscript
    ) -> SessionForgery {
        answer(name, "credential.sig-invalid") {
            $0.isMAC = isMAC
            $0.proofTranscript = { (try? transcript($0)) ?? $0 }
        }
    }

    private static let proofs: [SessionForgery] = [
        over("proof over the transcript of another session") { _ in try otherSession().transcript },
        over("MAC over the transcript of another session", isMAC: true) { _ in
            try otherSession().transcript
        },
        // A second reader that relays what its own holder answered: the two have other keys.
        answer("relay by a second reader", "credential.sig-invalid") {
            let victim = try otherSession()
            $0.proofTranscript = { _ in victim.transcript }
            $0.messages = { session, response in [session.message(response)] }
        },
        answer("MAC with the key of another session", "credential.sig-invalid") { reading in
            let other = try otherSession()
            reading.isMAC = true
            reading.changeDocument = { members in
                var inner = try? ForgedReading()
                inner?.isMAC = true
                if case .map(let made)? = try? inner?.document(in: other) {
                    members["deviceSigned"] = made[.text("deviceSigned")]
                }
            }
        },
        over("engagement changed after the code") {
            var bytes = $0.bytes
            bytes[20] ^= 1
            return SessionTranscript(encoded: bytes)
        },
        over("reader's key swapped") { transcript in
            guard let parts = try CBORValue(parsing: transcript.bytes).array else { return transcript }
            return SessionTranscript(
                encoded: CBORItem.array([
                    .raw(Array(parts[0].encoding)),
                    .embedded(COSEKey.ecdsa(try ForgedIssuer.key(9).publicKey).item), .null,
                ]).encoded)
        },
        over("transcript without the engagement") { transcript in
            guard let parts = try CBORValue(parsing: transcript.bytes).array else { return transcript }
            return SessionTranscript(
                encoded: CBORItem.array([.null, .raw(Array(parts[1].encoding)), .null]).encoded)
        },
        over("transcript of a handover by NFC") { transcript in
            guard let parts = try CBORValue(parsing: transcript.bytes).array else { return transcript }
            return SessionTranscript(
                encoded: CBORItem.array([
                    .raw(Array(parts[0].encoding)), .raw(Array(parts[1].encoding)), .array([.bytes([1]), .null]),
                ]).encoded)
        },
        over("transcript in a byte string with a tag") {
            SessionTranscript(encoded: CBORItem.embedded(.raw($0.bytes)).encoded)
        },
        answer("proof by the key of another device", "credential.sig-invalid") {
            $0.proving = try ForgedIssuer.key(9)
        },
        answer("MAC by the key of another device", "credential.sig-invalid") {
            $0.isMAC = true
            $0.proving = try ForgedIssuer.key(9)
        },
        answer("proof for another type of document", "credential.sig-invalid") { $0.proofType = "org.example" },
        answer("element added behind the proof", "credential.sig-invalid") {
            $0.changeObject = authorize(["nameSpaces": .array([.text("org.example")])])
            $0.sentElements = .map([.text("org.example"): .map([.text("pin"): .int(1)])])
        },
        answer("payload in the proof", "credential.md-form") {
            $0.changeProof = change("deviceSignature", 2, by: .bytes([1]))
        },
        answer("both proofs", "credential.md-form") { $0.changeProof = { $0["deviceMac"] = $0["deviceSignature"] } },
        answer("no proof", "credential.md-form") { $0.changeProof = { $0 = [:] } },
        answer("nothing signed by the device", "credential.kb-missing") {
            $0.changeDocument = { $0["deviceSigned"] = nil }
        },
        answer("another algorithm of the proof", "credential.alg-mismatch") {
            $0.changeProof = change("deviceSignature", 0, by: .bytes(CBORItem.map([.int(1): .int(-35)]).encoded))
        },
        answer("algorithm of the proof unprotected", "credential.alg-mismatch") {
            $0.changeProof = {
                change("deviceSignature", 0, by: .bytes([]))(&$0)
                change("deviceSignature", 1, by: .map([.int(1): .int(-7)]))(&$0)
            }
        },
        answer("another algorithm of the MAC", "credential.alg-mismatch") {
            $0.isMAC = true
            $0.changeProof = change("deviceMac", 0, by: .bytes(CBORItem.map([.int(1): .int(4)]).encoded))
        },
        answer("signature of zeros", "credential.sig-invalid") {
            $0.changeProof = change("deviceSignature", 3, by: .bytes([UInt8](repeating: 0, count: 64)))
        },
        answer("MAC of no bytes", "credential.sig-invalid") {
            $0.isMAC = true
            $0.changeProof = change("deviceMac", 3, by: .bytes([]))
        },
        answer("element that the device may not sign", "credential.md-key-auth") {
            $0.deviceElements = .map([.text("org.example"): .map([.text("pin"): .int(1)])])
        },
        answer("element that the device may sign in another namespace", "credential.md-key-auth") {
            $0.changeObject = authorize([
                "dataElements": ForgedReading.map(["org.example": .array([.text("pin")])])
            ])
            $0.deviceElements = .map([.text("org.example.2"): .map([.text("pin"): .int(1)])])
        },
        answer("element of the issuer signed by the device too", "credential.md-doubled") {
            $0.changeObject = authorize(["nameSpaces": .array([.text(ForgedReading.namespace)])])
            $0.deviceElements = .map([.text(ForgedReading.namespace): .map([.text("age_over_18"): .bool(true)])])
        },
    ]

    /// Adds authorizations of the device's key to a signed object.
    static func authorize(_ members: [String: CBORItem]) -> (inout [String: CBORItem]) -> Void {
        { object in
            guard case .map(var info)? = object["deviceKeyInfo"] else { return }
            info[.text("keyAuthorizations")] = ForgedReading.map(members)
            object["deviceKeyInfo"] = .map(info)
        }
    }

    /// Puts another item in a proof.
    private static func change(
        _ proof: String, _ index: Int, by item: CBORItem
    ) -> (inout [String: CBORItem]) -> Void {
        { members in
            guard case .array(var parts)? = members[proof] else { return }
            parts[index] = item
            members[proof] = .array(parts)
        }
    }
}
