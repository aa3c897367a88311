public import WebTransport

/// The rights of one of our pages in a browser: as few as it needs.
///
/// Nothing is loaded that does not come from the server itself, no script or style that stands in the page's own text
/// takes effect, no other page may frame it, and its address is not sent to other sites.
public struct PageSecurityPolicy: Hashable, Sendable {
    /// True when the page may run scripts of the server, which may then request from the server.
    package var allowsScripts = false

    /// True when the page may send forms to the server.
    package var allowsForms = false

    /// True when images may be in the page's own text (`data:`), as QR codes are.
    package var allowsInlineImages = false

    /// True when a script of the page can make no markup of a text: the browser refuses it (Trusted Types).
    package var forbidsMarkupFromScripts = false

    /// Makes the strictest policy.
    public init() {}

    /// The value of the header field `Content-Security-Policy`.
    public var contentSecurityPolicy: String {
        [
            "default-src 'none'", allowsScripts ? "script-src 'self'; connect-src 'self'" : "script-src 'none'",
            "style-src 'self'", allowsInlineImages ? "img-src 'self' data:" : "img-src 'self'",
            allowsForms ? "form-action 'self'" : "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'",
            forbidsMarkupFromScripts ? "require-trusted-types-for 'script'; trusted-types 'none'" : nil,
        ].compactMap(\.self).joined(separator: "; ")
    }

    /// All header fields that keep a page to this policy.
    public var headers: HTTPHeaders {
        [
            "Content-Security-Policy": contentSecurityPolicy, "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
        ]
    }
}
