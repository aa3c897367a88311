/// The methods of HTTP that this module sends and serves.
public enum HTTPMethod: String, Hashable, Sendable, CaseIterable {
    /// GET: asks for a representation.
    case get = "GET"
    /// HEAD: asks for the header of a representation only.
    case head = "HEAD"
    /// POST: submits a body to be processed.
    case post = "POST"
    /// PUT: replaces the state of a resource.
    case put = "PUT"
    /// PATCH: changes a part of a resource.
    case patch = "PATCH"
    /// DELETE: removes a resource.
    case delete = "DELETE"
    /// OPTIONS: asks for the permitted methods.
    case options = "OPTIONS"

    /// True when this server accepts a body with the method.
    ///
    /// RFC 9110 gives a body of GET, HEAD, DELETE and OPTIONS no meaning; the server refuses one, because what
    /// intermediaries do with it differs.
    public var takesBody: Bool {
        switch self {
        case .post, .put, .patch: true
        case .get, .head, .delete, .options: false
        }
    }
}
