import CodeReader

/// Reads the codes of a picture that is given where a credential or the text of a code may stand.
package enum PictureFile {
    /// The first bytes of pictures and pages, also of kinds that are not read, so that the error says what to do.
    private static let beginnings: [[UInt8]] =
        [
            [0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF], [0x49, 0x49, 0x2A, 0x00], [0x4D, 0x4D, 0x00, 0x2A],
        ] + ["GIF8", "RIFF", "%PDF-", "<svg", "<?xml"].map { Array($0.utf8) }

    /// Returns the bytes of each code in a picture, in reading order; nil for bytes that begin as no picture.
    ///
    /// - Throws: `picture.…`.
    package static func codes(in bytes: [UInt8]) throws -> [[UInt8]]? {
        guard beginnings.contains(where: bytes.starts) || bytes.dropFirst(4).starts(with: "ftyp".utf8) else {
            return nil
        }
        return try CodeReader.codes(in: CodePicture(file: bytes)).map(\.bytes)
    }
}
