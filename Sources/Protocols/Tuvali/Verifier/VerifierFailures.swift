import ByteCoding

extension ChunkLayout {
    /// Reads the length that a wallet announces over a link with `mtu`; at most `limit` sealed bytes are allowed.
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

    static func lostWallet(_ end: LinkEnd) -> TuvaliError {
        switch end {
        case .peer: TuvaliError(.peerDisconnected, "The wallet disconnected before the hand-over was complete.")
        case .lost, .local: TuvaliError(.linkLost, "The link to the wallet was lost.")
        }
    }

    init(_ failure: SealedPayload.OpeningFailure) {
        switch failure {
        case .notAuthentic: self.init(.verifierNotAuthentic, "The payload is not what the wallet sealed.")
        case .notGzip: self.init(.verifierNotGzip, "The payload is no gzip stream.")
        case .tooLarge: self.init(.verifierPayloadTooLarge, "The payload unzips to more than is allowed.")
        }
    }
}
