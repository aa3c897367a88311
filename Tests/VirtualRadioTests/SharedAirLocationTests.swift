import Foundation
import Radio
import Testing

@testable import VirtualRadio

@Suite struct SharedAirLocationTests {
    private func code(_ body: () throws -> Void) -> RadioError.Code? {
        do { try body() } catch { return (error as? RadioError)?.code }
        return nil
    }

    private func place(_ path: String) throws -> SharedAirLocation { try SharedAirLocation(path, runtimeFolder: nil) }

    @Test func `a socket path of the greatest length is accepted and one byte more refused`() throws {
        let longest = "/" + String(repeating: "a", count: UnixSocket.maximumPathBytes - 1)
        #expect(try place(longest).path == longest)
        #expect(code { _ = try place(longest + "a") } == .tooLarge)
        #expect(code { _ = try place("/tmp/") } == .unsupported)
    }

    @Test func `the default socket path is in the run-time folder, or in a folder of the user`() async throws {
        let own = "/tmp/symbolon-\(geteuid())/air.sock"
        try await TemporaryFolder.with { folder in
            let present = try SharedAirLocation(nil, runtimeFolder: folder)
            #expect(present.path == "\(folder)/symbolon/air.sock")
            let absent = try SharedAirLocation(nil, runtimeFolder: "\(folder)/none")
            #expect(absent.path == own)
        }
        #expect(try SharedAirLocation(nil, runtimeFolder: nil).path == own)
        #expect(try SharedAirLocation(nil, runtimeFolder: "relative").path == own)
        #expect(try place("name").path == "./name")
    }

    @Test func `the default folder of the air's socket is created for its user only, else refused`() async throws {
        try await TemporaryFolder.with { folder in
            let place = try SharedAirLocation(nil, runtimeFolder: folder)
            try place.prepareFolder()
            #expect(mode("\(folder)/symbolon") == 0o700)
            for mode in [0o750, 0o701] as [mode_t] {
                chmod("\(folder)/symbolon", mode)
                #expect(code { try place.prepareFolder() } == .notPermitted)
            }
        }
    }

    @Test func `a folder for the air's socket that others may write to is refused`() async throws {
        try await TemporaryFolder.with { folder in
            let place = try place("\(folder)/air.sock")
            chmod(folder, 0o755)
            #expect(code { try place.prepareFolder() } == nil)
            chmod(folder, 0o777)
            #expect(code { try place.prepareFolder() } == .notPermitted)
            #expect(code { try SharedAirLocation("/tmp/none-such.sock", runtimeFolder: nil).prepareFolder() } == nil)
        }
    }

    @Test func `a socket folder that cannot be created, or is a file, is an error`() async throws {
        try await TemporaryFolder.with { folder in
            #expect(code { try place("\(folder)/a/b/air.sock").prepareFolder() } == .unavailable)
            try Data().write(to: URL(filePath: "\(folder)/file"))
            #expect(code { try place("\(folder)/file/air.sock").prepareFolder() } == .unavailable)
        }
    }

    @Test(.enabled(if: geteuid() != 0, "skipped: the superuser may write anywhere"))
    func `a folder for the air's socket that its user may not write to is an error`() async throws {
        try await TemporaryFolder.with { folder in
            chmod(folder, 0o500)
            defer { chmod(folder, 0o700) }
            #expect(code { _ = try place("\(folder)/air.sock").claim() } == .notPermitted)
        }
    }

    @Test func `a file at the path of the air's socket is not removed`() async throws {
        try await TemporaryFolder.with { folder in
            try Data([1]).write(to: URL(filePath: "\(folder)/air.sock"))
            #expect(code { _ = try place("\(folder)/air.sock").claim() } == .unavailable)
            #expect(FileManager.default.fileExists(atPath: "\(folder)/air.sock"))
        }
    }

    @Test func `one claim of the air's socket excludes others until released, and only its user may connect`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let place = try place("\(folder)/air.sock")
            let claim = try #require(try place.claim())
            #expect(try place.claim() == nil)
            #expect(mode("\(folder)/air.sock") == 0o600)
            #expect(mode("\(folder)/air.sock.lock") == 0o600)
            UnixSocket.end(claim.listener)
            claim.release()
            #expect(!FileManager.default.fileExists(atPath: "\(folder)/air.sock"))
            let next = try #require(try place.claim())
            UnixSocket.end(next.listener)
            next.release()
        }
    }

    @Test func `a stale socket of the air is replaced`() async throws {
        try await TemporaryFolder.with { folder in
            let place = try place("\(folder)/air.sock")
            let claim = try #require(try place.claim())
            UnixSocket.end(claim.listener)
            claim.abandon()
            #expect(FileManager.default.fileExists(atPath: "\(folder)/air.sock"))
            guard case .noListener = UnixSocket.connect(to: place.path) else {
                Issue.record("somebody answers at a stale socket")
                return
            }
            let next = try #require(try place.claim())
            guard case .connected(let descriptor) = UnixSocket.connect(to: place.path) else {
                Issue.record("nobody answers at the new socket")
                return
            }
            UnixSocket.end(descriptor)
            UnixSocket.end(next.listener)
            next.release()
        }
    }

    private func mode(_ path: String) -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.posixPermissions] as? Int
    }
}
