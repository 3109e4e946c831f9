"""Two PostgreSQL servers on loopback, the second a streaming replica of the first, and failures of the first."""

import contextlib
import os
import pathlib
import signal
import socket

from service_support import Cluster, wait_until


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def processes_below(pid):
    """A process and all its descendants."""
    found = [pid]
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            with contextlib.suppress(OSError):  # It may end in between.
                found += processes_below(int(child))
    return found


class TcpCluster(Cluster):
    """A server that also accepts TCP connections."""

    def __init__(self):
        self.port = free_port()
        self.settings = ("listen_addresses=127.0.0.1", f"port={self.port}", "fsync=off", "wal_level=replica",
                         "autovacuum=off")
        super().__init__()

    def _serves(self):
        with contextlib.suppress(AssertionError):
            return self.query("SELECT 1", "postgres").strip() == "1"
        return False

    def query(self, sql, database):
        return self._run("psql", "-h", self.folder, "-p", str(self.port), "-U", "reelsd", "-d", database,
                         "-XAtqc", sql)

    def signal_all(self, which):
        for pid in processes_below(self.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, which)

    def kill_all(self):
        """Simulates a power failure, except that the disk keeps all written data."""
        self.signal_all(signal.SIGSTOP)  # No process can then close connections for another.
        self.signal_all(signal.SIGKILL)
        self.process.wait()

    def close(self):
        if self.process.poll() is None:
            self.kill_all()
        super().close()


class Replica(TcpCluster):
    """A copy of a primary that follows it."""

    def __init__(self, primary):
        self.primary = primary
        super().__init__()

    def _run(self, name, *arguments):
        if name != "initdb":
            return super()._run(name, *arguments)
        return super()._run(
            "pg_basebackup", "-D", self.data, "-R", "-X", "stream", "-c", "fast", "--no-sync", "-d",
            f"host=127.0.0.1 port={self.primary.port} user=reelsd application_name=replica")

    def promote(self):
        assert self.query("SELECT pg_promote()", "postgres").strip() == "t"

    def receiver(self):
        """The process that receives from the primary."""
        return int(wait_until(
            lambda: self.query("SELECT pid FROM pg_stat_wal_receiver", "postgres").strip(), "replication"))


class DatabasePair:
    """A primary and its replica. The replica is promoted after the failure of the primary."""

    def __init__(self):
        self.primary = TcpCluster()
        try:
            self.primary.query("CREATE DATABASE reels", "postgres")
            self.replica = Replica(self.primary)
        except BaseException:
            self.primary.close()
            raise

    def url(self):
        hosts = "127.0.0.1,127.0.0.1"
        ports = f"{self.primary.port},{self.replica.port}"
        return f"host={hosts} port={ports} user=reelsd dbname=reels target_session_attrs=read-write"

    def wait_for_replica(self):
        """Waits until the replica has everything that is committed now."""
        here = self.primary.query("SELECT pg_current_wal_flush_lsn()", "postgres").strip()
        wait_until(
            lambda: self.replica.query(
                f"SELECT pg_last_wal_replay_lsn() >= '{here}'", "postgres").strip() == "t",
            "the replica to catch up")

    def keep_in_step(self):
        """From now on a commit is confirmed when the replica has it on its disk."""
        self.primary.query("ALTER SYSTEM SET synchronous_standby_names = 'replica'", "postgres")
        self.primary.query("SELECT pg_reload_conf()", "postgres")
        wait_until(
            lambda: self.primary.query(
                "SELECT sync_state FROM pg_stat_replication", "postgres").strip() == "sync",
            "the replica to be synchronous")

    def leave_alone(self):
        """From now on the primary confirms commits without a replica."""
        self.primary.query("ALTER SYSTEM RESET synchronous_standby_names", "postgres")
        self.primary.query("SELECT pg_reload_conf()", "postgres")

    def close(self):
        self.replica.close()
        self.primary.close()
