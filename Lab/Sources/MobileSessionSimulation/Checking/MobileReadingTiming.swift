import Air
package import Bluetooth
import COSE
import CryptoSuite
import Determinism
package import MobileSession

/// The times of one undisturbed reading on a simulated link, whose person agrees at once.
package struct MobileReadingTiming: Sendable {
    /// From the code to State 01.
    package let setup: Duration
    /// From State 01 to the whole answer at the reader: request, proof and answer.
    package let transfer: Duration
    /// The bytes of the encrypted answer.
    package let messageBytes: Int
    /// The answer, decrypted.
    package let response: [UInt8]
    /// The keys of the session at the reader, by which the device's proof is verified.
    package let keys: MobileSessionKeys

    /// Carries out the reading of a document over `link`; nil where it does not complete.
    ///
    /// Throws the errors of making keys and sessions.
    ///
    /// - Parameters:
    ///   - mode: the one mode that is offered.
    ///   - mtu: the ATT MTU that both sides propose.
    package init?(
        _ document: HeldMobileDocument, asking request: MobileRequest, mode: MobileMode, mtu: Int,
        link: LinkParameters, seed: UInt64
    ) throws {
        var random = SeededRandom(seed: seed)
        let (readerKey, holderKey) = (
            AgreementKey.ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random)),
            AgreementKey.ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
        )
        let uuid = BluetoothUUID(high: random.nextWord(), low: random.nextWord())
        let offer = DeviceEngagement.BluetoothOffer(
            peripheralServer: mode == .peripheralServer ? uuid : nil, centralClient: mode == .centralClient ? uuid : nil
        )
        let holder = try HolderSession(key: holderKey, bluetooth: offer)
        var keysOfReader: MobileSessionKeys?
        let reader = try ReaderSession(holder.engagement, modes: [mode], key: readerKey) {
            (keys) throws(MobileSessionError) in
            keysOfReader = keys
            do throws(CryptoError) {
                return try request.writer.encoded(transcript: keys.transcript)
            } catch {
                throw MobileSessionError(.sessionInternal, error.reason)
            }
        }
        let person = MobilePerson(answer: { asked, keys in
            let documents = asked.documents.filter { $0.type == document.type }.compactMap {
                try? document.document(with: document.answer(to: $0), in: keys)
            }
            return DeviceResponse.encoded(documents: documents)
        })
        var world = SimulatedWorld(seed: seed)
        let conditions = DeviceRadioConditions(link: link)
        _ = world.add(MobilePartyHost(holder, person: person, maximumMTU: mtu), conditions: conditions)
        guard let device = world.add(MobilePartyHost(reader, maximumMTU: mtu), conditions: conditions) else {
            return nil
        }
        world.run(until: .zero + .seconds(60)) { world in
            world.host(device, as: MobilePartyHost<ReaderSession>.self)?.record.endings.isEmpty == true
        }
        guard let record = world.host(device, as: MobilePartyHost<ReaderSession>.self)?.record,
            let started = record.times.started, let ready = record.times.ready, let answered = record.times.answered,
            let response = record.answers.first, let keysOfReader
        else { return nil }
        setup = ready - started
        transfer = answered - ready
        // The answer with its tag of 16 bytes, in a map with one member.
        messageBytes = SessionData(data: response + [UInt8](repeating: 0, count: 16)).encoded.count
        self.response = response
        keys = keysOfReader
    }
}
