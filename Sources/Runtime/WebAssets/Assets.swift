/// The files that pages are made of.
public enum Assets {
    /// The style sheet of all pages.
    public static let styleSheet = asset("page.css", at: "/assets/page.css", "text/css; charset=utf-8")

    /// The script that keeps a page up to date.
    public static let script = asset("page.js", at: "/assets/page.js", "text/javascript; charset=utf-8")

    /// The page that shows how a server is.
    public static let statusPage = asset("status.html", at: "/status", "text/html; charset=utf-8")

    /// All files, in the order of their paths.
    public static let all = [styleSheet, script, statusPage]

    /// The file that is served at `path`; nil for every other path.
    public static func asset(at path: String) -> StaticAsset? { all.first { $0.path == path } }

    private static func asset(_ name: String, at path: String, _ mediaType: String) -> StaticAsset {
        guard let asset = StaticAsset(name: name, path: path, mediaType: mediaType) else {
            preconditionFailure("the file \(name) is compiled into the program")
        }
        return asset
    }
}
