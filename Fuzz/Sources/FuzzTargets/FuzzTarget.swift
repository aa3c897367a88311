/// One part of the package under fire: takes any bytes, and traps when a promise is broken.
struct FuzzTarget {
    /// The name of the target for the option `--target=`.
    let name: String
    /// The longest input that is tried.
    let maximumBytes: Int
    /// Inputs to begin with, made by our own encoders.
    let seeds: () -> [[UInt8]]
    /// Runs one input.
    let run: ([UInt8]) -> Void

    /// All targets; `planted` is the one that must fail.
    static var all: [FuzzTarget] {
        [
            .uri, .text, .json, .cbor, .mobileDocument, .sessionTranscript, .cwt,
            .advertisement, .sightings, .att, .l2cap, .gattServer, .gattClient, .verifier, .wallet,
            .assembler, .report, .gzip, .sealed, .capture, .airMessage, .airHost, .recording, .inspect, .faultPlan,
            .proximityLog, .agentSettings, .allowList,
            .urlGuard, .httpTarget, .proxyHeader, .forwardedField, .httpRequest, .httpResponse, .webSocketFrames,
            .peerDID, .didDocument, .didLookup, .jws, .envelope, .invitation,
            .ariesMessage, .mediatorMessage, .mediatorForward,
            .credentialToken, .credentialDisclosure, .credentialDocument, .selectiveProof, .trustFile, .trustMaterial,
            .statusList, .nQuads, .linkedDocument, .walletRequest, .presentationRequest, .requestAnswer,
            .vaultRecord, .vaultKey, .vaultExport, .vaultExportFrame,
            .certificate, .revocationList, .derSignature,
            .heraldAdvert, .heraldFrame, .heraldPayload, .heraldNode,
            .management, .busProperties,
            .code, .base45, .aadhaar,
            .pictureHeader, .picture,
            .engagement, .establishment, .sessionData, .deviceRequest, .deviceResponse, .messageParts,
            .planted,
        ]
    }
}

/// Stops the run with a finding unless `holds`.
func require(_ holds: Bool, _ promise: @autoclosure () -> String, line: Int = #line, file: String = #fileID) {
    guard !holds else { return }
    fatalError("broken promise: \(promise()) (\(file), line \(line))")
}
