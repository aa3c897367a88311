import Bluetooth
import CBOR
import CryptoSuite
import Determinism

@testable import COSE
@testable import MobileSession

extension FuzzTarget {
    private static let holderKey: COSEKey = {
        var random = SeededRandom(seed: 1)
        guard let key = try? ECDSA.PrivateKey.make(.p256, from: &random) else { return .unknown }
        return .ecdsa(key.publicKey)
    }()

    private static let sample = DeviceEngagement(
        key: holderKey,
        bluetooth: .init(
            peripheralServer: BluetoothUUID(high: 1, low: 2), centralClient: BluetoothUUID(high: 3, low: 4)),
        capabilities: [.readerAuthenticationOfAll])

    /// The engagements of phones, as bytes and as the texts of codes.
    static var engagement: FuzzTarget {
        FuzzTarget(name: "engagement", maximumBytes: 1000) {
            [sample.bytes, Array(sample.text.utf8)]
        } run: { input in
            for engagement in [try? DeviceEngagement(bytes: input), try? DeviceEngagement(text: input)] {
                guard let engagement else { continue }
                let again = try? DeviceEngagement(text: engagement.text.utf8)
                require(again?.bytes == engagement.bytes, "an engagement that was read is read again from its text")
                require((try? engagement.ident())?.count == 16, "an engagement has an Ident of 16 bytes")
                require(engagement.bluetooth?.modes.isEmpty != true, "an offer has a mode")
            }
        }
    }

    /// The first messages of readers.
    static var establishment: FuzzTarget {
        FuzzTarget(name: "establishment", maximumBytes: 1000) {
            [SessionEstablishment.encoded(readerKeyBytes: sample.keyBytes, data: [1, 2, 3])]
        } run: { input in
            guard let message = try? SessionEstablishment(input, limit: 1000) else { return }
            let made = SessionEstablishment.encoded(readerKeyBytes: message.readerKeyBytes, data: message.data)
            let again = try? SessionEstablishment(made, limit: 2000)
            require(again?.data == message.data, "a message that was read is read again")
        }
    }

    /// The later messages of both sides.
    static var sessionData: FuzzTarget {
        FuzzTarget(name: "session-data", maximumBytes: 1000) {
            [SessionData(data: [1, 2, 3], status: 20).encoded, SessionData(status: 10).encoded]
        } run: { input in
            guard let message = try? SessionData(input, limit: 1000) else { return }
            let again = try? SessionData(message.encoded, limit: 2000)
            require(
                again?.data == message.data && again?.status == message.status, "a message that was read is read again")
        }
    }

    /// Requests of readers, answered from a document.
    static var deviceRequest: FuzzTarget {
        FuzzTarget(name: "device-request", maximumBytes: 2000) {
            let writer = DeviceRequestWriter([("t", [.init(.init("n", "age_over_18")), .init(.init("n", "a"))])])
            let transcript = SessionTranscript(engagement: sample.bytes, readerKeyBytes: sample.keyBytes)
            return [(try? writer.encoded(transcript: transcript)) ?? []]
        } run: { input in
            guard let request = try? DeviceRequest(input) else { return }
            require((1...DeviceRequest.maximumDocuments).contains(request.documents.count), "a request has documents")
            let transcript = SessionTranscript(engagement: sample.bytes, readerKeyBytes: sample.keyBytes)
            for document in request.documents {
                require((1...DeviceRequest.maximumElements).contains(document.elements.count), "and each has elements")
                let standing = ReaderAuthentication.standing(
                    of: request, document: document, transcript: transcript, authorities: [],
                    at: WallTime(millisecondsSinceEpoch: 1_748_736_000_000))
                if case .known = standing { require(false, "no reader is known without an authority") }
            }
        }
    }

    /// Answers of holders, before their documents are verified.
    static var deviceResponse: FuzzTarget {
        FuzzTarget(name: "device-response", maximumBytes: 2000) {
            let document = CBORItem.ordered([[.text("docType"), .text("t")]])
            return [DeviceResponse.encoded(documents: [document]), DeviceResponse.encoded(documents: [], status: 11)]
        } run: { input in
            guard let response = try? DeviceResponse(input, limit: 2000) else { return }
            require(response.bytes == input, "an answer keeps its bytes")
            require(
                response.refusal != nil || !response.documentTypes.isEmpty, "an answer without a document is a refusal")
        }
    }

    /// Parts of messages, in lengths that the input says.
    static var messageParts: FuzzTarget {
        FuzzTarget(name: "message-parts", maximumBytes: 1000) {
            [[3, 1, 2, 3, 2, 0, 4]]
        } run: { input in
            var assembler = PartAssembler(limit: 200)
            var rest = input[...]
            while let count = rest.popFirst() {
                let part = Array(rest.prefix(Int(count)))
                rest = rest.dropFirst(Int(count))
                guard let message = try? assembler.take(part) else { continue }
                require(message.count <= 200, "a message keeps to its limit")
                var splitter = PartSplitter(message)
                var again = PartAssembler(limit: 200)
                var joined: [UInt8]?
                while let part = splitter.next(mtu: 23) { joined = (try? again.take(part)) ?? nil }
                require(joined == message, "a message that was cut is joined again")
            }
        }
    }
}
