import CommandProgram
import DIDComm
import JSON

/// Reads a message that the user wrote into a file.
enum MessageFileReader {
    /// The most bytes of a message file.
    private static let maximumBytes = 65_536

    /// Reads the message in a file: a JSON object with `@type`.
    ///
    /// - Parameter id: the `@id` where the file has none.
    /// - Throws: `input.*` for a file that cannot be read, `json.*` and `didcomm.message.*` for one without a message.
    static func read(_ path: String, id: String) throws -> Message {
        let bytes = try BoundedFile.read(path, limit: maximumBytes)
        var object = try JSONValueReader(JSONValue(parsing: bytes, limits: Message.limits)).object()
        if object["@id"] == nil { object["@id"] = .string(id) }
        return try Message(object)
    }
}
