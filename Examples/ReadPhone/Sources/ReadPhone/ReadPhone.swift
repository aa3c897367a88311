// A door asks a phone for an age, and reads the answer with the proof that this phone holds the licence.
//
// An app has the text of the phone's code from a scanner, and a real radio in place of the virtual one.

import FoundationEssentials
import MobileDocuments
import VirtualRadio

@main
struct ReadPhone {
    static func main() async throws {
        let air = VirtualAir.private()
        let now = WallTime(millisecondsSinceEpoch: Int64(Date().timeIntervalSince1970 * 1000))

        // In place of an authority and of a phone's wallet.
        var random = SystemRandom()
        let issuer = try TestMobileIssuer(at: now, random: &random)
        let licence = try issuer.licence(portrait: TestMobileIssuer.portrait(), random: &random)
        let phone = MobileHolder(radio: try await air.makeRadio())
        let code = try await phone.offer([licence], at: now)
        async let shown: Void = show(phone)

        var trust = TrustStore()
        trust.roots = [
            TrustedRoot(
                certificate: issuer.authority,
                purpose: .mobileDocuments(types: [TestMobileIssuer.licenceType], country: TestMobileIssuer.country))
        ]
        let reading = try await read(
            code, VerificationRequest(trust: trust, at: now), on: try await air.makeRadio())
        try await shown
        await air.close()
        print("\(reading.report.result.rawValue): \(reading.returned.ages.map(\.sentence).joined())")
        precondition(reading.report.result == .genuine)
        precondition(reading.returned.ages.map(\.sentence) == ["at least 21; asked 20"])
    }

    /// Reads the phone that shows a code; throws when it returns nothing.
    static func read(
        _ code: String, _ verification: VerificationRequest, on radio: VirtualRadio
    ) async throws -> MobileReading {
        let reader = MobileReader(radio: radio)
        try await reader.read(
            code.utf8, asking: try MobileRequest(asking: "over-20"), verification: verification)
        var reading: MobileReading?
        for await event in reader.events {
            switch event {
            case .ready(let mode, let mtu): print("connected, mode \(mode.rawValue), MTU \(mtu)")
            case .answered(let answer): reading = answer
            case .finished(.failed(let error)): throw error
            default: break
            }
        }
        guard let reading else { throw MobileSessionError(.nothingReturned, "The phone returned nothing.") }
        return reading
    }

    /// Answers what a reader asks for, as a wallet does when its person agrees.
    static func show(_ phone: MobileHolder) async throws {
        for await event in phone.events {
            guard case .requested(let question) = event else { continue }
            for document in question.documents where document.answer != nil {
                print("asked for \(document.elements.map(\.name.identifier).joined(separator: ", "))")
            }
            try await phone.answer()
        }
    }
}
