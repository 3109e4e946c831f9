"""A TCP proxy in front of a PostgreSQL server that simulates failures of networks and hosts.

It handles bytes only, not the protocol. Its behaviour can be changed at any time, and applies to open
connections as well as to new ones:

    proxy = CuttingProxy("/folder/.s.PGSQL.5432")       a Unix socket, or ("host", port)
    proxy.address                                       "host=127.0.0.1 port=...", for libpq
    proxy.flow()                                        passes everything on, including held data
    proxy.refuse()                                      refuses new connections; open ones continue
    proxy.drop()                                        cuts the open connections at once, with a reset
    proxy.stall()                                       accepts connections and bytes and holds them
    proxy.swallow()                                     like stall, but bytes are lost: connections that
                                                        lost some stay silent forever, even after flow()
    proxy.slow(0.2)                                     delays each piece by this many seconds
    proxy.cut(b"jobs.submit", at=CuttingProxy.ANSWER)   cuts connections whose request has these bytes
    proxy.close()

`cut` cuts at QUESTION: before the server gets any of the request; HALF: after the server got a part; ANSWER: after the
server has answered and before the client gets the answer. It does so `times` times; `proxy.cuts` counts.
"""

import asyncio
import contextlib
import socket
import struct
import threading

PIECE_BYTES_MAX = 65536


class Link:
    """One connection of a client, and the proxy's connection to the server for it."""

    def __init__(self, client):
        self.ends = [client]
        self.is_lost = False  # It has lost bytes, so nothing on it makes sense any more.
        self.is_doomed = False  # It is cut as soon as the server answers.
        self.is_cut = False

    def cut(self):
        """Closes both ends at once; the client gets a reset instead of an orderly end."""
        self.is_cut = True
        for end in self.ends:
            if end.get_extra_info("socket").family != socket.AF_UNIX:
                at_once = struct.pack("ii", 1, 0)
                with contextlib.suppress(OSError):
                    end.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
            end.transport.abort()


class CuttingProxy:
    QUESTION, HALF, ANSWER = "question", "half", "answer"

    def __init__(self, target):
        self.target = target
        self.links = set()
        self.cuts = 0
        self.wanted_cut = None
        self.is_swallowing = False
        self.delay = 0
        # Bound without listening, which reserves the port while connections are refused.
        self.reservation = self._bound_socket(0)
        self.port = self.reservation.getsockname()[1]
        self.address = f"host=127.0.0.1 port={self.port}"
        self.server = None
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        self.flow()

    @staticmethod
    def _bound_socket(port):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind(("127.0.0.1", port))
        return listener

    def _run(self):
        asyncio.set_event_loop(self.loop)
        self.flowing = asyncio.Event()
        self.loop.run_forever()

    def _do(self, work):
        """Runs a coroutine on the proxy's thread, to its end."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(10)

    # Called by tests

    def flow(self):
        self._do(self._change())

    def refuse(self):
        self._do(self._change(is_listening=False))

    def stall(self):
        self._do(self._change(is_flowing=False))

    def swallow(self):
        self._do(self._change(is_swallowing=True))

    def slow(self, seconds):
        self._do(self._change(delay=seconds))

    def drop(self):
        """The number of connections that were cut."""
        return self._do(self._drop())

    def cut(self, needle, at, times=1):
        self._do(self._want_cut((needle, at, times)))

    def close(self):
        self._do(self._change(is_listening=False))
        self._do(self._end())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.loop.close()
        self.reservation.close()

    # On the proxy's thread

    async def _change(self, is_listening=True, is_flowing=True, is_swallowing=False, delay=0):
        self.is_swallowing = is_swallowing
        self.delay = delay
        (self.flowing.set if is_flowing else self.flowing.clear)()
        if is_listening and not self.server:
            self.server = await asyncio.start_server(self._serve, sock=self._bound_socket(self.port))
        elif not is_listening and self.server:
            self.server.close()
            self.server = None

    async def _want_cut(self, cut):
        self.wanted_cut = cut

    async def _drop(self):
        cut = list(self.links)
        for link in cut:
            link.cut()
        return len(cut)

    async def _end(self):
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _serve(self, from_client, to_client):
        link = Link(to_client)
        self.links.add(link)
        try:
            if isinstance(self.target, tuple):
                from_server, to_server = await asyncio.open_connection(*self.target)
            else:
                from_server, to_server = await asyncio.open_unix_connection(self.target)
            link.ends.append(to_server)
            pumps = [asyncio.ensure_future(self._pump(link, from_client, to_server, False)),
                     asyncio.ensure_future(self._pump(link, from_server, to_client, True))]
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
        except (OSError, asyncio.CancelledError):
            pass  # The server accepts no connection, or the proxy is closed.
        finally:
            self.links.discard(link)
            link.cut()

    async def _pump(self, link, source, target, is_answer):
        """Passes data on until one end closes."""
        with contextlib.suppress(OSError):
            while piece := await source.read(PIECE_BYTES_MAX):
                if await self._may_pass(link, piece, target, is_answer):
                    target.write(piece)
                    await target.drain()
        if link.is_cut:
            return
        # The end of a connection is not passed on by a failing network, either.
        await self.flowing.wait()
        link.is_lost = link.is_lost or self.is_swallowing
        if link.is_lost:
            await asyncio.Event().wait()

    async def _may_pass(self, link, piece, target, is_answer):
        if link.is_doomed and is_answer:
            self._cut_now(link)
        if not is_answer:
            self._look_at(link, piece, target)
        if self.delay:
            await asyncio.sleep(self.delay)
        await self.flowing.wait()
        link.is_lost = link.is_lost or self.is_swallowing
        return not link.is_lost

    def _look_at(self, link, piece, target):
        """Whether this request is one at which to cut."""
        if not self.wanted_cut or self.wanted_cut[0] not in piece:
            return
        needle, at, times = self.wanted_cut
        self.wanted_cut = (needle, at, times - 1) if times > 1 else None
        if at == self.ANSWER:
            link.is_doomed = True
            return
        if at == self.HALF:
            target.write(piece[:piece.index(needle) + len(needle)])
        self._cut_now(link)

    def _cut_now(self, link):
        self.cuts += 1
        link.cut()
        raise ConnectionAbortedError("cut as was asked for")
