/// The files that pages are made of.
public enum Assets {
    /// The style sheet of a cloud agent's status page.
    public static let statusStyle = asset("status.css", at: "/assets/status.css", "text/css; charset=utf-8")

    private static func asset(_ name: String, at path: String, _ mediaType: String) -> StaticAsset {
        guard let asset = StaticAsset(name: name, path: path, mediaType: mediaType) else {
            preconditionFailure("the file \(name) is compiled into the program")
        }
        return asset
    }
}
