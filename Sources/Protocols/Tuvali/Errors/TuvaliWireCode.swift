/// The fourteen error codes of the Tuvali documentation.
///
/// Shape: component and role (`TUV`, `TVW`, `TVV`), stage, number, joined by underscores. Source: Tuvali documentation
/// (docs.mosip.io) "Error Codes And Error Scenarios".
public enum TuvaliWireCode: String, Hashable, Sendable, CaseIterable {
    /// UnknownException: an error whose role is not known.
    case unknown = "TUV_UNK_001"
    /// WalletUnknownException: the wallet's radio failed in a way that has no code of its own.
    case walletUnknown = "TVW_UNK_001"
    /// CentralStateHandlerException: the wallet could not read a message of the verifier.
    case centralStateHandler = "TVW_UNK_002"
    /// WalletTransferHandlerException: the wallet could not continue the transfer.
    case walletTransferHandler = "TVW_UNK_003"
    /// VerifierUnknownException: the verifier's radio failed in a way that has no code of its own.
    case verifierUnknown = "TVV_UNK_001"
    /// PeripheralStateHandlerException: the verifier could not read a message of the wallet.
    case peripheralStateHandler = "TVV_UNK_002"
    /// VerifierTransferHandlerException: the verifier could not assemble or decrypt the payload.
    case verifierTransferHandler = "TVV_UNK_003"
    /// The code of InvalidURIException in the Tuvali documentation.
    case invalidURI = "TVW_CON_001"
    /// The code of MTUNegotiationException in the Tuvali documentation.
    case mtuNegotiation = "TVW_CON_002"
    /// The code of ServiceNotFoundException in the Tuvali documentation.
    case serviceNotFound = "TVW_CON_003"
    /// The code of TransferFailedException in the Tuvali documentation.
    case transferFailed = "TVW_REP_001"
    /// The code of UnsupportedMTUSizeException in the Tuvali documentation.
    case unsupportedMTUSize = "TVV_CON_001"
    /// CorruptedChunkReceivedException: raised for an impossible size.
    case corruptedChunkReceived = "TVV_TRA_001"
    /// TooManyFailureChunksException: more than 70 % of the chunks are missing.
    case tooManyFailureChunks = "TVV_TRA_002"

    /// The stage of a session in which an error arises.
    public enum Stage: String, Hashable, Sendable, CaseIterable {
        /// The stage before the payload: QR code, link, MTU and service.
        case connection = "CON"
        /// The stage in which keys are agreed; no code names it.
        case keyExchange = "KEX"
        /// The stage in which the payload is sealed; no code names it.
        case encryption = "ENC"
        /// The stage in which chunks are transferred.
        case transfer = "TRA"
        /// The stage in which the wallet requests the transfer report.
        case report = "REP"
        /// The stage in which the payload is opened; no code names it.
        case decryption = "DEC"
        /// The stage is not known.
        case unknown = "UNK"
    }

    /// The stage that the code names; key exchange, encryption and decryption are named by no code.
    public var stage: Stage {
        switch self {
        case .unknown, .walletUnknown, .centralStateHandler, .walletTransferHandler: .unknown
        case .verifierUnknown, .peripheralStateHandler, .verifierTransferHandler: .unknown
        case .invalidURI, .mtuNegotiation, .serviceNotFound, .unsupportedMTUSize: .connection
        case .transferFailed: .report
        case .corruptedChunkReceived, .tooManyFailureChunks: .transfer
        }
    }
}
