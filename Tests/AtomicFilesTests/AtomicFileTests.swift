import AtomicFiles
import Foundation
import Testing

@Suite struct AtomicFileTests {
    /// Runs `body` with a new folder, which is removed afterwards.
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "atomic-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    private func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    private func read(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

    @Test func `a file has its name and all bytes, for this user alone, and no temporary file stays`() throws {
        try withFolder { folder in
            let large = [UInt8](repeating: 7, count: 300_000)
            do {
                let file = try AtomicFile(temporary: "\(folder)/.part")
                try file.write([1, 2])
                try file.write(large)
                #expect(try names(folder) == [".part"])
                #expect(try file.create("\(folder)/a"))
            }
            #expect(try names(folder) == ["a"])
            #expect(try read("\(folder)/a") == [1, 2] + large)
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/a")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test func `a name that is taken is refused, what has it stays, and another name can be tried`() throws {
        try withFolder { folder in
            try Data([9]).write(to: URL(filePath: "\(folder)/a"))
            do {
                let file = try AtomicFile(temporary: "\(folder)/.part")
                try file.write([1])
                #expect(try !file.create("\(folder)/a"))
                #expect(try file.create("\(folder)/b"))
            }
            #expect(try names(folder) == ["a", "b"])
            #expect(try read("\(folder)/a") == [9] && read("\(folder)/b") == [1])
        }
    }

    @Test func `a file is replaced as a whole`() throws {
        try withFolder { folder in
            try Data([9, 9]).write(to: URL(filePath: "\(folder)/a"))
            do {
                let file = try AtomicFile(temporary: "\(folder)/.part")
                try file.write([1])
                #expect(try read("\(folder)/a") == [9, 9])
                try file.replace("\(folder)/a")
            }
            #expect(try names(folder) == ["a"])
            #expect(try read("\(folder)/a") == [1])
        }
    }

    @Test func `a file that never gets its name leaves nothing`() throws {
        try withFolder { folder in
            do {
                let file = try AtomicFile(temporary: "\(folder)/.part")
                try file.write([1])
            }
            #expect(try names(folder) == [])
        }
    }

    @Test func `a temporary file or link that already has the name of ours is left alone`() throws {
        try withFolder { folder in
            try Data([9]).write(to: URL(filePath: "\(folder)/.part"))
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/.link", withDestinationPath: "\(folder)/elsewhere")
            for name in [".part", ".link"] {
                #expect(throws: AtomicFile.SystemCallError.self) { try AtomicFile(temporary: "\(folder)/\(name)") }
            }
            #expect(try names(folder) == [".link", ".part"])
        }
    }

    @Test func `a file error has the system's error number and its message`() throws {
        let failure = #expect(throws: AtomicFile.SystemCallError.self) {
            try AtomicFile(temporary: "/nowhere/at/all/.part")
        }
        #expect(failure?.number == 2)
        #expect(failure?.words == "No such file or directory")
    }

    @Test func `the folder part of a path is found`() {
        #expect(AtomicFile.folder(of: "a/b") == "a")
        #expect(AtomicFile.folder(of: "b") == ".")
        #expect(AtomicFile.folder(of: "/b") == "/")
    }
}
