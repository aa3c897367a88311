package import MobileSession

extension CommandContext {
    /// Reads a file with mobile documents and their device keys, or standard input for `-`.
    ///
    /// - Throws: `input.…`, for a file of something else too.
    package func heldDocuments(in path: String) async throws -> [HeldMobileDocument] {
        let bytes = try await contents(of: path, limit: HeldMobileDocument.maximumFileBytes)
        do throws(MobileSessionError) {
            return try HeldMobileDocument.documents(file: bytes)
        } catch {
            throw CommandFailure(
                CommandError(.inputNotRecognised, error.reason),
                nextStep: "Give a document that symbolon mdoc make made.")
        }
    }
}
