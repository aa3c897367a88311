#!/bin/sh
# Makes an empty folder with packages that depend on this repository by git URL and version: one for each of the four libraries with
# actors, with a program of about ten lines, and one named Parts with a program for each other library, to see that it links alone.
# Builds and runs them, and prints the seconds of each. Where the last commit has no tag of the program's version, the copy gets one.
# `products.sh PACKAGE...` does so for these packages alone.
# The folder is .build-products; what is committed is what the packages get.

set -eu
. "$(dirname "$0")/environment.sh"
root=$(pwd)
place=$root/.build-products
version=$(sed -n 's/.*package static let version = "\(.*\)"$/\1/p' Sources/CommandLine/CommandProgram/Program/Program.swift)
rm -rf "$place/packages" "$place/symbolon.git"
mkdir -p "$place/packages"
git clone --quiet --bare "$root" "$place/symbolon.git"
git -C "$place/symbolon.git" tag --force "v$version" "$(git rev-parse HEAD)" >/dev/null

# make_package PRODUCT: reads the program from standard input.
make_package() {
    folder=$place/packages/$1
    mkdir -p "$folder/Sources/Try"
    cat >"$folder/Package.swift" <<EOF
// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Try",
    dependencies: [.package(url: "file://$place/symbolon.git", from: "$version")],
    targets: [
        .executableTarget(name: "Try", dependencies: [.product(name: "$1", package: "symbolon")])
    ]
)
EOF
    cat >"$folder/Sources/Try/main.swift"
}

make_package TuvaliHandover <<'EOF'
import TuvaliHandover
import VirtualRadio

let air = VirtualAir.private()
let verifier = Verifier(radio: try await air.makeRadio())
let wallet = Wallet(radio: try await air.makeRadio())
try await wallet.connect(to: try await verifier.start(name: "Desk"))
for await event in wallet.events {
    if case .secureChannelEstablished = event { break }
}
print("the wallet has a secure channel to the verifier")
EOF

make_package HeraldProximity <<'EOF'
import HeraldProximity
import VirtualRadio

let air = VirtualAir.private()
func makeSensor(_ air: VirtualAir) async throws -> Sensor {
    var random = SystemRandom()
    let radio = try await air.makeRadio()
    let payload = try FixedPayloadSupplier(random.bytes(count: 16))
    return try Sensor(central: radio, peripheral: radio, supplier: payload, configuration: HeraldConfiguration())
}
let (ann, ben) = (try await makeSensor(air), try await makeSensor(air))
await ann.start()
await ben.start()
for await event in ann.events {
    if case .read(_, let payload, _) = event.event { print("read", payload.count, "bytes of payload"); break }
}
EOF

make_package AriesConnections <<'EOF'
import AriesConnections

let key = try VaultKey.keyFile(at: "wallets.key")
let bank = try await Agent.open(
    folder: "bank", key: key, label: "Bank", reach: .listener(ServerConfiguration()))
let wallet = try await Agent.open(folder: "wallet", key: key, label: "Wallet", policy: .allowPrivate)
let begun = try await wallet.accept(bank.invite(InvitationDraft(.outOfBand, label: "Bank")))
print("connected with", try await begun.completed().label ?? "")
await wallet.close()
await bank.close()
EOF

make_package CloudAgent <<'EOF'
import CloudAgent

var random = SystemRandom()
let secret = try MediatorSecret(Secret(copying: random.bytes(count: 32)))
let service = WebService()
let server = CloudAgentServer(
    CloudAgentConfiguration(), store: try await StoreAddress(parsing: "sqlite:agent.store").open(), secret: secret,
    transport: WebMessageTransport(service), wallTime: Agent.systemCalendar)
print("serves wallets at", try await server.start(), server.invitation?.label ?? "")
await server.stop()
await service.stop()
EOF

# make_part PRODUCT ARTICLE: adds the first program of an article to the package Parts.
parts=$place/packages/Parts
make_part() {
    mkdir -p "$parts/Sources/Try$1"
    awk '
        /^```$/ && open { exit }
        open && /^import / { print; next }
        open { body = body $0 "\n" }
        /^```swift/ && isRun { open = 1 }
        /^<!-- snippet: run/ { isRun = 1 }
        END { printf "func program() async throws {\n%s}\ntry await program()\n", body }
    ' "Documentation/Symbolon.docc/$2.md" >"$parts/Sources/Try$1/main.swift"
    name_part "$1"
}

# name_part PRODUCT: the target of a program in the package Parts.
name_part() {
    printf '        .executableTarget(name: "Try%s", dependencies: [.product(name: "%s", package: "symbolon")]),\n' "$1" "$1" \
        >>"$place/packages/targets"
}

# make_line PRODUCT LINE: adds a program that imports the module with the product's name.
make_line() {
    mkdir -p "$parts/Sources/Try$1"
    printf 'import %s\n%s\n' "$1" "$2" >"$parts/Sources/Try$1/main.swift"
    name_part "$1"
}

make_part Credentials VerifyCredentials
make_part BlueZRadio UseARadio
make_line RadioConformance 'print(RadioConformance.cases.count, "rules")'
make_line CoreBluetoothRadio 'print(BluetoothSystemState.allCases.count, "states")'
cat >"$parts/Package.swift" <<EOF
// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Parts",
    dependencies: [.package(url: "file://$place/symbolon.git", from: "$version")],
    targets: [
$(cat "$place/packages/targets")
    ]
)
EOF

[ $# -gt 0 ] || set -- TuvaliHandover HeraldProximity AriesConnections CloudAgent Parts
for product in "$@"; do
    folder=$place/packages/$product
    began=$(date +%s)
    (cd "$folder" && swift build --scratch-path "$place/build-$product" </dev/null)
    built=$(date +%s)
    # Programs keep their files in their own folder, which is new each time.
    for target in "$folder"/Sources/*/; do
        (cd "$folder" && timeout 60 "$place/build-$product/debug/$(basename "$target")")
    done
    printf '%s: built in %d s, ran in %d s\n' "$product" $((built - began)) $(($(date +%s) - built))
done
