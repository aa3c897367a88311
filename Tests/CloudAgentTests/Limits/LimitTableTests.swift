import Aries
import DIDComm
import Foundation
import TestSupport
import Testing
import WebTransport

@testable import CloudAgent

/// The developers' page of limits lists every limit there is, with its value.
@Suite struct LimitTableTests {
    private struct Row {
        let name: String
        let value: String
        let suite: String
    }

    private static func rows() throws -> [Row] {
        let file = OutsideVectors.packageRoot.appending(path: "Documentation/Limits.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let part = text.components(separatedBy: "## Limits\n").last?.components(separatedBy: "\n## ").first ?? ""
        return part.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
            return Row(name: cells[0], value: cells[1], suite: cells.last ?? "")
        }
    }

    /// Each stored value of a type of limits, by its name.
    private static func values(_ type: String, _ limits: Any) -> [(name: String, value: String)] {
        Mirror(reflecting: limits).children.flatMap { child -> [(name: String, value: String)] in
            let name = "\(type).\(child.label ?? "?")"
            switch child.value {
            case let value as Int: return [(name, words(value, isBytes: name.lowercased().contains("bytes")))]
            case let value as Duration: return [(name, "\(value.components.seconds) s")]
            case let value as Duration?: return [(name, value.map { "\($0.components.seconds) s" } ?? "–")]
            case let value as Bool: return [(name, "\(value)")]
            default: return values(name, child.value)
            }
        }
    }

    private static func words(_ number: Int, isBytes: Bool) -> String {
        guard isBytes else { return "\(number)" }
        return number % (1 << 20) == 0 ? "\(number >> 20) MiB" : "\(number >> 10) KiB"
    }

    /// Limits that are single constants, in no type of limits.
    private static var constants: [(name: String, value: String)] {
        [
            ("CloudAgentConfiguration.maximumDeliveries", "\(CloudAgentConfiguration.maximumDeliveries)"),
            (
                "CloudAgentConfiguration.maximumDeliveryBytes",
                words(CloudAgentConfiguration.maximumDeliveryBytes, isBytes: true)
            ),
            ("StoreLimits.rememberedSigns", "\(StoreLimits.rememberedSigns)"),
            ("StoreLimits.shortLinks", "\(StoreLimits.shortLinks)"),
            ("MediatorSession.Limits.deliveryBytes", words(MediatorSession.Limits.deliveryBytes, isBytes: true)),
            ("MediatorSession.Limits.lookInterval", "\(MediatorSession.Limits.lookInterval.components.seconds) s"),
            ("SourceRateLimiter.capacity", "\(SourceRateLimiter.capacity)"),
            ("EnvelopeLimits.standard.maximumBytes", words(EnvelopeLimits.standard.maximumBytes, isBytes: true)),
            ("EnvelopeLimits.standard.maximumRecipients", "\(EnvelopeLimits.standard.maximumRecipients)"),
            (
                "EnvelopeLimits.ofMediators.maximumBytes",
                words(MediatorContext.outgoingLimits.maximumBytes, isBytes: true)
            ),
            ("Message.maximumIDBytes", "\(Message.maximumIDBytes)"),
            ("ForwardHandler.maximumLayers", "\(ForwardHandler.maximumLayers)"),
            ("KeylistUpdate.maximumCount", "\(KeylistUpdate.maximumCount)"),
            ("KeylistPage.maximumCount", "\(KeylistPage.maximumCount)"),
            ("MediatorSession.maximumIDs", "\(MediatorSession.maximumIDs)"),
            ("MediatorSession.maximumWaiting", "\(MediatorSession.maximumWaiting)"),
            ("MediatorClientConnection.maximumAccounts", "\(MediatorClientConnection.maximumAccounts)"),
            ("EndpointDelivery.maximumActive", "\(EndpointDelivery.maximumActive)"),
            ("EndpointDelivery.maximumRemembered", "\(EndpointDelivery.maximumRemembered)"),
            ("RedeliveryBackoff.capacity", "\(RedeliveryBackoff.capacity)"),
            ("KeyCache.capacity", "\(KeyCache.capacity)"),
            ("TransactionQueue.batchCount", "\(TransactionQueue.batchCount)"),
            ("TransactionQueue.batchBytes", words(TransactionQueue.batchBytes, isBytes: true)),
            ("AllowList.maximumBytes", words(AllowList.maximumBytes, isBytes: true)),
            ("AllowList.maximumCount", "\(AllowList.maximumCount)"),
            ("AllowList.maximumNameBytes", "\(AllowList.maximumNameBytes)"),
        ]
    }

    /// All limits of an agent with the default configuration.
    private static func limits() -> [(name: String, value: String)] {
        let configuration = CloudAgentConfiguration()
        // Settings that are no limits.
        let others = [
            "label", "publicAddress", "admission", "allowList", "server", "session", "redeliverAfter",
            "refusedRetryAfter", "documentFolder", "wakes",
        ]
        let own = values("CloudAgentConfiguration", configuration).filter { entry in
            let parts = entry.name.split(separator: ".")
            return parts.count == 2 && !others.contains(String(parts[1]))
        }
        return values("HTTPServerLimits", configuration.server.limits)
            + values("WebSocketLimits", CloudAgentConfiguration.socketLimits) + own
            + values("MediatorSession.Limits", configuration.session) + values("StoreLimits", StoreLimits()) + constants
    }

    @Test func `the manual's table of limits lists every limit with its value`() throws {
        let rows = try Self.rows()
        let limits = Self.limits()
        #expect(limits.count > 60)
        for limit in limits {
            #expect(
                rows.contains { $0.name == limit.name && $0.value == limit.value }, "\(limit.name) is \(limit.value)")
        }
        for row in rows {
            #expect(limits.contains { $0.name == row.name }, "\(row.name) is no limit")
        }
        #expect(Set(rows.map(\.name)).count == rows.count)
    }

    @Test func `each limit in the manual's table names existing tests`() throws {
        let tests = OutsideVectors.packageRoot.appending(path: "Tests").resolvingSymlinksInPath()
        let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)?.compactMap {
            ($0 as? URL)?.lastPathComponent
        }
        let known = Set(files ?? [])
        for row in try Self.rows() {
            #expect(known.contains("\(row.suite).swift"), "\(row.name) is shown by \(row.suite)")
        }
    }
}
