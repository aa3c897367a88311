#if canImport(CSodium)
    /// The bare operations of libsodium that an envelope to one recipient cannot do without: a sealed box and the content's
    /// cipher.
    ///
    /// For measuring how much is added to them, and for nothing else: memory is taken beforehand, and nothing is written
    /// that an envelope needs beside its ciphertexts.
    package struct BareEnvelope {
        private let boxed: [UInt8]
        private let message: [UInt8]
        private let additionalData: [UInt8]
        private let contentKey = Secret(copying: 0..<32)
        private let nonce = [UInt8](repeating: 5, count: AEADLayout.nonceCount)
        private let publicKey: [UInt8]
        private let privateKey = Secret(copying: 1...32)
        private var box: [UInt8]
        private var openedBox: [UInt8]
        private var sealed: [UInt8]
        private var opened: [UInt8]

        /// Prepares for a message of `messageCount` bytes whose sealed box holds `boxedCount` and whose header has
        /// `headerCount`.
        package init(messageCount: Int, boxedCount: Int, headerCount: Int) throws(CryptoError) {
            boxed = [UInt8](repeating: 1, count: boxedCount)
            message = [UInt8](repeating: 2, count: messageCount)
            additionalData = [UInt8](repeating: 3, count: headerCount)
            publicKey = try X25519.publicKey(for: privateKey)
            box = [UInt8](repeating: 0, count: boxedCount + SealedBox.overheadCount)
            openedBox = boxed
            sealed = [UInt8](repeating: 0, count: messageCount + AEADLayout.tagCount)
            opened = message
            _ = seal()
        }

        /// Seals box and content; false when the library refuses.
        package mutating func seal() -> Bool {
            BackEnd.bareSealedBox(boxed, to: publicKey, into: &box)
                && BackEnd.bareContentSealing(
                    message, key: contentKey, nonce: nonce, additionalData: additionalData, into: &sealed)
        }

        /// Opens what was sealed last; false when it does not open.
        package mutating func open() -> Bool {
            BackEnd.bareSealedBoxOpening(box, publicKey, privateKey, into: &openedBox)
                && BackEnd.bareContentOpening(
                    sealed, key: contentKey, nonce: nonce, additionalData: additionalData, into: &opened)
                && opened.count == message.count
        }

        /// What came out last.
        package var result: (boxed: [UInt8], message: [UInt8]) { (openedBox, opened) }
    }
#endif
