import HTTP1

/// Decides from the header whether a well-formed request is served.
enum HTTPRequestPolicy {
    /// The decision about a request: to serve it, or to refuse it with a response.
    enum RequestPolicyDecision: Hashable {
        /// The request is served; its body, if it has one, is still to come.
        case accepted(HTTPRequest)
        /// The request is refused with this response, and the connection ends.
        case refused(HTTPResponse)
    }

    /// Checks the parts of a request that HTTP leaves to the server.
    ///
    /// Refused are: unknown methods (501), bodies where the method takes none (400), targets that are malformed or too
    /// long (400).
    static func verdict(on head: HTTPRequestHead) -> RequestPolicyDecision {
        guard let method = HTTPMethod(rawValue: head.method) else {
            return refused(501, "The method is not served.")
        }
        guard let target = try? RequestTarget(parsing: head.target) else {
            return refused(400, "The target is malformed.")
        }
        guard head.bodyLength.isEmpty || method.takesBody else { return refused(400, "The method takes no body.") }
        return .accepted(HTTPRequest(method, target, headers: HTTPHeaders(of: head)))
    }

    /// The response to `OPTIONS *`, which asks about the server as a whole (RFC 9110 section 9.3.7).
    static var serverOptions: HTTPResponse { HTTPResponse(204, headers: ["Allow": allMethods]) }

    /// The methods that are served, for the field `Allow`.
    static let allMethods = HTTPMethod.allCases.map(\.rawValue).joined(separator: ", ")

    private static func refused(_ status: Int, _ reason: String) -> RequestPolicyDecision {
        .refused(HTTPResponse(status, text: reason + "\n"))
    }
}

extension HTTPHeaders {
    /// The fields of a received request, names in lower case; `host` is the authority of an absolute target where there
    /// is one (RFC 9112 section 3.2.2).
    init(of head: HTTPRequestHead) {
        self.init(head.fields)
        if let authority = head.authority { self["host"] = authority }
    }

    /// The fields of a received message, names in lower case.
    init(_ fields: HTTPFieldList) {
        self.init()
        for index in 0..<fields.count { add(fields.name(at: index).lowercased(), fields.value(at: index)) }
    }
}
