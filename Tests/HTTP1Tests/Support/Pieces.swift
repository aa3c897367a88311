import Testing

/// Hands bytes to a reader whole, byte by byte and in pieces of 7, and expects the same record each time.
///
/// Returns the record up to U+001F, behind which stands what is compared alone: the part of a body before a refusal.
func inAllPieces(
    _ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation, _ read: ([[UInt8]]) -> String
) -> String {
    let whole = read([bytes])
    for size in [1, 7] {
        let pieces = stride(from: 0, to: bytes.count, by: size).map {
            Array(bytes[$0..<min($0 + size, bytes.count)])
        }
        #expect(read(pieces) == whole, "in pieces of \(size)", sourceLocation: sourceLocation)
    }
    return String(whole.prefix { $0 != "\u{1F}" })
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
