import CBOR
import COSE
import Credentials
import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import MobileSession

/// One byte after another of the published session is changed.
@Suite(.enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.skipped)))
struct AnnexDChangesTests {
    private static let judgedAt = WallTime(millisecondsSinceEpoch: 1_601_596_800_000)

    /// The check that a change fails, or what the change does although no check fails.
    private enum ChangeEffect: Hashable {
        case refused(String)
        /// Elements are missing, and the reader says so.
        case missing
        case none
    }

    private static func code(_ body: () throws(MobileSessionError) -> [UInt8]?) -> ChangeEffect {
        do throws(MobileSessionError) {
            return try body() == nil ? .refused("mdoc.session-decrypt") : .none
        } catch {
            return .refused(error.code.rawValue)
        }
    }

    /// Changes bytes at a distance of `step`, each by another bit pattern, and counts the effects.
    private static func effects(
        of bytes: [UInt8], step: Int, _ judge: ([UInt8]) throws -> ChangeEffect
    ) rethrows -> (count: Int, effects: [ChangeEffect: [Int]]) {
        var found: [ChangeEffect: [Int]] = [:]
        var count = 0
        for index in stride(from: 0, to: bytes.count, by: step) {
            var changed = bytes
            changed[index] ^= UInt8(index % 255 + 1)
            found[try judge(changed), default: []].append(index)
            count += 1
        }
        return (count, found)
    }

    @Test(.shows("MS7"))
    func `a changed byte of the published first message is refused by form, curve or decryption`() throws {
        let published = try AnnexD.contents("session-establishment.cbor")
        let transcript = try #require(try CBORValue(parsing: AnnexD.transcript().bytes).array)
        let own = AgreementKey.ecdsa(try AnnexD.key("ephemeral_device"))
        func judge(_ bytes: [UInt8]) -> ChangeEffect {
            Self.code { () throws(MobileSessionError) in
                let message = try SessionEstablishment(bytes, limit: 1 << 16)
                let changed = SessionTranscript(
                    encoded: CBORItem.array([
                        .raw(Array(transcript[0].encoding)), .raw(message.readerKeyBytes),
                        .raw(Array(transcript[2].encoding)),
                    ]).encoded)
                guard let secret = try? own.sharedSecret(with: message.readerKey),
                    var cipher = try? SessionCipher(side: .holder, secret: secret, transcript: changed)
                else { throw MobileSessionError(.engagementCurve, "") }
                return cipher.open(message.data)
            }
        }
        #expect(judge(published) == .none)
        let (count, effects) = Self.effects(of: published, step: 1, judge)
        #expect(count == published.count && count > 800)
        #expect(effects[.none] == nil)
        let codes: Set<ChangeEffect> = [
            .refused("mdoc.session-cbor"), .refused("mdoc.session-decrypt"), .refused("mdoc.broken-off"),
            .refused("mdoc.engagement-curve"),
        ]
        #expect(codes.isSuperset(of: effects.keys), "\(effects.keys)")
    }

    @Test(.shows("MS7"))
    func `a changed byte of the published second message is refused by form or decryption`() throws {
        let published = try AnnexD.contents("session-data.cbor")
        let secret = try AgreementKey.ecdsa(AnnexD.key("ephemeral_reader"))
            .sharedSecret(with: .ecdsa(AnnexD.key("ephemeral_device").publicKey))
        let cipher = try SessionCipher(side: .reader, secret: secret, transcript: AnnexD.transcript())
        func judge(_ bytes: [UInt8]) -> ChangeEffect {
            Self.code { () throws(MobileSessionError) in
                var copy = cipher
                return copy.open(try SessionData(bytes, limit: 1 << 16).data ?? [])
            }
        }
        #expect(judge(published) == .none)
        let (count, effects) = Self.effects(of: published, step: 5, judge)
        #expect(count > 700)
        #expect(effects[.none] == nil)
        let codes: Set<ChangeEffect> = [
            .refused("mdoc.session-cbor"), .refused("mdoc.session-decrypt"), .refused("mdoc.broken-off"),
        ]
        #expect(codes.isSuperset(of: effects.keys), "\(effects.keys)")
    }

    /// Below the encryption, whose tag would refuse each of these changes before.
    @Test func `a changed byte of the published answer fails a check, or its elements are missing`() throws {
        let published = try AnnexD.contents("device-response.cbor")
        var request = VerificationRequest(trust: TrustStore(), at: Self.judgedAt)
        request.trust.roots = [
            TrustedRoot(
                certificate: try AnnexD.contents("ds-certificate.der"),
                purpose: .mobileDocuments(types: [], country: nil))
        ]
        request.trust.roots[0].isLenient = true
        request.policy.requiresHolderProof = true
        request.session = try MobileDocumentSession(
            transcript: AnnexD.transcript().bytes, agreementKey: .ecdsa(AnnexD.key("ephemeral_reader")))
        let asked = try DeviceRequest(AnnexD.contents("device-request.cbor")).documents.map {
            MobileRequest.RequestedDocument(type: $0.type, elements: $0.elements)
        }
        func judge(_ bytes: [UInt8]) -> ChangeEffect {
            let response: DeviceResponse
            do throws(MobileSessionError) {
                response = try DeviceResponse(bytes, limit: 1 << 16)
                if let error = response.refusal { throw error }
            } catch {
                return .refused(error.code.rawValue)
            }
            let report = MobileDocumentVerifier(request).verify(bytes)
            guard report.result == .genuine else {
                let check = report.checks.first { $0.outcome == .failed } ?? report.checks.first { $0.code != nil }
                return .refused(check?.code?.rawValue ?? "none")
            }
            return response.compared(with: MobileRequest(asked))?.missing.isEmpty == true ? .none : .missing
        }
        #expect(judge(published) == .none)
        let (count, effects) = Self.effects(of: published, step: 6, judge)
        let untouched = try #require(published.firstRange(of: Array("1.0".utf8))?.last)
        #expect(count > 500)
        #expect(Set(effects[.none] ?? []).isSubset(of: [untouched]), "\(effects[.none] ?? [])")
        #expect(effects[.refused("none")] == nil)
        let names = try #require(published.firstRange(of: Array("nameSpaces".utf8)))
        #expect((effects[.missing] ?? []).allSatisfy { names.contains($0) })
        #expect(effects.count > 5)
    }
}
