@testable import HTTP1

extension FuzzTarget {
    /// The bytes of a connection to a server: requests behind each other.
    static var httpRequest: FuzzTarget {
        FuzzTarget(name: "http-request", maximumBytes: 2000) {
            [
                "GET /a?b=%20 HTTP/1.1\r\nHost: a:80\r\nConnection: close, x\r\n\r\n",
                "\r\nPOST http://[::1]/a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nhiGET / HTTP/1.0\r\n\r\n",
                "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;a=\"b\\\"\" ; c\r\nhi\r\n0\r\nX: y\r\n\r\nTRACE",
                "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
            ].map { Array($0.utf8) }
        } run: { input in
            compare(input) { RequestRecord().read($0) }
        }
    }

    /// The bytes of a server behind one request; the first byte says what was asked for and whether the connection ends.
    static var httpResponse: FuzzTarget {
        FuzzTarget(name: "http-response", maximumBytes: 2000) {
            [
                "0HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "4HTTP/1.0 200 OK\r\n\r\nhi",
                "0HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404\r\nTransfer-Encoding: chunked\r\n\r\n2;a\r\nhi\r\n0\r\nX: y\r\n\r\n",
                "1HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", "2HTTP/1.1 101 Switching Protocols\r\n\r\nframes",
                "3HTTP/1.1 200 OK\r\n\r\nTLS",
            ].map { Array($0.utf8) }
        } run: { input in
            guard let first = input.first else { return }
            let kinds: [HTTPResponseReader.Request] = [.ordinary, .head, .upgrade, .tunnel]
            compare(Array(input.dropFirst())) { pieces in
                responseRecord(pieces, to: kinds[Int(first & 3)], ends: first & 4 != 0)
            }
        }
    }

    /// The bytes of one side of a WebSocket; the first byte says which.
    static var webSocketFrames: FuzzTarget {
        FuzzTarget(name: "web-socket-frames", maximumBytes: 1000) {
            let text = WebSocketFrameWriter.frame(.text, isFinal: false, Array("a\u{20AC}".utf8), mask: 0x1122_3344)
            let rest = WebSocketFrameWriter.frame(.continuation, Array("b".utf8), mask: 0x5566_7788)
            let ping = WebSocketFrameWriter.frame(.ping, [1, 2, 3], mask: 0x99AA_BBCC)
            let close = WebSocketFrameWriter.closePayload(1001, reason: "bye")
            return [
                [0] + text + ping + rest + WebSocketFrameWriter.frame(.close, close, mask: 1),
                [1] + WebSocketFrameWriter.frame(.binary, [UInt8](repeating: 7, count: 130))
                    + WebSocketFrameWriter.frame(.close, close),
            ]
        } run: { input in
            guard let first = input.first else { return }
            compare(Array(input.dropFirst())) { frameRecord($0, role: first & 1 == 0 ? .server : .client) }
        }
    }

    /// Whatever the pieces are, a reader reports the same.
    private static func compare(_ input: [UInt8], _ read: ([[UInt8]]) -> [UInt8]) {
        let whole = read([input])
        for size in [1, 7] {
            let pieces = stride(from: 0, to: input.count, by: size).map {
                Array(input[$0..<min($0 + size, input.count)])
            }
            require(read(pieces) == whole, "pieces of \(size) are read like the whole")
        }
    }

    private static func responseRecord(
        _ pieces: [[UInt8]], to request: HTTPResponseReader.Request, ends: Bool
    ) -> [UInt8] {
        var limits = HTTPResponseReader.Limits()
        (limits.maximumHeaderBytes, limits.maximumBodyBytes) = (400, 300)
        var reader = HTTPResponseReader(to: request, limits: limits)
        var (record, bodyBytes): ([UInt8], Int) = ([], 0)
        for (index, piece) in pieces.enumerated() {
            var position = 0
            loop: while true {
                let before = position
                let event = reader.next(in: piece.span, from: &position)
                require(before <= position && position <= piece.count, "the position moves within the input")
                switch event {
                case .needsMore:
                    require(position == piece.count, "all bytes are taken")
                    break loop
                case .head(let head):
                    record += "H\(head.status) \(head.countedBodyBytes ?? -1) \(head.isLast)".utf8
                    record += checked(head.fields)
                case .body(let range):
                    bodyBytes += range.count
                    require(bodyBytes <= 300, "a body is within its limit")
                    record += piece[range]
                case .end: return record + [0] + piece[position...] + pieces[(index + 1)...].joined()
                case .refused(let fault): return record + "R\(fault.cause)".utf8
                }
            }
        }
        guard ends else { return record }
        switch reader.endOfInput() {
        case .end: return record + "E".utf8
        case .refused(let fault): return record + "R\(fault.cause)".utf8
        case .needsMore, .head, .body: require(false, "the end of the input decides")
        }
        return record
    }

    private static func frameRecord(_ pieces: [[UInt8]], role: WebSocketFrameReader.Role) -> [UInt8] {
        var limits = WebSocketFrameReader.Limits()
        (limits.maximumFrameBytes, limits.maximumMessageBytes) = (150, 200)
        var reader = WebSocketFrameReader(role: role, limits: limits)
        var record: [UInt8] = []
        for piece in pieces {
            var position = 0
            loop: while true {
                let event = reader.next(in: piece.span, from: &position)
                require(reader.heldBytes <= 325, "what is held is within the limits")
                switch event {
                case .needsMore:
                    require(position == piece.count, "all bytes are taken")
                    break loop
                case .text(let text):
                    require(text.count <= 200, "a message is within its limit")
                    record += "T".utf8 + text
                case .binary(let bytes):
                    require(bytes.count <= 200, "a message is within its limit")
                    record += "B".utf8 + bytes
                case .ping(let bytes), .pong(let bytes):
                    require(bytes.count <= 125, "a control frame is within its limit")
                    record += "P".utf8 + bytes
                case .close(let code, let reason):
                    require(code == nil ? reason.isEmpty : true, "a reason comes with a code")
                    record += "C\(code ?? 0)\(reason)".utf8
                case .violation(let code, _):
                    require([1002, 1007, 1009].contains(code), "a violation has its code")
                    return record + "V\(code)".utf8
                }
            }
        }
        return record
    }

    /// The fields as one text, after a check of what the reader promises.
    fileprivate static func checked(_ fields: HTTPFieldList) -> [UInt8] {
        var record: [UInt8] = []
        for index in 0..<fields.count {
            let (name, value) = (fields.name(at: index), fields.valueBytes(at: index))
            let written = try? HTTPHeadEncoder.response(status: 200, phrase: "", fields: [(name: name, value: "")])
            require(written != nil, "a name is a token")
            require(value.allSatisfy { $0 >= 32 ? $0 != 127 : $0 == 9 }, "a value has no control character")
            let ends = [value.first, value.last].compactMap(\.self)
            require(ends.allSatisfy { $0 != 32 && $0 != 9 }, "a value has no blanks around it")
            require(fields.count(of: name) >= 1, "a field is found under its name")
            record += name.utf8 + [58] + value + [59]
        }
        return record
    }
}

/// The events that a reader of HTTP requests reports, as bytes, with its promises checked.
private struct RequestRecord {
    private var reader: HTTPRequestReader
    private var record: [UInt8] = []
    private var bodyBytes = 0
    private var isExpectingBody = false

    init() {
        var limits = HTTPRequestReader.Limits()
        (limits.maximumHeaderBytes, limits.maximumRequestLineBytes, limits.maximumBodyBytes) = (400, 200, 300)
        (limits.maximumChunkLineBytes, limits.maximumChunkExtensionBytes, limits.maximumTrailerBytes) = (40, 60, 80)
        reader = HTTPRequestReader(limits: limits)
    }

    func read(_ pieces: [[UInt8]]) -> [UInt8] {
        var copy = self
        for piece in pieces {
            var position = 0
            while copy.take(piece, &position) {}
            if position < piece.count || copy.isRefused { break }
        }
        return copy.record
    }

    private var isRefused = false

    /// Takes one event; false where the piece is used up or the connection refused.
    private mutating func take(_ piece: [UInt8], _ position: inout Int) -> Bool {
        let before = position
        let event = reader.next(in: piece.span, from: &position)
        require(before <= position && position <= piece.count, "the position moves within the input")
        switch event {
        case .needsMore:
            require(position == piece.count, "all bytes are taken")
            return false
        case .head(let head):
            check(head)
            record += FuzzTarget.checked(head.fields)
            (bodyBytes, isExpectingBody) = (0, !head.bodyLength.isEmpty)
        case .body(let range):
            require(!range.isEmpty && range.upperBound <= piece.count, "a part of a body lies in the input")
            require(isExpectingBody, "a body was announced")
            bodyBytes += range.count
            require(bodyBytes <= 300, "a body is within its limit")
            record += piece[range]
        case .end:
            require(reader.isIdle, "nothing is held between requests")
            record.append(UInt8(ascii: "E"))
        case .refused(let fault):
            require((400...599).contains(fault.status), "a refusal has a status of its kind")
            isRefused = true
            record += "R\(fault.status)".utf8
            return false
        }
        return true
    }

    private mutating func check(_ head: HTTPRequestHead) {
        let (method, target) = (head.method, head.target)
        let line = try? HTTPHeadEncoder.request(method: method, target: target, fields: [])
        require(line != nil, "a request line can be written again")
        require(!["TRACE", "CONNECT"].contains(method), "no tunnel and no trace is reported")
        require(target.utf8.first == 0x2F || target == "*" && method == "OPTIONS", "a target is a path")
        require(head.fields.count(of: "host") == 1 || head.minorVersion == 0, "there is one host")
        require(head.authority?.isEmpty != true, "an authority is not empty")
        let (codings, lengths) = (head.fields.count(of: "transfer-encoding"), head.fields.count(of: "content-length"))
        require(codings + lengths <= 1, "the framing is not ambiguous")
        require((head.bodyLength == .chunked) == (codings == 1), "a coding is chunked")
        require(!head.expectsContinue || !head.bodyLength.isEmpty, "a client waits with a body alone")
        if case .accepted(let accept) = WebSocketHandshake.judge(head) {
            require(accept.utf8.count == 28, "a handshake has its answer")
        }
        record += "H\(method) \(target) \(head.authority ?? "") \(head.isLast)".utf8
    }
}
