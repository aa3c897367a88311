// A server of Node for our client: prints its port, ends with standard input.
import http from "node:http";

const server = http.createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
        if (request.url === "/chunks") {
            response.writeHead(200, { "Content-Type": "text/plain" });
            response.write("one ");
            setTimeout(() => response.end("two"), 20);
        } else if (request.url === "/moved") {
            response.writeHead(307, { Location: "/" }).end();
        } else {
            response.writeHead(200, { "X-Method": request.method }).end(Buffer.concat(parts));
        }
    });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.on("end", () => process.exit(0)).resume();
