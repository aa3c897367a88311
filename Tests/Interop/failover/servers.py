"""Real servers of Debian's packages: PostgreSQL, Patroni with etcd, HAProxy and pgbouncer, on loopback addresses of their own.

The driver runs in a network namespace of its own, so ports are fixed and rules of nftables touch nothing else. Every process that is
started here is ended here, by its number.
"""

import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.request

import psycopg2

# Those of the machine: 15 on Debian 12, 17 on Debian 13.
BIN = max(glob.glob("/usr/lib/postgresql/*/bin"))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
# It does not run as root: then it runs as the user that its package made, who has to reach the folder.
AS_POSTGRES = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"] if os.geteuid() == 0 else []
LIMIT = 60


class Failed(Exception):
    """An event that a case needs did not happen."""


def eventually(what, holds, limit=LIMIT, pause=0.05):
    """The first true value of `holds`."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        value = holds()
        if value:
            return value
        time.sleep(pause)
    raise Failed(f"{what} took more than {limit} seconds")


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


def folder(parent, name):
    """A folder that belongs to the user of PostgreSQL."""
    path = os.path.join(parent, name)
    os.makedirs(path, mode=0o700)
    if os.geteuid() == 0:
        shutil.chown(path, "postgres", "postgres")
    return path


def run(*command, where="/"):
    done = subprocess.run(command, cwd=where, capture_output=True, stdin=subprocess.DEVNULL, timeout=LIMIT, check=False)
    if done.returncode:
        raise Failed(f"{command[-1]}: {' '.join(command)[:200]} ended with {done.returncode}: {done.stderr[-300:]!r}")
    return done.stdout.decode()


def family(number):
    """A process and all below it."""
    found, parents = [number], {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as stat:
                parents.setdefault(int(stat.read().rsplit(")", 1)[1].split()[1]), []).append(int(name))
        except OSError:
            pass
    for process in found:
        found += parents.get(process, [])
    return found


def signal_all(processes, kind):
    for process in processes:
        try:
            os.kill(process, kind)
        except ProcessLookupError:
            pass


def end(process, kind=signal.SIGTERM, limit=20):
    """Ends a process that was started here."""
    if process is None or process.poll() is not None:
        return
    process.send_signal(kind)
    try:
        process.wait(limit)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def rows(statement, durability="local", **place):
    connection = psycopg2.connect(connect_timeout=2, options=f"-c synchronous_commit={durability}", **place)
    try:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []
    finally:
        connection.close()


class Server:
    """One server of PostgreSQL, at an address of its own."""

    def __init__(self, parent, name, address, port=5432):
        self.name, self.address, self.port = name, address, port
        self.home = folder(parent, name)
        self.data = os.path.join(self.home, "data")
        self.log = os.path.join(self.home, "log")
        self.process = None

    @property
    def label(self):
        return f"{self.address}:{self.port}"

    def make(self):
        run(*AS_POSTGRES, f"{BIN}/initdb", "--auth=trust", "--username=postgres", "--no-sync", "--encoding=UTF8", "-D", self.data,
            where=self.home)
        with open(f"{self.data}/postgresql.conf", "a", encoding="ascii") as settings:
            settings.write("max_connections = 60\nshared_buffers = 32MB\nwal_level = replica\nmax_wal_senders = 8\n"
                           "hot_standby = on\nwal_retrieve_retry_interval = 500ms\nwal_keep_size = 256MB\nlog_checkpoints = off\n")

    def copy(self, primary):
        run(*AS_POSTGRES, f"{BIN}/pg_basebackup", "-R", "-X", "stream", "-c", "fast", "-D", self.data, "-d",
            f"host={primary.address} port={primary.port} user=postgres application_name={self.name}", where=self.home)

    def start(self, waits=True):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*AS_POSTGRES, f"{BIN}/postgres", "-D", self.data, "-c", f"listen_addresses={self.address}", "-c",
                 f"port={self.port}", "-c", f"unix_socket_directories={self.home}"], cwd=self.home, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        if waits:
            eventually(f"{self.name} being ready", self.answers)

    def answers(self):
        try:
            self.sql("SELECT 1", "postgres")
        except psycopg2.Error:
            return False
        return True

    def sql(self, statement, database="agent", user="postgres"):
        """The rows of a statement, on a connection of its own that no rule of the network touches."""
        return rows(statement, host=self.home, port=self.port, user=user, dbname=database)

    def is_writable(self):
        try:
            return self.sql("SELECT pg_is_in_recovery()", "postgres") == [(False,)]
        except psycopg2.Error:
            return False

    def step(self):
        """The number of the store's newest step."""
        return self.sql("SELECT number FROM symbolon_agent.store_steps")[0][0]

    def processes(self):
        with open(f"{self.data}/postmaster.pid", encoding="ascii") as file:
            return family(int(file.readline()))

    def freeze(self):
        signal_all(self.processes(), signal.SIGSTOP)

    def thaw(self):
        signal_all(self.processes(), signal.SIGCONT)

    def kill(self):
        """Ends it as a power cut does: no process of it says anything more."""
        signal_all(self.processes(), signal.SIGKILL)
        if self.process:
            self.process.wait()

    def stop(self, kind=signal.SIGINT):
        if self.process and self.process.poll() is None:
            signal_all(family(self.process.pid), signal.SIGCONT)
            end(self.process, kind)

    def close(self):
        self.stop(signal.SIGQUIT)


class Pair:
    """A primary and its standby."""

    def __init__(self, parent, synchronous, standbyParent=None):
        self.primary, self.standby = Server(parent, "one", "127.0.0.2"), Server(standbyParent or parent, "two", "127.0.0.3")
        self.primary.make()
        self.primary.start()
        self.primary.sql("CREATE DATABASE agent", "postgres")
        self.standby.copy(self.primary)
        self.standby.start()
        self.synchronise(synchronous)

    def synchronise(self, synchronous):
        self.primary.sql(f"ALTER SYSTEM SET synchronous_standby_names = '{'*' if synchronous else ''}'", "postgres")
        self.primary.sql("SELECT pg_reload_conf()", "postgres")
        wanted = "sync" if synchronous else "async"
        eventually("the standby streaming", lambda: self.kind() == wanted)

    def kind(self):
        found = self.primary.sql("SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'", "postgres")
        return found[0][0] if found else None

    def addresses(self):
        return f"postgres://postgres@{self.standby.label},{self.primary.label}/agent"

    def close(self):
        for server in (self.standby, self.primary):
            server.close()


class Etcd:
    """The store in which members of Patroni agree on their leader."""

    def __init__(self, parent):
        self.home = folder(parent, "etcd")
        self.start()

    def start(self):
        client, peer = "http://127.0.0.1:2379", "http://127.0.0.1:2380"
        self.process = subprocess.Popen(
            [*AS_POSTGRES, "etcd", "--data-dir", self.home + "/data", "--listen-client-urls", client, "--advertise-client-urls",
             client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}"],
            cwd=self.home, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def close(self):
        end(self.process)


class Member(Server):
    """A server of PostgreSQL that a Patroni of its own starts, by the sample in Packaging."""

    def __init__(self, parent, number):
        super().__init__(parent, f"db{number}", f"127.0.0.{10 + number}")
        with open(f"{ROOT}/Packaging/patroni.yml", encoding="utf-8") as sample:
            text = sample.read()
        for before, after in (("name: db1", f"name: {self.name}"), ("db1.internal", self.address),
                              ("etcd1.internal:2379,etcd2.internal:2379,etcd3.internal:2379", "127.0.0.1:2379"),
                              ("10.0.0.0/24", "127.0.0.0/8"), ("/var/lib/postgresql/15/agent", self.data),
                              ("/usr/lib/postgresql/15/bin", BIN)):
            if before not in text:
                raise Failed(f"Packaging/patroni.yml has no “{before}”")
            text = text.replace(before, after)
        self.settings = os.path.join(self.home, "patroni.yml")
        with open(self.settings, "w", encoding="utf-8") as file:
            file.write(text)

    def start(self, waits=False):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([*AS_POSTGRES, "patroni", self.settings], cwd=self.home, stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log)

    def processes(self):
        try:
            return super().processes() + family(self.process.pid)
        except OSError:
            return family(self.process.pid)

    def sql(self, statement, database="agent", user="postgres"):
        return rows(statement, host=self.address, port=self.port, user=user, dbname=database, password="change-me-superuser")

    def request(self, path, data=None):
        """The status and the words with which Patroni answers; 0 for none."""
        request = urllib.request.Request(f"http://{self.address}:8008{path}", data=data)
        if data is not None:
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)

    def takes_writes(self):
        """True once a commit is made as the agent makes it, with its standby."""
        try:
            rows("INSERT INTO probe VALUES (1)", durability="on", host=self.address, port=self.port, user="postgres",
                 dbname="postgres", password="change-me-superuser")
            return True
        except psycopg2.Error:
            return False

    def synchronous_standbys(self):
        """The names of the members that Patroni takes for synchronous standbys."""
        status, words = self.request("/cluster")
        members = json.loads(words)["members"] if status == 200 else []
        return [member["name"] for member in members if member["role"] == "sync_standby"]

    def is_leader(self):
        return self.request("/primary")[0] == 200

    def close(self):
        processes = self.processes() if self.process else []
        signal_all(processes, signal.SIGCONT)
        if self.process:
            end(self.process)
        # Processes that a killed Patroni left behind; all were found below one that was started here.
        signal_all([process for process in processes if os.path.exists(f"/proc/{process}")], signal.SIGKILL)


class Patroni:
    """Three members and their etcd."""

    def __init__(self, parent):
        self.etcd = Etcd(parent)
        self.members = []
        try:
            self.members = [Member(parent, number) for number in (1, 2, 3)]
            for member in self.members:
                member.start()
            leader = eventually("a leader", self.leader, 90)
            eventually("the leader being writable", leader.is_writable)
            self.wait_for_standbys(2)
            leader.sql("CREATE ROLE symbolon LOGIN PASSWORD 'change-me-agent'", "postgres")
            leader.sql("CREATE DATABASE agent OWNER symbolon", "postgres")
            leader.sql("CREATE TABLE probe (number INT)", "postgres")
        except Exception:
            self.close()
            raise

    def leader(self):
        return next((member for member in self.members if member.is_leader()), None)

    def wait_for_standbys(self, count):
        def stream():
            leader = self.leader()
            if not leader:
                return False
            try:
                found = leader.sql("SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'", "postgres")
            except psycopg2.Error:
                return False
            return len(found) >= count and ("sync",) in found
        eventually("the members streaming", stream, 90)

    def addresses(self):
        names = ",".join(member.label for member in self.members)
        return f"postgres://symbolon:change-me-agent@{names}/agent"

    def close(self):
        for member in self.members:
            member.close()
        self.etcd.close()


class Proxy:
    """A HAProxy with the given settings."""

    def __init__(self, parent, name, text):
        home = os.path.join(parent, name)
        os.makedirs(home)
        self.settings = os.path.join(home, "haproxy.cfg")
        with open(self.settings, "w", encoding="utf-8") as file:
            file.write(text)
        self.process = subprocess.Popen(["haproxy", "-db", "-f", self.settings], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = int(re.search(r"bind 127\.0\.0\.1:(\d+)", text)[1])
        eventually(f"{name} listening", lambda: listens(port))

    def close(self):
        end(self.process)

    @staticmethod
    def before_agents(parent, port, ports):
        servers = "\n".join(f"    server agent{port} 127.0.0.1:{port}" for port in ports)
        return Proxy(parent, "before-agents", f"""global
    maxconn 4000
defaults
    mode tcp
    timeout connect 2s
    timeout client 1h
    timeout server 1h
    retries 0
listen agents
    bind 127.0.0.1:{port}
    balance roundrobin
{servers}
""")

    @staticmethod
    def before_members(parent, members):
        """The sample in Packaging, with the addresses of these members."""
        with open(f"{ROOT}/Packaging/haproxy.cfg", encoding="utf-8") as sample:
            text = sample.read()
        for number, member in enumerate(members, 1):
            text, count = re.subn(rf"\bdb{number}\.internal\b", member.address, text)
            if not count:
                raise Failed(f"Packaging/haproxy.cfg has no db{number}.internal")
        return Proxy(parent, "before-members", text)


class Pooler:
    """A pgbouncer before one server."""

    def __init__(self, parent, server, mode):
        home = folder(parent, "pooler-" + mode)
        settings = os.path.join(home, "pgbouncer.ini")
        with open(settings, "w", encoding="ascii") as file:
            file.write(f"[databases]\nagent = host={server.address} port={server.port} user=postgres\n[pgbouncer]\n"
                       f"listen_addr = 127.0.0.1\nlisten_port = 6432\nauth_type = any\npool_mode = {mode}\nunix_socket_dir =\n"
                       "max_client_conn = 200\ndefault_pool_size = 40\nserver_login_retry = 1\n")
        if os.geteuid() == 0:
            shutil.chown(settings, "postgres")
        self.process = subprocess.Popen([*AS_POSTGRES, "pgbouncer", "-q", settings], cwd=home, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        eventually("pgbouncer listening", lambda: listens(6432))

    address = "postgres://postgres@127.0.0.1:6432/agent"

    def close(self):
        end(self.process)
