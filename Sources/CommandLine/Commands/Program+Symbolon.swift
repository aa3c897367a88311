import CloudAgentCommands
package import CommandProgram
import ConnectionCommands
import CredentialCommands
import DeskCommands
import DiagnosticCommands
import HandoverCommands
import ProximityCommands
import Terminal
import VaultCommands

extension Program {
    /// The program `symbolon`.
    package static let symbolon = Program(
        "symbolon",
        "Hands over credentials by Bluetooth LE without a network, detects nearby devices, and connects wallets.",
        examples: [
            .init("symbolon demo", "Shows both sides in one process, without Bluetooth."),
            .init("symbolon receive --out inbox", "Shows a QR code, waits for a wallet, and saves what it sends."),
            .init("symbolon send id.json --to URI", "Sends a file to the verifier whose code you scanned."),
        ],
        groups: [
            "invite": "Creates, accepts, lists and revokes invitations to connect.",
            "connections": "Lists, renames, tests and ends connections with other agents.",
            "requests": "Lists and declines requests from other agents.",
            "messages": "Reads and sends messages on connections.",
            "mediator": "Uses a mediator, which keeps messages while you are offline.",
            "agent": "Runs a cloud agent, which keeps messages for offline wallets.",
            "agent config": "Shows the settings of a cloud agent.",
            "config": "Shows your settings.",
            "connect": "Demonstrates a connection.",
            "prox": "Detects nearby devices and estimates their distance.",
            "trust": "Edits the trust file: which issuers you trust, for what.",
            "vault": "Manages vaults: encrypted stores of keys and messages.",
        ],
        sections: [
            .init("Hand over credentials", ["demo", "receive", "send", "verify", "trust", "desk"]),
            .init("Notice who is near", ["prox"]),
            .init(
                "Stay connected",
                ["connect", "invite", "connections", "requests", "messages", "chat", "mediator", "listen"]),
            .init("Run a cloud agent", ["agent"]),
            .init("Vaults and this machine", ["vault", "config", "inspect", "doctor", "completion", "man"]),
        ],
        daily: [
            "demo", "send", "receive", "verify", "desk", "inspect", "doctor", "prox demo", "invite create",
            "invite accept", "chat", "agent run",
        ],
        ownForms: ["prox demo", "prox distance", "prox report", "prox simulate", "verify"],
        commands: [
            .init("demo", DemoCommand.declaration, DemoCommand.run),
            .init("receive", ReceiveCommand.declaration, ReceiveCommand.run),
            .init("send", SendCommand.declaration, SendCommand.run),
            .init("verify", VerifyCommand.declaration, VerifyCommand.run),
            .init("trust add", TrustAddCommand.declaration, TrustAddCommand.run),
            .init("trust list", TrustListCommand.declaration, TrustListCommand.run),
            .init("trust remove", TrustRemoveCommand.declaration, TrustRemoveCommand.run),
            .init("trust check", TrustCheckCommand.declaration, TrustCheckCommand.run),
            .init("desk", StationCommand.declaration, StationCommand.run, endsByInterruption: true),
            .init("doctor", DoctorCommand.declaration, DoctorCommand.run),
            .init("inspect", InspectCommand.declaration, InspectCommand.run),
            .init("invite inspect", InviteInspectCommand.declaration, InviteInspectCommand.run),
            .init("invite list", InviteListCommand.declaration, InviteListCommand.run),
            .init("invite show", InviteShowCommand.declaration, InviteShowCommand.run),
            .init("invite withdraw", InviteWithdrawCommand.declaration, InviteWithdrawCommand.run),
            .init("invite create", InviteCreateCommand.declaration, InviteCreateCommand.run),
            .init("invite accept", InviteAcceptCommand.declaration, InviteAcceptCommand.run),
            .init("connections list", ConnectionsListCommand.declaration, ConnectionsListCommand.run),
            .init("connections show", ConnectionsShowCommand.declaration, ConnectionsShowCommand.run),
            .init("connections rename", ConnectionsRenameCommand.declaration, ConnectionsRenameCommand.run),
            .init("connections delete", ConnectionsDeleteCommand.declaration, ConnectionsDeleteCommand.run),
            .init("connections ping", ConnectionsPingCommand.declaration, ConnectionsPingCommand.run),
            .init("connections features", ConnectionsFeaturesCommand.declaration, ConnectionsFeaturesCommand.run),
            .init("connections rotate", ConnectionsRotateCommand.declaration, ConnectionsRotateCommand.run),
            .init("connections export", ConnectionsExportCommand.declaration, ConnectionsExportCommand.run),
            .init("connections import", ConnectionsImportCommand.declaration, ConnectionsImportCommand.run),
            .init("requests list", RequestsListCommand.declaration, RequestsListCommand.run),
            .init("requests show", RequestsShowCommand.declaration, RequestsShowCommand.run),
            .init("requests answer", RequestsAnswerCommand.declaration, RequestsAnswerCommand.run),
            .init("requests decline", RequestsDeclineCommand.declaration, RequestsDeclineCommand.run),
            .init("messages list", MessagesListCommand.declaration, MessagesListCommand.run),
            .init("messages send", MessagesSendCommand.declaration, MessagesSendCommand.run),
            .init(
                "messages watch", MessagesWatchCommand.declaration, MessagesWatchCommand.run, endsByInterruption: true),
            .init("messages ask", MessagesAskCommand.declaration, MessagesAskCommand.run),
            .init("messages answer", MessagesAnswerCommand.declaration, MessagesAnswerCommand.run),
            .init("mediator use", MediatorUseCommand.declaration, MediatorUseCommand.run),
            .init("mediator show", MediatorShowCommand.declaration, MediatorShowCommand.run),
            .init("mediator wake", MediatorWakeCommand.declaration, MediatorWakeCommand.run),
            .init("mediator leave", MediatorLeaveCommand.declaration, MediatorLeaveCommand.run),
            .init("chat", ChatCommand.declaration, ChatCommand.run, endsByInterruption: true),
            .init("listen", ListenCommand.declaration, ListenCommand.run, endsByInterruption: true),
            .init("agent run", CloudAgentRunCommand.declaration, CloudAgentRunCommand.run),
            .init("agent status", CloudAgentStatusCommand.declaration, CloudAgentStatusCommand.run),
            .init("agent accounts", CloudAgentAccountsCommand.declaration, CloudAgentAccountsCommand.run),
            .init("agent backup", CloudAgentBackupCommand.declaration, CloudAgentBackupCommand.run),
            .init("agent verify", CloudAgentVerifyCommand.declaration, CloudAgentVerifyCommand.run),
            .init("agent prune", CloudAgentPruneCommand.declaration, CloudAgentPruneCommand.run),
            .init("agent config show", CloudAgentConfigCommand.declaration, CloudAgentConfigCommand.run),
            .init("agent config sample", CloudAgentSampleCommand.declaration, CloudAgentSampleCommand.run),
            .init("connect demo", ConnectDemoCommand.declaration, ConnectDemoCommand.run),
            .init("prox demo", ProximityDemoCommand.declaration, ProximityDemoCommand.run),
            .init("prox run", ProximityRunCommand.declaration, ProximityRunCommand.run, endsByInterruption: true),
            .init("prox send", ProximitySendCommand.declaration, ProximitySendCommand.run),
            .init("prox report", ProximityReportCommand.declaration, ProximityReportCommand.run),
            .init("prox simulate", CrowdCommand.declaration, CrowdCommand.run),
            .init("prox distance", DistanceCommand.declaration, DistanceCommand.run),
            .init("vault create", VaultCreateCommand.declaration, VaultCreateCommand.run),
            .init("vault label", VaultLabelCommand.declaration, VaultLabelCommand.run),
            .init("vault info", VaultInfoCommand.declaration, VaultInfoCommand.run),
            .init("vault check", VaultCheckCommand.declaration, VaultCheckCommand.run),
            .init("vault rekey", VaultRekeyCommand.declaration, VaultRekeyCommand.run),
            .init("vault export", VaultExportCommand.declaration, VaultExportCommand.run),
            .init("vault import", VaultImportCommand.declaration, VaultImportCommand.run),
            .init("config show", ConfigShowCommand.declaration, ConfigShowCommand.run),
            .init("completion", CompletionCommand.declaration, CompletionCommand.run),
            .init("man", ManualCommand.declaration, ManualCommand.run),
        ])
}
