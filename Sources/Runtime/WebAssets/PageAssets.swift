/// The files that pages are made of.
public enum PageAssets {
    /// The style sheet of a cloud agent's status page.
    public static let statusStyle = asset("status.css", at: "/assets/status.css", "text/css; charset=utf-8")

    /// The page of a verifier desk.
    public static let deskPage = asset("desk.html", at: "/", "text/html; charset=utf-8")

    /// The files that the page of a verifier desk loads: style, script, and the messages in each language.
    public static let deskFiles =
        [
            asset("desk.css", at: "/assets/desk.css", "text/css; charset=utf-8"),
            asset("desk.js", at: "/assets/desk.js", "text/javascript; charset=utf-8"),
            asset("desk.svg", at: "/assets/desk.svg", "image/svg+xml"),
        ]
        + deskLanguages.map {
            asset("desk.\($0).json", at: "/assets/desk.\($0).json", "application/json")
        }

    /// The languages of a verifier desk's page.
    public static let deskLanguages = ["en", "fr", "ar", "hi"]

    private static func asset(_ name: String, at path: String, _ mediaType: String) -> StaticAsset {
        guard let asset = StaticAsset(name: name, path: path, mediaType: mediaType) else {
            preconditionFailure("the file \(name) is compiled into the program")
        }
        return asset
    }
}
