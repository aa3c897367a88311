import CloudAgent
import Terminal

@testable import CloudAgentCommands
@testable import CommandProgram
@testable import Commands

extension FuzzTarget {
    /// The file of a cloud agent's settings: its lines, and what their values mean.
    static var agentSettings: FuzzTarget {
        FuzzTarget(name: "agent-settings", maximumBytes: 4096) {
            let values = [
                "listen = [::1]:8040\npublic-url = https://agent.example.org/x\nadmin-listen = 127.0.0.1:0",
                "store = postgres://u:p@db.internal:5432/agent?sslmode=require\nsecret-file = /s\r\n\n# ours",
                "store=sqlite:a b.sqlite\n\tlabel = \u{E4}\u{200D} # x\nadmission = closed\nallow = names",
                "wake-hosts = *.b.example,10.0.0.1,*\nwake-interval = 1.5h\nallow-private = yes",
                "account-messages = 1\naccount-bytes = 1024GiB\nkey-messages = 10000000\nkey-bytes = 1KiB",
                "message-age = 87600h\ndrain = 0s\nreport-interval = 1ms",
            ]
            let usual = CloudAgentSettings.table.filter { !$0.usual.isEmpty }.map { "\($0.name) = \($0.usual)" }
            return (values + [usual.joined(separator: "\n")]).map { Array($0.utf8) }
        } run: { input in
            guard let lines = try? SettingsFile.parse(input, name: "file", names: CloudAgentSettings.table.map(\.name))
            else { return }
            let names = lines.map(\.name)
            require(Set(names).count == names.count, "nothing is decided twice")
            for line in lines {
                require(isOneLine(line.value), "a value is a text of one line, without blanks around it")
            }
            let written = lines.map { "\($0.name) = \($0.value)" }.joined(separator: "\n")
            let again = try? SettingsFile.parse(
                Array(written.utf8), name: "file", names: CloudAgentSettings.table.map(\.name))
            require(again?.map(\.value) == lines.map(\.value), "lines are read as they are written")
            guard case .run(let arguments)? = try? ArgumentParser(Program.symbolon.root).parse(["agent", "run"]),
                let settings = try? CloudAgentSettings(arguments, [:], lines: lines, of: "file")
            else { return }
            require(settings.found.count == CloudAgentSettings.table.count, "every setting has a value or none")
            let limits = settings.storeLimits
            for quota in [limits.account, limits.key] {
                require(quota.hard.count > 0 && quota.hard.bytes > 0, "there is room for something")
                require(quota.soft.count <= quota.hard.count, "what is noted comes before what is refused")
                require(quota.soft.bytes <= quota.hard.bytes, "what is noted comes before what is refused")
            }
            _ = try? settings.configuration()
        }
    }

    /// The list of those who may open an account.
    static var allowList: FuzzTarget {
        FuzzTarget(name: "allow-list", maximumBytes: 4096) {
            ["anna@example.org\r\n# ours\n\n  the office *\n*\nb*\n", "\u{E4}\n\u{61}\u{308}\n", "a * *\n* *"].map {
                Array($0.utf8)
            }
        } run: { input in
            guard let list = try? AllowList(parsing: input) else { return }
            let names = list.entries.map { Array($0.name.utf8) }
            require(Set(names).count == names.count, "nobody is named twice")
            for guest in list.entries {
                require(!guest.name.isEmpty && isOneLine(guest.name), "a name is a text of one line")
                require(guest.name.utf8.count <= AllowList.maximumNameBytes, "names have a limit")
            }
            let written = list.entries.map { $0.name + ($0.isForMany ? " *" : "") }.joined(separator: "\n")
            require((try? AllowList(parsing: Array(written.utf8))) == list, "a list is read as it is written")
        }
    }

    private static func isOneLine(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.first != 32 && bytes.last != 32 && bytes.allSatisfy { $0 >= 32 && $0 != 127 }
    }
}
