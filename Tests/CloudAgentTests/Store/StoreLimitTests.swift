import Aries
import CloudAgentConformance
import Foundation
import Testing

@testable import CloudAgent

@Suite struct StoreLimitTests {
    private static func expect(
        _ code: CloudAgentError.Code, _ body: () async throws -> Void
    ) async {
        do {
            try await body()
            Issue.record("nothing was thrown instead of \(code.rawValue)")
        } catch {
            #expect((error as? CloudAgentError)?.code == code, "\(error)")
        }
    }

    @Test func `a store file that is open to others, a link, a folder or a path to nowhere is refused`() async throws {
        try await TemporaryFolder.with { folder in
            let manager = FileManager.default
            _ = manager.createFile(atPath: "\(folder)/open", contents: nil, attributes: [.posixPermissions: 0o644])
            try manager.createSymbolicLink(atPath: "\(folder)/link", withDestinationPath: "\(folder)/target")
            for name in ["open", "link", "nowhere/agent", ""] {
                await Self.expect(.path) { _ = try await DatabaseStore.sqlite(at: "\(folder)/\(name)") }
            }
            let store = try await DatabaseStore.sqlite(at: "\(folder)/agent")
            await store.close()
            let mode = try manager.attributesOfItem(atPath: "\(folder)/agent")[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test func `a file that is no store is refused and left unchanged`() async throws {
        try await TemporaryFolder.with { folder in
            let text = Data("this is no database, but a text of some length, as files go".utf8)
            let path = "\(folder)/agent"
            _ = FileManager.default.createFile(atPath: path, contents: text, attributes: [.posixPermissions: 0o600])
            await Self.expect(.damaged) { _ = try await DatabaseStore.sqlite(at: path) }
            #expect(FileManager.default.contents(atPath: path) == text)
        }
    }

    @Test func `a store with another schema version is refused`() async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/agent"
            let store = try await DatabaseStore.sqlite(at: path)
            await store.close()
            // SQLite keeps user_version in four bytes from 60 on.
            var bytes = try #require(FileManager.default.contents(atPath: path))
            bytes[63] += 1
            try bytes.write(to: URL(filePath: path))
            await Self.expect(.schema) { _ = try await DatabaseStore.sqlite(at: path) }
        }
    }

    @Test func `store steps beyond the waiting limit are refused, and the others run`() async throws {
        var limits = StoreLimits()
        limits.maximumWaitingSteps = 2
        try await TemporaryFolder.with { [limits] folder in
            let store = try await DatabaseStore.sqlite(at: "\(folder)/agent", limits: limits)
            let codes = await withTaskGroup(of: CloudAgentError.Code?.self) { group in
                for number in 0..<500 {
                    group.addTask {
                        do throws(CloudAgentError) {
                            _ = try await store.write(adding: 1) { try $0.settings.settle("\(number)", [1]) }
                            return nil
                        } catch {
                            return error.code
                        }
                    }
                }
                return await group.reduce(into: [CloudAgentError.Code?]()) { $0.append($1) }
            }
            let refused = codes.compactMap { $0 }
            #expect(!refused.isEmpty && refused.allSatisfy { $0 == .busy })
            var kept = 0
            for number in 0..<500 {
                if try await (store.read { try $0.settings.value("\(number)") }) != nil { kept += 1 }
            }
            #expect(kept == 500 - refused.count)
            await store.close()
        }
    }

    @Test func `store steps with more bytes than may wait are refused, but a single large message is accepted`()
        async throws
    {
        var limits = StoreLimits()
        limits.maximumWaitingBytes = 1000
        try await TemporaryFolder.with { [limits] folder in
            let store = try await DatabaseStore.sqlite(at: "\(folder)/agent", limits: limits)
            #expect(
                try await store.accept(StoreSamples.mail(to: 1, of: 1, [UInt8](repeating: 1, count: 5000))) == .unknown)
            let codes = await withTaskGroup(of: CloudAgentError.Code?.self) { group in
                for _ in 0..<500 {
                    group.addTask {
                        do throws(CloudAgentError) {
                            _ = try await store.accept(
                                StoreSamples.mail(to: 1, of: 1, [UInt8](repeating: 1, count: 600)))
                            return nil
                        } catch {
                            return error.code
                        }
                    }
                }
                return await group.reduce(into: [CloudAgentError.Code?]()) { $0.append($1) }
            }
            let refused = codes.compactMap { $0 }
            #expect(!refused.isEmpty && refused.count < 500 && refused.allSatisfy { $0 == .busy })
            await store.close()
        }
    }

    @Test func `a value too large for the database engine is refused, and later values are stored`() async throws {
        try await TemporaryFolder.with { folder in
            let store = try await DatabaseStore.sqlite(at: "\(folder)/agent")
            let large = [UInt8](repeating: 1, count: 10 << 20)
            await Self.expect(.internal) {
                _ = try await store.write(adding: large.count) { try $0.settings.settle("large", large) }
            }
            #expect(try await store.write(adding: 1) { try $0.settings.settle("small", [1]) } == [1])
            await store.close()
        }
    }

    @Test func `a cloud agent error is equal by its code, and storage failures differ from refusals`() {
        for code in CloudAgentError.Code.allCases {
            let error = CloudAgentError(code, "one")
            #expect(error == CloudAgentError(code, "two") && "\(error)".hasPrefix(code.rawValue))
            let isStorage = [
                .full, .unavailable, .noLibrary, .missing, .damaged, .schema, .path, .copyPath, .replaced, .emptied,
                .silent, .standby, .formerPrimary, .standbyMissing, .unreplicated, .pooler, .rights, .login,
                .connections,
            ].contains(code)
            #expect(code.isOfStorage == isStorage)
        }
    }
}
