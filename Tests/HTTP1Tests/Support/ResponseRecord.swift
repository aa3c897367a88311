import HTTP1
import Testing

/// Returns the events that a reader of HTTP responses reports for bytes, as one text.
///
/// Status, `+` and the body, `.` for the end and, behind a slash, the bytes left unread; the cause of a refusal;
/// `?` where it is unfinished.
///
/// - Parameter ends: True when the connection ends behind the bytes.
func response(
    _ bytes: [UInt8], to request: HTTPResponseReader.Request = .ordinary, ends: Bool = false,
    _ limits: HTTPResponseReader.Limits = .init(), sourceLocation: SourceLocation = #_sourceLocation
) -> String {
    inAllPieces(bytes, sourceLocation: sourceLocation) { pieces in
        var reader = HTTPResponseReader(to: request, limits: limits)
        var (record, body): (String, [UInt8]) = ("", [])
        for (index, piece) in pieces.enumerated() {
            var position = 0
            loop: while true {
                switch reader.next(in: piece.span, from: &position) {
                case .needsMore: break loop
                case .head(let head): record += "\(head.status)"
                case .body(let range): body += piece[range]
                case .end:
                    let left = piece[position...] + pieces[(index + 1)...].joined()
                    return record + (body.isEmpty ? "." : "+\(text(body)).") + (left.isEmpty ? "" : "/\(text(left))")
                case .refused(let fault): return "\(record)\(fault.cause)\u{1F}\(text(body))"
                }
            }
        }
        guard ends else { return record + "?" }
        switch reader.endOfInput() {
        case .end: return record + (body.isEmpty ? "." : "+\(text(body)).")
        case .refused(let fault): return record + "\(fault.cause)"
        default: return record + "!"
        }
    }
}

func response(
    _ text: String, to request: HTTPResponseReader.Request = .ordinary, ends: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
) -> String {
    response(bytes(text), to: request, ends: ends, sourceLocation: sourceLocation)
}
