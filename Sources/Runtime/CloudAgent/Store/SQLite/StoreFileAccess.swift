import ByteCoding

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The file of a store: private, and no symbolic link.
enum StoreFileAccess {
    /// Makes the file with mode 0600 unless there is one; returns its path without links in its folders.
    ///
    /// - Throws: `cloud.store.path`.
    static func prepare(_ path: String) throws(CloudAgentError) -> String {
        let (folder, name) = try folder(of: path)
        let file = "\(folder)/\(name)"
        let made = open(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard made >= 0 else {
            throw CloudAgentError(.path, "The file of the store cannot be opened, or is a link.")
        }
        defer { close(made) }
        var status = stat()
        guard fstat(made, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0
        else {
            throw CloudAgentError(.path, "The file of the store is open to others, another user's, or no file.")
        }
        return file
    }

    /// The existing folder of a file, with symbolic links resolved, and the file's name.
    ///
    /// - Throws: `cloud.store.path`.
    static func folder(of path: String) throws(CloudAgentError) -> (folder: String, name: String) {
        let parts = path.parts(at: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, !name.isEmpty, !path.utf8.contains(0) else {
            throw CloudAgentError(.path, "The path of a store names a file.")
        }
        let folder = parts.count == 1 ? "." : parts.dropLast().joined(separator: "/")
        guard let real = realpath(folder.isEmpty ? "/" : folder, nil) else {
            throw CloudAgentError(.path, "The folder of the store is not there, or cannot be entered.")
        }
        defer { free(real) }
        return (String(cString: real), String(name))
    }
}
