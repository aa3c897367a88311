import HTTP1
import Testing

/// Returns the events that a reader of HTTP requests reports for the bytes of a connection, as one text.
///
/// `GET /a` for a header, `+` and the body, `.` for an end, a status for a refusal, `?` where a request is unfinished.
func requests(
    _ bytes: [UInt8], _ limits: HTTPRequestReader.Limits = .init(), sourceLocation: SourceLocation = #_sourceLocation
) -> String {
    inAllPieces(bytes, sourceLocation: sourceLocation) { pieces in
        var reader = HTTPRequestReader(limits: limits)
        var (record, body): (String, [UInt8]) = ("", [])
        for piece in pieces {
            var position = 0
            loop: while true {
                switch reader.next(in: piece.span, from: &position) {
                case .needsMore: break loop
                case .head(let head): record += "\(head.method) \(head.target)"
                case .body(let range): body += piece[range]
                case .end:
                    record += body.isEmpty ? "." : "+\(text(body))."
                    body = []
                case .refused(let fault): return "\(record)\(fault.status)\u{1F}\(text(body))"
                }
            }
        }
        return reader.isIdle ? record : record + "?"
    }
}

func requests(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) -> String {
    requests(bytes(text), sourceLocation: sourceLocation)
}

/// Parses the first HTTP request header in a text.
func head(_ text: String) -> HTTPRequestHead? {
    var reader = HTTPRequestReader()
    var position = 0
    guard case .head(let head) = reader.next(in: bytes(text).span, from: &position) else { return nil }
    return head
}
