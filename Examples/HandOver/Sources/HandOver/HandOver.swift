// A wallet and a verifier in one process, on a virtual air: what an app does with the library, and nothing else.
//
// Put the two halves into two apps, give each the radio of its device instead of a virtual one, and let the verifier's
// URI travel as a QR code.

import TuvaliHandover
import VirtualRadio

/// The verifier's half: shows a code, takes one credential, answers with its decision.
struct Receiver {
    let verifier: Verifier

    init(radio: any PeripheralRadio) {
        verifier = Verifier(radio: radio)
    }

    /// Begins to advertise and returns what the QR code shows.
    func open() async throws -> TuvaliURI {
        try await verifier.start(name: "Example desk")
    }

    /// Returns the credential, or throws the cause of failure.
    func receive() async throws -> [UInt8] {
        var credential: [UInt8]?
        for await event in verifier.events {
            switch event {
            case .received(let payload, _):
                credential = payload
                // An app checks the credential here; the wallet waits for this answer.
                try await verifier.decide(.accepted)
            case .refused(let error): print("desk: passed over a message (\(error.code.rawValue))")
            case .error(let error): throw error
            case .disconnected(let ending):
                if let error = ending.error { throw error }
            default: break
            }
        }
        guard let credential else { throw CancellationError() }
        return credential
    }
}

/// The wallet's half: finds the verifier of a code, asks its user, sends.
struct Holder {
    let wallet: Wallet

    init(radio: any CentralRadio) {
        wallet = Wallet(radio: radio)
    }

    /// Returns the verifier's decision, or throws the cause of failure.
    func handOver(_ credential: [UInt8], to code: String) async throws -> VerificationStatus {
        let uri = try TuvaliURI(parsing: code)
        print("wallet: \(uri.name), \(KeyCheckWords.words(for: uri.key).joined(separator: " "))")
        try await wallet.connect(to: uri)
        for await event in wallet.events {
            switch event {
            case .secureChannelEstablished:
                // An app asks its user here.
                try await wallet.send(credential)
            case .progress(let progress): print("wallet: \(progress.bytes) of \(progress.totalBytes) bytes")
            case .linkReport(let report): print("wallet: held up by \(report.bottleneck.rawValue)")
            case .error(let error): throw error
            case .disconnected(.completed(let status)): return status
            case .disconnected(let ending):
                if let error = ending.error { throw error }
            default: break
            }
        }
        throw CancellationError()
    }
}

@main
struct HandOver {
    static func main() async throws {
        let air = VirtualAir.private()
        let receiver = Receiver(radio: try await air.makeRadio())
        let holder = Holder(radio: try await air.makeRadio())
        let code = try await receiver.open().text
        let credential = Array(#"{"type": ["VerifiableCredential"], "credentialSubject": {"name": "Sample"}}"#.utf8)

        async let received = receiver.receive()
        let status = try await holder.handOver(credential, to: code)
        print("desk: received \(try await received == credential ? "the same" : "other") bytes; wallet: \(status)")
        await air.close()
    }
}
