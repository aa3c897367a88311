import CryptoSuite
import Determinism
import Foundation
import Herald
import Testing

@testable import HeraldProximity

@Suite struct FileStateStoreTests {
    private let folder: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "symbolon-test-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private func cleanUp() { try? FileManager.default.removeItem(atPath: folder) }

    @Test func `a missing state file holds no state, and a saved one is readable by its owner alone`() throws {
        defer { cleanUp() }
        let store = FileStateStore(path: "\(folder)/state")
        #expect(try store.load() == nil)
        try store.save([1, 2, 3])
        try store.save([4])
        #expect(try store.load() == [4])
        let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/state")[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["state"])
    }

    @Test(.timeLimit(.minutes(1))) func `a named pipe or device in place of the state is refused at once`() throws {
        defer { cleanUp() }
        try #require(mkfifo("\(folder)/pipe", 0o600) == 0)
        for path in ["\(folder)/pipe", "/dev/zero"] {
            #expect(throws: HeraldError(.storeNotReadable, "")) { try FileStateStore(path: path).load() }
        }
    }

    @Test func `a sensor identity survives a restart`() async throws {
        defer { cleanUp() }
        let store = FileStateStore(path: "\(folder)/state")
        var random = SystemRandom()
        let time = WallTime(millisecondsSinceEpoch: 1_780_000_000_000)
        let first = try await SensorIdentity.restore(from: store, at: time, random: &random)
        let second = try await SensorIdentity.restore(from: store, at: time, random: &random)
        #expect(first.bytes == second.bytes)
    }

    @Test func `a state file of 65,536 bytes is read and one a byte longer is not`() throws {
        defer { cleanUp() }
        let store = FileStateStore(path: "\(folder)/state")
        try store.save([UInt8](repeating: 1, count: 65_536))
        #expect(try store.load()?.count == 65_536)
        try store.save([UInt8](repeating: 1, count: 65_537))
        #expect(throws: HeraldError(.storeNotReadable, "")) { try store.load() }
    }

    @Test func `a state file in a missing folder cannot be written, and a folder cannot be read as state`() throws {
        defer { cleanUp() }
        #expect(throws: HeraldError(.storeNotWritable, "")) { try FileStateStore(path: "\(folder)/no/state").save([1]) }
        #expect(throws: HeraldError(.storeNotReadable, "")) { try FileStateStore(path: folder).load() }
    }
}
