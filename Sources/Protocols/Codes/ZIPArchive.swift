import ByteCoding
import Compression
import Credentials

/// Reads one file of a ZIP archive (PKWARE APPNOTE 6.3, sections 4.3.7 and 4.3.12).
enum ZIPArchive {
    /// The most files of an archive whose names are looked at.
    private static let maximumFiles = 16

    /// Returns the content of a stored or deflated file; its length and CRC-32 must fit.
    ///
    /// Throws `code.compression` and `code.limit-size`.
    static func file(named name: String, in bytes: [UInt8]) throws(CredentialError) -> [UInt8] {
        let damaged = CredentialError(.codeCompression, "The ZIP archive is damaged, or has no \(name).")
        func number(_ count: Int, at place: Int) throws(CredentialError) -> Int {
            guard place >= 0, place + count <= bytes.count else { throw damaged }
            return Int(littleEndianBytes: bytes[place..<(place + count)])
        }
        // The record of the end is the last 22 bytes of an archive without a comment.
        let end = bytes.count - 22
        guard try number(4, at: end) == 0x0605_4B50 else { throw damaged }
        var place = try number(4, at: end + 16)
        for _ in 0..<min(try number(2, at: end + 10), maximumFiles) {
            guard try number(4, at: place) == 0x0201_4B50 else { throw damaged }
            let nameCount = try number(2, at: place + 28)
            let next = place + 46 + nameCount
            guard next <= bytes.count else { throw damaged }
            guard bytes[(place + 46)..<next].elementsEqual(name.utf8) else {
                place = next + (try number(2, at: place + 30)) + (try number(2, at: place + 32))
                continue
            }
            let (method, check) = (try number(2, at: place + 10), try number(4, at: place + 16))
            let (packed, count) = (try number(4, at: place + 20), try number(4, at: place + 24))
            let local = try number(4, at: place + 42)
            let start = local + 30 + (try number(2, at: local + 26)) + (try number(2, at: local + 28))
            guard start <= bytes.count, packed <= bytes.count - start else { throw damaged }
            let content = Array(bytes[start..<(start + packed)])
            let file =
                method == 0
                ? content
                : try CredentialError.converting { () throws(CompressionError) in
                    try Deflate.decompress(content, limits: CodeLimits.decompression)
                }
            guard method == 0 || method == 8, file.count == count, Int(CRC32.checksum(of: file)) == check else {
                throw damaged
            }
            return file
        }
        throw damaged
    }
}
