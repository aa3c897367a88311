"""A door in front of a server of this machine: notes what goes through, and can be closed."""

import asyncio
import dataclasses
import threading
import time

from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar, TCPConnector, WSMsgType, web

# The largest body that goes through.
MOST = 8 << 20


@dataclasses.dataclass
class Post:
    """One request: where to, how long, when it reached the door, and when the server had answered it with what."""

    path: str
    length: int
    began: float
    answered: float
    status: int

    @property
    def isAccepted(self):
        return 200 <= self.status < 300


class Gate:
    """HTTP and WebSocket on a port of its own, for the server at `target`, which may come later and change."""

    def __init__(self):
        self.target, self.isOpen, self.posts = None, True, []
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.port = asyncio.run_coroutine_threadsafe(self._start(), self.loop).result(60)

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    async def _start(self):
        self.session = ClientSession(connector=TCPConnector(limit=0), cookie_jar=DummyCookieJar(),
                                     timeout=ClientTimeout(total=120))
        application = web.Application(client_max_size=MOST)
        application.router.add_route("*", "/{path:.*}", self._handle)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        return site._server.sockets[0].getsockname()[1]

    async def _handle(self, request):
        if not self.isOpen or not self.target:
            request.transport.abort()
            return web.Response()
        if request.headers.get("Upgrade", "").lower() == "websocket":
            return await self._line(request)
        body, began = await request.read(), time.monotonic()
        kind = {"Content-Type": request.headers.get("Content-Type", "application/octet-stream")}
        try:
            async with self.session.request(request.method, self.target + request.path, data=body, headers=kind) as answer:
                content, status, kind = await answer.read(), answer.status, answer.headers.get("Content-Type")
        except (ClientError, OSError, asyncio.TimeoutError):
            request.transport.abort()
            return web.Response()
        if request.method == "POST":
            self.posts.append(Post(request.path, len(body), began, time.monotonic(), status))
        return web.Response(body=content, status=status, headers={"Content-Type": kind} if kind else None)

    async def _line(self, request):
        near = web.WebSocketResponse(max_msg_size=MOST)
        try:
            async with self.session.ws_connect(self.target + request.path, max_msg_size=MOST) as far:
                await near.prepare(request)
                await asyncio.wait({asyncio.ensure_future(pump(near, far)), asyncio.ensure_future(pump(far, near))},
                                   return_when=asyncio.FIRST_COMPLETED)
                if far.close_code is not None:
                    await near.close(code=far.close_code)
        except (ClientError, OSError):
            request.transport.abort()
        return near

    def count(self, path=None, least=0, since=0.0):
        return len(self.accepted(path, least, since))

    def accepted(self, path=None, least=0, since=0.0):
        """Returns the posts that were answered with 2xx, in the order of the answers: at `path`, and of `least` bytes."""
        return [post for post in list(self.posts) if post.isAccepted and post.length >= least and post.began >= since
                and path in (None, post.path)]


async def pump(source, sink):
    try:
        async for message in source:
            if message.type == WSMsgType.TEXT:
                await sink.send_str(message.data)
            elif message.type == WSMsgType.BINARY:
                await sink.send_bytes(message.data)
    except (ClientError, OSError):
        # The receiver is gone.
        pass
