// Node against our server: fetch, and WebSocket where this Node has one.
// node-client.mjs BASE-URL; a root certificate comes in NODE_EXTRA_CA_CERTS.
import assert from "node:assert";

const base = process.argv[2];
const hello = await fetch(base + "/");
assert.equal(hello.status, 200);
assert.equal(await hello.text(), "hello\n");

const body = new Uint8Array(500_000).map((_, index) => index & 255);
const echo = await fetch(base + "/echo", { method: "POST", body });
assert.equal(echo.status, 200);
assert.deepEqual(new Uint8Array(await echo.arrayBuffer()), body);

const query = await fetch(base + "/query?a=1%26&b=c+d&%C3%A9=x");
assert.equal(await query.text(), "/query a=1&|b=c d|é=x");
assert.equal((await fetch(base + "/thing", { method: "DELETE" })).status, 204);
assert.equal((await fetch(base + "/nowhere")).status, 404);
assert.equal((await fetch(base + "/header", { headers: { "X-Test": "seen" } })).status, 200);
const moved = await fetch(base + "/redirect", { redirect: "manual" });
assert.equal(moved.status, 302);
const stream = new ReadableStream({
    start(controller) {
        controller.enqueue(new TextEncoder().encode("in chunks"));
        controller.close();
    },
});
const chunked = await fetch(base + "/echo", { method: "POST", body: stream, duplex: "half" });
assert.equal(await chunked.text(), "in chunks");
await Promise.all(Array.from({ length: 100 }, async () => assert.equal((await fetch(base + "/slow/20")).status, 200)));
console.log("node fetch: ok");

if (typeof WebSocket === "undefined") {
    console.log("node WebSocket: SKIPPED, this Node has none");
} else {
    const socket = new WebSocket(base.replace("http", "ws") + "/chat", ["other", "chat.v1"]);
    socket.binaryType = "arraybuffer";
    await new Promise((resolve, reject) => { socket.onopen = resolve; socket.onerror = reject; });
    assert.equal(socket.protocol, "chat.v1");
    const next = () => new Promise((resolve) => { socket.onmessage = (event) => resolve(event.data); });
    for (const message of ["text", "é".repeat(1000), new Uint8Array(0), new Uint8Array(200_000).fill(7)]) {
        const answer = next();
        socket.send(message);
        const heard = await answer;
        if (typeof message === "string") assert.equal(heard, message);
        else assert.deepEqual(new Uint8Array(heard), message);
    }
    const closed = new Promise((resolve) => { socket.onclose = resolve; });
    socket.close(1000, "done");
    assert.equal((await closed).code, 1000);
    console.log("node WebSocket: ok");
}
