import Determinism
import Simulation

// What a wallet writes; nothing is checked against what came before.
extension StockVerifier {
    mutating func written(
        _ characteristic: StockCharacteristic, _ value: [UInt8], at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) {
        switch characteristic {
        case .identify: identify(value, at: now, into: &commands)
        case .responseSize: announced(value, at: now, into: &commands)
        case .submitResponse:
            if assembler?.take(value) == .outOfRange { fail(.verifierTransfer, at: now, into: &commands) }
        case .reportRequest:
            if value.first == 1 { report(at: now, into: &commands) }
        case .requestSize, .request, .reportResponse, .verificationStatus, .disconnect: break
        }
    }

    private mutating func identify(_ value: [UInt8], at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard value.count >= 44 else { return }
        let derived = StockCipher(
            privateKey: setup.privateKey, peerKey: Array(value[12..<44]), nonce: Array(value.prefix(12)))
        guard let derived else { return fail(.verifierPeripheral, at: now, into: &commands) }
        cipher = derived
        isReady = true
        commands.append(.stopAdvertising)
        journal.add(.secureChannelEstablished, at: now)
    }

    private mutating func announced(_ value: [UInt8], at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard value.count >= 4 else { return fail(.verifierPeripheral, at: now, into: &commands) }
        let size = value.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let signed = Int32(bitPattern: size)
        if signed < 0 { return crash("an array cannot have \(signed) bytes", into: &commands) }
        // An exception that is only logged; the report request comes to grief over it.
        if signed == 0 {
            assembler = nil
            return
        }
        guard signed <= Self.memoryBytes else { return crash("no memory for \(signed) bytes", into: &commands) }
        assembler = StockAssembler(totalBytes: Int(signed), writeBytes: writeBytes)
    }

    private mutating func report(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard let assembler else { return crash("a report was asked for before a size", into: &commands) }
        guard !assembler.isComplete else { return succeed(assembler, at: now, into: &commands) }
        let missing = assembler.missing
        guard Double(missing.count) <= 0.7 * Double(assembler.chunkCount) else {
            return fail(.tooManyFailures, at: now, into: &commands)
        }
        push(StockReport.bytes(missing: missing, writeBytes: writeBytes), of: .reportResponse, at: now, into: &commands)
    }

    /// Says success first, then looks whether it is one; does so again on every further request.
    private mutating func succeed(
        _ assembler: StockAssembler, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        push(StockReport.bytes(missing: [], writeBytes: writeBytes), of: .reportResponse, at: now, into: &commands)
        guard let payload = cipher?.open(assembler.bytes) else {
            return fail(.verifierTransfer, at: now, into: &commands)
        }
        journal.add(
            .dataReceived(payload, corruptChunkCount: assembler.corruptCount, chunkCount: assembler.chunkCount),
            at: now)
        if setup.decision != nil { agenda.add(.decide, at: now + setup.decisionDelay) }
    }

    mutating func decide(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard let decision = setup.decision else { return }
        push([decision == 0 ? 0 : 1], of: .verificationStatus, at: now, into: &commands)
    }
}
