import ByteCoding
import CryptoSuite
import Determinism
import JSON
import TestSupport
import Testing

@testable import DIDComm

@Suite struct SignatureDecoratorTests {
    private let now = WallTime(millisecondsSinceEpoch: 1_735_689_600_999)
    private let payload = Array(#"{"DID": "x"}"#.utf8)

    private func signed() throws -> JSONObject { try SignatureDecorator.sign(payload, at: now, seed: Samples.seed(1)) }

    private func verify(
        _ object: JSONObject, by signers: [UInt8] = [1], now: WallTime? = nil
    ) throws -> SignatureDecorator.VerifiedSignature {
        try SignatureDecorator.verify(
            JSONValueReader(object: object), by: signers.map(Samples.verkey), now: now ?? self.now)
    }

    private func refusal(_ change: (inout JSONObject) throws -> Void) throws -> DIDCommError.Code? {
        var object = try signed()
        try change(&object)
        do {
            _ = try verify(object)
            return nil
        } catch { return (error as? DIDCommError)?.code }
    }

    @Test func `a signed field is read with its signer and its time`() throws {
        let verified = try verify(try signed(), by: [2, 1])
        #expect(verified.payload == payload && verified.seconds == 1_735_689_600)
        #expect(verified.signer == (try Samples.verkey(1)) && verified.timeWarning == nil)
    }

    @Test(.shows("CHK-003")) func `a signed field of another type is refused, and the older prefix is read`() throws {
        #expect(try refusal { $0["@type"] = "https://didcomm.org/signature/1.0/other" } == .signatureType)
        #expect(
            try refusal { $0["@type"] = "https://didcomm.org/signature/2.0/ed25519Sha512_single" } == .signatureType)
        #expect(try refusal { $0["@type"] = "ed25519Sha512_single" } == .signatureType)
        let sov = "did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/signature/1.0/ed25519Sha512_single"
        #expect(try refusal { $0["@type"] = .string(sov) } == nil)
    }

    @Test(.shows("CHK-002"))
    func `a signed field that names another signer than expected is refused before it is verified`() throws {
        #expect(throws: DIDCommError(.signatureWrongSigner, "")) { try verify(try signed(), by: [2]) }
        #expect(try refusal { $0["signer"] = .string(try Samples.verkey(2).base58) } == .signatureWrongSigner)
        #expect(throws: DIDCommError(.signatureWrongSigner, "")) { try verify(try signed(), by: []) }
    }

    @Test(.shows("CHK-001")) func `a signature made by another key than the named signer's is refused`() throws {
        var forged = try SignatureDecorator.sign(payload, at: now, seed: Samples.seed(2))
        forged["signer"] = .string(try Samples.verkey(1).base58)
        #expect(throws: DIDCommError(.signatureInvalid, "")) { try verify(forged) }
    }

    @Test func `a signed field may name its signer in every spelling of a key`() throws {
        let key = try Samples.verkey(1)
        for form in [key.base58, key.didKey, Base64URL.encode(key.bytes), Base64URL.encode(key.bytes, isPadded: true)] {
            #expect(try refusal { $0["signer"] = .string(form) } == nil)
        }
        #expect(try refusal { $0["signer"] = "nobody" } == .signatureMalformed)
    }

    @Test func `any changed byte of a signed field is detected`() throws {
        let data = try #require(Base64URL.decode(try signed()["sig_data"]?.string ?? ""))
        for index in data.indices {
            var changed = data
            changed[index] ^= 1
            #expect(try refusal { $0["sig_data"] = .string(Base64URL.encode(changed)) } == .signatureInvalid)
        }
    }

    @Test func `a signed field with a member missing, of the wrong type or not in base 64 is refused`() throws {
        for name in ["@type", "signature", "sig_data", "signer"] {
            #expect(try refusal { $0[name] = nil } == .signatureMalformed)
            #expect(try refusal { $0[name] = 1 } == .signatureMalformed)
        }
        #expect(try refusal { $0["sig_data"] = "***" } == .signatureMalformed)
        #expect(try refusal { $0["signature"] = "***" } == .signatureMalformed)
        #expect(try refusal { $0["signature"] = "AAAA" } == .signatureInvalid)
    }

    @Test func `a signed field too short for its time is refused although its signature is valid`() throws {
        for (count, code) in [(7, DIDCommError.Code.signatureMalformed), (8, nil)] {
            let data = [UInt8](repeating: 0, count: count)
            let signature = try Ed25519.sign(data, seed: Samples.seed(1))
            #expect(
                try refusal {
                    $0["sig_data"] = .string(Base64URL.encode(data))
                    $0["signature"] = .string(Base64URL.encode(signature))
                } == code)
        }
    }

    @Test func `a signed field's time may be a day off without a warning, and one second more gives a warning`() throws
    {
        let object = try signed()
        let day: Int64 = 86_400_000
        for sign in [-1, 1] as [Int64] {
            let near = WallTime(millisecondsSinceEpoch: 1_735_689_600_000 + sign * day)
            let far = WallTime(millisecondsSinceEpoch: 1_735_689_600_000 + sign * (day + 1000))
            #expect(try verify(object, now: near).timeWarning == nil)
            #expect(try verify(object, now: far).timeWarning == DIDCommError(.signatureTime, ""))
        }
        let zero = try SignatureDecorator.sign(payload, at: WallTime(millisecondsSinceEpoch: -5), seed: Samples.seed(1))
        #expect(try verify(zero).seconds == 0)
        #expect(try verify(zero).timeWarning?.code == .signatureTime)
        #expect(try verify(zero, now: WallTime(millisecondsSinceEpoch: .min)).timeWarning != nil)
    }

    @Test func `a signed payload of 64 KiB is read and a much longer one refused`() throws {
        let longest = [UInt8](repeating: 0x20, count: SignatureDecorator.maximumPayloadBytes)
        #expect(try verify(SignatureDecorator.sign(longest, at: now, seed: Samples.seed(1))).payload == longest)
        let longer = try SignatureDecorator.sign(longest + [1, 2, 3, 4, 5], at: now, seed: Samples.seed(1))
        #expect(throws: DIDCommError(.signatureMalformed, "")) { try verify(longer) }
    }

    @Test func `signing a field with a seed of another length is refused`() {
        #expect(throws: CryptoError(.invalidKey, "")) {
            try SignatureDecorator.sign(payload, at: now, seed: Secret(copying: [1]))
        }
    }

    @Test(.enabled(if: OutsideVectors.arePresent, "\(OutsideVectors.skipped)"))
    func `the generated signed field is valid, and made again byte for byte`() throws {
        let vector = try AriesVectors.read().decorator
        let whole = try #require(try AriesVectors.json()["generated_signature_decorator"]?["connection~sig"])
        let time = WallTime(millisecondsSinceEpoch: vector.timestamp * 1000)
        let signer = try Verkey(parsing: vector.fields.signer)
        let verified = try SignatureDecorator.verify(JSONValueReader(whole), by: [signer], now: time)
        #expect(verified.seconds == UInt64(vector.timestamp) && verified.timeWarning == nil)
        let made = try SignatureDecorator.sign(
            verified.payload, at: time, seed: Secret(copying: vector.seedASCII.utf8))
        #expect(JSONValue.object(made) == whole)
        let document = try JSONValue(parsing: verified.payload)
        let reader = try JSONValueReader(document).member("DIDDoc")
        let read = try StaticDIDResolver().resolve(
            DIDDocument(reading: reader, of: DID(parsing: document["DID"]?.string ?? "")))
        #expect(read.authenticationKeys == [signer])
    }
}
