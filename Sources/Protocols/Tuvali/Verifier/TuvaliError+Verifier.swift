import ByteCoding

extension ChunkLayout {
    /// Reads the payload length that a wallet announces over a link with `mtu`; throws above `limit` sealed bytes.
    init(announcedBy value: [UInt8], mtu: Int, limit: Int) throws(TuvaliError) {
        var reader = ByteReader(value)
        guard let announced = reader.bigEndian(UInt32.self) else {
            throw TuvaliError(.verifierSizeMalformed, "A length has four bytes, this one \(value.count).")
        }
        guard announced > 0 else { throw TuvaliError(.verifierSizeZero, "The wallet announced nothing.") }
        guard ChunkLayout.writeBytes(mtu: mtu) >= ChunkLayout.smallestWriteBytes else { throw .smallMTU(mtu) }
        guard announced <= UInt32(clamping: limit), let layout = ChunkLayout(totalBytes: Int(announced), mtu: mtu)
        else {
            throw TuvaliError(
                .verifierSizeTooLarge, "The wallet announced \(announced) bytes; \(limit) are allowed.")
        }
        self = layout
    }
}

extension TuvaliError {
    static func smallMTU(_ mtu: Int) -> TuvaliError {
        TuvaliError(
            .verifierMTUTooSmall, "The wallet's ATT MTU is \(mtu); a write must hold 64 bytes, which takes 67.")
    }

    static func malformedIdentify(_ count: Int) -> TuvaliError {
        TuvaliError(.verifierIdentifyMalformed, "An identify request has 44 bytes, this one \(count).")
    }

    static func foreignWrite(_ characteristic: TuvaliCharacteristic) -> TuvaliError {
        TuvaliError(.verifierForeignLink, "Another device wrote \(characteristic.rawValue) into the session.")
    }

    static func outOfTurn(_ characteristic: TuvaliCharacteristic) -> TuvaliError {
        TuvaliError(.verifierOutOfTurn, "\(characteristic.rawValue) came out of turn.")
    }

    static func sizeMissing(_ reason: String) -> TuvaliError { TuvaliError(.verifierSizeMissing, reason) }

    static func tooMuchMissing(_ count: Int, of chunkCount: Int) -> TuvaliError {
        TuvaliError(.verifierTooManyMissingChunks, "\(count) of \(chunkCount) chunks are missing.")
    }

    static let lowOrderWalletKey = TuvaliError(.verifierLowOrderKey, "The wallet's key gives no secret.")
    static let tooManyReports = TuvaliError(
        .verifierTooManyReports, "The wallet asked for more reports than any wallet needs.")
    static let nobodyCame = TuvaliError(.verifierNobodyCame, "No wallet identified itself in time.")
    static let silentDevice = TuvaliError(
        .verifierIdentifyTimeout, "A device connected and did not identify itself.")
    static let stalledWallet = TuvaliError(.verifierTransferTimeout, "The transfer stood still.")
    static let undecided = TuvaliError(
        .verifierDecisionTimeout, "The credential was not decided about in time.")

    static func lostWallet(_ end: LinkEndCause) -> TuvaliError {
        switch end {
        case .peer: TuvaliError(.peerDisconnected, "The wallet disconnected before the hand-over was complete.")
        case .lost, .local: TuvaliError(.linkLost, "The link to the wallet was lost.")
        }
    }

    init(_ failure: SealedPayload.OpeningFailure) {
        switch failure {
        case .notAuthentic: self.init(.verifierNotAuthentic, "The payload is not what the wallet sealed.")
        case .notGzip: self.init(.verifierNotGzip, "The payload is not a gzip stream.")
        case .tooLarge: self.init(.verifierPayloadTooLarge, "The payload unzips to more than is allowed.")
        }
    }
}
