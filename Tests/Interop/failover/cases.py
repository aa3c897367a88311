"""The cases: what happens to the database, and what then has to hold."""

import os
import signal
import subprocess
import time

import psycopg2
from servers import Patroni, Pooler, Proxy, Server, eventually, folder, run

CASES = {}


def case(name, words):
    def take(body):
        CASES[name] = (words, body)
        return body
    return take


# A primary that is gone.


@case("kill", "synchronous: the primary is killed, its standby promoted")
def kill(trial):
    pair = trial.pair(synchronous=True)
    trial.serve(pair.addresses())
    trial.begin(26)
    trial.pause(3, 6)
    pair.primary.kill()
    trial.pause(0.3, 3)
    trial.promote(pair.standby)
    trial.finish()
    trial.expect_nothing_lost()
    trial.expect_lines_kept()
    trial.expect_taken_within(1)
    trial.require((trial.delay() or 0) <= 2000, f"a live client waited {trial.delay()} ms")
    trial.require(trial.told() is None, f"a loss of {trial.told()} steps was told, and there was none")


@case("frozen", "synchronous: the primary is frozen for 30 s, its standby promoted")
def frozen(trial):
    freeze(trial, 30, 3)


@case("frozen-long", "the same for 300 s")
def frozen_long(trial):
    freeze(trial, 300, 3)


@case("frozen-one-name", "the primary is frozen, and the address is that of a proxy which follows the primary")
def frozen_one_name(trial):
    pair = trial.pair(synchronous=True)
    proxy = trial.keep(Proxy(trial.home, "one-name", one_name(pair.primary)))
    trial.serve("postgres://postgres@127.0.0.1:5000/agent")
    trial.begin(40)
    trial.pause(3, 5)
    pair.primary.freeze()
    trial.pause(1, 3)
    trial.promote(pair.standby)
    # As a name that is changed: old sessions go on, new ones reach the other server.
    proxy.close()
    trial.keep(Proxy(trial.home, "other-name", one_name(pair.standby)))
    trial.finish()
    trial.expect_nothing_lost()
    trial.expect_taken_within(12)


def one_name(server):
    return (f"defaults\n    mode tcp\n    timeout connect 2s\n    timeout client 1h\n    timeout server 1h\n"
            f"listen one\n    bind 127.0.0.1:5000\n    server only {server.label}\n")


def freeze(trial, seconds, limit):
    pair = trial.pair(synchronous=True)
    trial.serve(pair.addresses())
    trial.begin(seconds + 15)
    trial.pause(3, 5)
    pair.primary.freeze()
    began = time.monotonic()
    trial.pause(1, 4)
    trial.promote(pair.standby)
    time.sleep(max(0, began + seconds - time.monotonic()))
    pair.primary.thaw()
    time.sleep(1)
    before = pair.primary.step()
    trial.finish()
    trial.figures["stepsOnFormer"] = pair.primary.step() - before
    trial.expect_nothing_lost()
    trial.expect_lines_kept()
    trial.expect_taken_within(limit)
    trial.require(trial.figures["stepsOnFormer"] == 0, "the former primary was written to")


# History that is lost.


@case("asynchronous", "asynchronous, the standby is 2 s behind: the primary is killed, the standby promoted")
def asynchronous(trial):
    behind(trial, 2)


@case("asynchronous-long", "the same, 10 s behind")
def asynchronous_long(trial):
    behind(trial, 10)


def behind(trial, seconds):
    pair = trial.pair(synchronous=False)
    trial.serve(pair.addresses())
    trial.begin(seconds + 16)
    trial.pause(3, 5)
    # The process that sends the log stands still, so that the standby gets nothing.
    sender = pair.primary.sql("SELECT pid FROM pg_stat_replication", "postgres")[0][0]
    os.kill(sender, signal.SIGSTOP)
    time.sleep(seconds)
    pair.primary.kill()
    trial.pause(0.5, 2)
    kept = eventually("the standby having replayed all", lambda: replayed(pair.standby))
    trial.promote(pair.standby)
    trial.finish()
    # The killed server comes back alone, and shows what it had.
    pair.primary.port = 5439
    pair.primary.start()
    gone = pair.primary.step() - kept
    lost_history(trial, gone)


@case("split", "asynchronous: the standby is promoted while the primary goes on")
def split(trial):
    pair = trial.pair(synchronous=False)
    trial.serve(pair.addresses())
    trial.begin(18)
    trial.pause(4, 7)
    trial.promote(pair.standby)
    base = eventually("the new primary", lambda: pair.standby.step())
    trial.finish()
    trial.figures["stepsOnFormer"] = pair.primary.step() - base
    trial.require(trial.last["waiting"] == 0, f"{trial.last['waiting']} messages wait")
    # At most two seconds and the look itself.
    trial.require(trial.last["lost"] <= trial.arguments.rate * 4, f"{trial.last['lost']} lost")
    former_ends(trial, pair)
    trial.require(trial.told() is not None, "no loss was told")
    trial.figures["gone"] = trial.figures["stepsOnFormer"]
    trial.expect_logged("store.former-primary")


@case("split-late", "the same, and one instance leaves the former primary long after the other has gone on with the new one")
def split_late(trial):
    trial.furtherCauses = 1
    pair = trial.pair(synchronous=False)
    trial.serve(pair.addresses())
    trial.begin(28)
    trial.pause(4, 7)
    early, late = trial.instances
    early.process.send_signal(signal.SIGSTOP)
    base = pair.standby.step()
    trial.promote(pair.standby)
    trial.pause(0.3, 0.6)
    late.process.send_signal(signal.SIGSTOP)
    early.process.send_signal(signal.SIGCONT)
    eventually("the other instance leaving", lambda: pair.standby.step() > pair.primary.step() + 20)
    late.process.send_signal(signal.SIGCONT)
    trial.finish()
    trial.figures["gone"] = pair.primary.step() - base
    trial.require(trial.last["waiting"] == 0, f"{trial.last['waiting']} messages wait")
    former_ends(trial, pair)
    # Of a few steps none may have been answered.
    trial.require(trial.figures["gone"] <= 10 or late.losses(), "the instance that left late told no loss")


@case("former", "asynchronous: the former primary goes on taking writes, and the new one is away for 8 s")
def former(trial):
    trial.furtherCauses = 1
    pair = trial.pair(synchronous=False)
    trial.serve(pair.addresses())
    trial.begin(30)
    trial.pause(3, 5)
    trial.promote(pair.standby)
    eventually("the instances leaving the former primary", lambda: pair.standby.step() > pair.primary.step())
    former_ends(trial, pair)
    pair.standby.kill()
    trial.require(trial.rests(8), "messages were taken by the former primary")
    pair.standby.start()
    trial.mark()
    trial.finish()
    trial.require(trial.last["waiting"] == 0, f"{trial.last['waiting']} messages wait")
    trial.expect_taken_within(5)
    unready = trial.expect_logged("store.former-primary")
    trial.require("store.former-primary" in unready, f"/readyz says {unready}")


@case("split-frozen", "asynchronous: the primary is frozen, its standby promoted, and the primary continued")
def split_frozen(trial):
    pair = trial.pair(synchronous=False)
    trial.serve(pair.addresses())
    trial.begin(25)
    trial.pause(3, 6)
    pair.primary.freeze()
    trial.pause(0.2, 1.5)
    base = pair.standby.step()
    trial.promote(pair.standby)
    trial.pause(0.1, 1)
    pair.primary.thaw()
    trial.finish()
    trial.figures["gone"] = pair.primary.step() - base
    trial.require((trial.told() or 0) <= trial.figures["gone"], "more was told than is gone")
    trial.require(trial.last["waiting"] == 0, f"{trial.last['waiting']} messages wait")
    trial.require(trial.last["lost"] <= trial.arguments.rate * 4, f"{trial.last['lost']} lost")
    former_ends(trial, pair)


def former_ends(trial, pair):
    """At the end nothing of ours is left on the former primary but a look at it, which takes no second."""
    rows = pair.primary.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'symbolon' "
                            "AND backend_start < now() - interval '1 second'", "postgres")
    trial.require(rows[0][0] == 0, f"{rows[0][0]} connections are left on the former primary")


def replayed(server):
    try:
        rows = server.sql("SELECT pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AND NOT EXISTS "
                          "(SELECT 1 FROM pg_stat_wal_receiver)")
        return server.step() if rows[0][0] else None
    except psycopg2.Error:
        return None


def lost_history(trial, gone):
    """Checks a run that lost steps: instances report exactly the lost steps, in time, and nothing new is stuck."""
    trial.figures["gone"] = gone
    told = trial.told()
    # A commit of which the server's answer was cut off was not answered to a sender either.
    trial.require(told in (gone, gone - 1), f"{told} steps were told, {gone} are gone")
    for instance in trial.instances:
        times = [at - trial.promoted for at, _ in instance.losses()]
        trial.require(times and times[0] <= 2 + 1, f"instance {instance.number} told of the loss after {times}")
    trial.require(trial.last["waiting"] == 0, f"{trial.last['waiting']} messages wait at the end")
    trial.require((trial.delay() or 0) <= 5000, f"a live client waited {trial.delay()} ms")
    for name in ("duplicates", "strange"):
        trial.require(trial.last[name] == 0, f"{name}: {trial.last[name]}")
    trial.expect_lines_kept()


# Commits that wait for a standby.


@case("cancel", "synchronous: waits for the frozen standby are cancelled, the primary killed, the standby promoted")
def cancel(trial):
    trial.furtherCauses = 1
    pair = trial.pair(synchronous=True)
    trial.serve(pair.addresses())
    trial.begin(22)
    trial.pause(3, 5)
    pair.standby.freeze()
    end = time.monotonic() + trial.random.uniform(4, 6)
    cancelled = 0
    while time.monotonic() < end:
        rows = pair.primary.sql(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'", "postgres")
        cancelled += len(rows)
        time.sleep(0.2)
    trial.figures["cancelled"] = cancelled
    pair.primary.kill()
    pair.standby.thaw()
    trial.promote(pair.standby)
    trial.finish()
    trial.require(cancelled > 0, "no wait was cancelled")
    trial.expect_nothing_lost()


@case("standby-away", "synchronous: the standby is away for 15 s and comes back")
def standby_away(trial):
    pair = trial.pair(synchronous=True)
    trial.serve(pair.addresses())
    trial.begin(40)
    trial.pause(3, 5)
    pair.standby.kill()
    trial.require(trial.rests(8), "messages were taken without the standby")
    time.sleep(7)
    pair.standby.start()
    trial.mark()
    trial.finish()
    trial.expect_nothing_lost()
    trial.expect_lines_kept()
    trial.expect_taken_within(5)
    standby_is_named(trial)


@case("strict", "store-replicas = synchronous, and the list of standbys is emptied")
def strict(trial):
    pair = trial.pair(synchronous=True)
    trial.serve(pair.addresses(), options=["--store-replicas", "synchronous"])
    trial.begin(25)
    trial.pause(3, 5)
    pair.primary.sql("ALTER SYSTEM SET synchronous_standby_names = ''", "postgres")
    pair.primary.sql("SELECT pg_reload_conf()", "postgres")
    time.sleep(1)
    trial.require(trial.rests(4), "messages were taken without a standby")
    pair.synchronise(True)
    trial.mark()
    trial.finish()
    trial.expect_nothing_lost()
    trial.expect_taken_within(5)
    trial.expect_logged("store.unreplicated")


@case("replay", "the standby replays nothing for a while")
def replay(trial):
    pair = trial.pair(synchronous=True)
    trial.serve(pair.addresses())
    trial.begin(20)
    trial.pause(2, 3)
    pair.standby.sql("SELECT pg_wal_replay_pause()", "postgres")
    time.sleep(8)
    pair.standby.sql("SELECT pg_wal_replay_resume()", "postgres")
    trial.finish()
    trial.expect_nothing_lost()
    trial.require(trial.last["redelivered"] < 500, f"{trial.last['redelivered']} were handed out again")
    trial.require(trial.gap() < 2, f"nothing was taken for {trial.gap()} s")


# The server itself.


@case("restart", "the primary is restarted in place")
def restart(trial):
    pair = trial.pair(synchronous=True)
    trial.serve(pair.addresses())
    trial.begin(20)
    trial.pause(3, 5)
    pair.primary.stop()
    trial.pause(0.5, 2)
    pair.primary.start()
    trial.mark()
    trial.finish()
    trial.expect_nothing_lost()
    trial.expect_lines_kept()
    trial.expect_taken_within(3)


@case("full", "the primary's disk is full for 10 s")
def full(trial):
    disk = small_disk(trial)
    server = trial.keep(Server(disk, "one", "127.0.0.2"))
    server.make()
    server.start()
    server.sql("CREATE DATABASE agent", "postgres")
    trial.serve(f"postgres://postgres@{server.label}/agent")
    trial.begin(35)
    trial.pause(3, 5)
    filler = os.path.join(disk, "filler")
    fill(filler)
    time.sleep(10)
    fill(filler)
    taken = trial.load.accepted()
    os.remove(filler)
    if server.process.poll() is not None:
        trial.figures["serverEnded"] = True
        server.start()
    trial.mark()
    trial.figures["takenBefore"] = taken
    trial.finish()
    trial.expect_nothing_lost()
    trial.expect_taken_within(15)


@case("standby-full", "synchronous: the standby's disk is full for 10 s")
def standby_full(trial):
    disk = small_disk(trial)
    pair = trial.pair(synchronous=True, standbyParent=disk)
    trial.serve(pair.addresses())
    trial.begin(35)
    trial.pause(3, 5)
    filler = os.path.join(disk, "filler")
    fill(filler)
    eventually("the standby ending what it cannot write", lambda: pair.kind() is None)
    time.sleep(10)
    fill(filler)
    trial.require(trial.rests(2), "messages were taken without the standby")
    os.remove(filler)
    if pair.standby.process.poll() is not None:
        trial.figures["serverEnded"] = True
        pair.standby.start()
    eventually("the standby streaming", lambda: pair.kind() == "sync")
    trial.mark()
    trial.finish()
    trial.expect_nothing_lost()
    trial.expect_lines_kept()
    trial.expect_taken_within(5)
    standby_is_named(trial)


def standby_is_named(trial):
    """That the standby is missing is the one cause that is told."""
    logged, unready = trial.codes()
    trial.require(logged == ["store.standby-missing"], f"the log names {logged}")
    trial.require(unready == ["store.standby-missing"], f"/readyz says {unready}")


def small_disk(trial):
    """A file system of 420 MB."""
    disk = os.path.join(trial.home, "disk")
    os.makedirs(disk)
    run("mount", "-t", "tmpfs", "-o", "size=420m,mode=0711", "tmpfs", disk)
    trial.keep(Mounted(disk))
    return disk


def fill(path):
    with open(path, "ab", buffering=0) as filler:
        block = bytes(65536)
        while len(block):
            try:
                filler.write(block)
            except OSError:
                block = block[:len(block) // 2]


class Mounted:
    def __init__(self, path):
        self.path = path

    def close(self):
        subprocess.run(["umount", "-l", self.path], check=False)


# The network, and a process that stands still.


@case("partition", "asynchronous: the primary is cut off, its standby promoted, and the cut ends")
def partition(trial):
    trial.furtherCauses = 1
    pair = trial.pair(synchronous=False)
    trial.serve(pair.addresses())
    trial.begin(30)
    trial.pause(3, 5)
    # Drops packets that instances send and receive; PostgreSQL's own processes belong to another user.
    rules = trial.keep(Rules("ip daddr 127.0.0.2 drop", "ip saddr 127.0.0.2 drop"))
    trial.pause(2, 4)
    before = pair.primary.step()
    trial.promote(pair.standby)
    time.sleep(10)
    rules.close()
    trial.finish()
    trial.figures["stepsOnFormer"] = pair.primary.step() - before
    trial.require(trial.figures["stepsOnFormer"] <= 2, "the former primary was written to")
    trial.require(trial.last["waiting"] == 0, f"{trial.last['waiting']} messages wait")
    trial.expect_taken_within(12)


@case("partition-answers", "synchronous: what the primary sends is cut off, its standby promoted")
def partition_answers(trial):
    pair = trial.pair(synchronous=True)
    trial.serve(pair.addresses())
    trial.begin(30)
    trial.pause(3, 5)
    rules = trial.keep(Rules("ip saddr 127.0.0.2 drop"))
    trial.pause(1, 3)
    trial.promote(pair.standby)
    time.sleep(10)
    rules.close()
    trial.finish()
    trial.expect_nothing_lost()
    trial.expect_taken_within(12)


class Rules:
    """Rules of nftables in this network namespace; none is left at the end."""

    def __init__(self, *rules):
        run("nft", "add", "table", "inet", "failover")
        run("nft", "add", "chain", "inet", "failover", "output", "{ type filter hook output priority 0; }")
        for rule in rules:
            run("nft", "add", "rule", "inet", "failover", "output", *rule.split())
        self.isThere = True

    def close(self):
        if self.isThere:
            self.isThere = False
            run("nft", "delete", "table", "inet", "failover")


@case("stopped", "asynchronous: the one instance stands still while the standby is promoted, and goes on")
def stopped(trial):
    trial.furtherCauses = 1
    pair = trial.pair(synchronous=False)
    trial.serve(pair.addresses(), count=1)
    trial.begin(25)
    trial.pause(3, 5)
    process = trial.instances[0].process
    process.send_signal(signal.SIGSTOP)
    time.sleep(1)
    trial.promote(pair.standby)
    trial.pause(5, 8)
    process.send_signal(signal.SIGCONT)
    trial.mark()
    trial.finish()
    trial.expect_nothing_lost()
    trial.expect_taken_within(5)
    former_ends(trial, pair)


# Patroni.


@case("patroni-switchover", "Patroni: a switchover")
def patroni_switchover(trial):
    cluster = trial.keep(Patroni(trial.home))
    trial.serve(cluster.addresses())
    trial.begin(30)
    trial.pause(3, 6)
    leader = cluster.leader()
    names = eventually("a synchronous standby", leader.synchronous_standbys)
    candidate = next(member for member in cluster.members if member.name in names)
    status, words = leader.request("/switchover", f'{{"leader": "{leader.name}", "candidate": "{candidate.name}"}}'.encode())
    trial.require(status == 200, f"the switchover was answered with {status}: {words}")
    trial.promoted = eventually("the new leader", lambda: candidate.takes_writes() and time.monotonic(), pause=0.02)
    trial.finish()
    trial.expect_ready_when_writable()
    trial.expect_nothing_lost()
    trial.expect_lines_kept()
    trial.expect_taken_within(1)


@case("patroni-kill", "Patroni: the leader and its Patroni are killed")
def patroni_kill(trial):
    patroni_leader_gone(trial, lambda leader: leader.kill())


@case("patroni-freeze", "Patroni: the leader and its Patroni are frozen")
def patroni_freeze(trial):
    patroni_leader_gone(trial, lambda leader: leader.freeze())


@case("patroni-proxy", "Patroni behind HAProxy: the leader and its Patroni are frozen")
def patroni_proxy(trial):
    patroni_leader_gone(trial, lambda leader: leader.freeze(), proxied=True)


def patroni_leader_gone(trial, remove, proxied=False):
    cluster = trial.keep(Patroni(trial.home))
    address = cluster.addresses()
    if proxied:
        trial.keep(Proxy.before_members(trial.home, cluster.members))
        address = "postgres://symbolon:change-me-agent@127.0.0.1:5000/agent"
        time.sleep(3)
    trial.serve(address)
    trial.begin(55, drain=90)
    trial.pause(3, 6)
    leader = cluster.leader()
    others = [member for member in cluster.members if member is not leader]
    remove(leader)
    trial.promoted = eventually(
        "a new leader", lambda: any(member.takes_writes() for member in others) and time.monotonic(), pause=0.02)
    trial.finish()
    trial.expect_ready_when_writable()
    trial.expect_nothing_lost()
    trial.expect_lines_kept()
    trial.expect_taken_within(1)


@case("patroni-etcd", "Patroni: etcd is away for 30 s")
def patroni_etcd(trial):
    trial.furtherCauses = 2
    cluster = trial.keep(Patroni(trial.home))
    trial.serve(cluster.addresses())
    trial.begin(80, drain=90)
    trial.pause(3, 6)
    cluster.etcd.close()
    time.sleep(30)
    cluster.etcd.start()
    trial.promoted = eventually("a leader", lambda: any(member.takes_writes() for member in cluster.members) and time.monotonic(), 60)
    trial.finish()
    trial.expect_nothing_lost()
    trial.expect_taken_within(1)


# Addresses, roles and poolers that do not do, and one that does.


@case("pooler-session", "pgbouncer with pool_mode = session: the server behind it is restarted")
def pooler_session(trial):
    pair = trial.pair(synchronous=True)
    trial.keep(Pooler(trial.home, pair.primary, "session"))
    trial.serve(Pooler.address)
    trial.begin(20)
    trial.pause(3, 5)
    pair.primary.stop()
    pair.primary.start()
    trial.mark()
    trial.finish()
    trial.expect_nothing_lost()
    trial.expect_taken_within(5)


@case("states", "servers, roles and addresses with which no agent can serve: each with its code")
def states(trial):
    pair = trial.pair(synchronous=True)
    primary, standby = pair.primary, pair.standby
    primary.sql("CREATE ROLE plain LOGIN; CREATE ROLE outside LOGIN", "postgres")
    primary.sql("CREATE DATABASE closed", "postgres")
    primary.sql("REVOKE CONNECT ON DATABASE closed FROM PUBLIC", "postgres")
    primary.sql("CREATE ROLE one LOGIN CONNECTION LIMIT 1; GRANT CREATE ON DATABASE agent TO one", "postgres")
    primary.sql("CREATE ROLE locked LOGIN PASSWORD 'right'; GRANT CREATE ON DATABASE agent TO locked", "postgres")
    with open(f"{primary.data}/pg_hba.conf", encoding="ascii") as file:
        rules = file.read()
    with open(f"{primary.data}/pg_hba.conf", "w", encoding="ascii") as file:
        file.write("host all locked 127.0.0.0/8 scram-sha-256\n" + rules)
    primary.sql("SELECT pg_reload_conf()", "postgres")
    pooler = trial.keep(Pooler(trial.home, primary, "transaction"))
    silent = ",".join(f"127.0.1.{number}:5432" for number in range(1, 30))
    cut = trial.keep(Rules("ip daddr 127.0.1.0/24 drop"))
    found = {}

    def expect(case, address, code, limit=10.0, words=""):
        took, seen, text = trial.open(address)
        text = " ".join(text.split())
        found[case] = {"code": seen, "seconds": round(took, 1)}
        trial.require(seen == code, f"{case}: {seen}, not {code}: {text[-300:]}")
        trial.require(took <= limit, f"{case}: told after {took:.1f} s")
        trial.require("disk" not in text, f"{case}: a disk is spoken of: {text[-300:]}")
        trial.require(words in text, f"{case}: no “{words}”: {text[-600:]}")

    expect("a role without the right to make a schema", f"postgres://plain@{primary.label}/agent", "cloud.store.rights",
           words="GRANT CREATE ON DATABASE agent TO plain;")
    expect("a role that may not connect", f"postgres://plain@{primary.label}/closed", "cloud.store.rights",
           words='GRANT CONNECT ON DATABASE "closed" TO "plain";')
    expect("a role with one connection", f"postgres://one@{primary.label}/agent", "cloud.store.connections")
    expect("a wrong password", f"postgres://locked:wrong@{primary.label}/agent", "cloud.store.login")
    expect("a role that is missing", f"postgres://none@{primary.label}/agent", "cloud.store.login", words="CREATE ROLE")
    open_passwords = os.path.join(trial.home, "passwords")
    write_password(open_passwords, "right")
    os.chmod(open_passwords, 0o644)
    expect("a password file that others may read", f"postgres://locked@{primary.label}/agent?passfile={open_passwords}",
           "cloud.store.login", words="make it 0600")
    expect("the address of a standby", f"postgres://postgres@{standby.label}/agent", "cloud.store.standby")
    expect("a database that is missing", f"postgres://postgres@{primary.label}/missing", "cloud.store.missing",
           words="createdb --owner=ROLE DATABASE")
    expect("no server", "postgres://postgres@127.0.0.9:5432/agent", "cloud.store.unavailable")
    expect("only a standby may be used", f"postgres://postgres@{primary.label}/agent?target_session_attrs=standby",
           "cloud.store.path")
    expect("pool_mode = transaction", pooler.address, "cloud.store.pooler", 30)
    expect("29 silent servers", f"postgres://postgres@{silent}/agent", "cloud.store.silent")
    began = time.monotonic()
    trial.serve(f"postgres://postgres@{silent},{primary.label}/agent", count=1)
    expect("a role without rights on the tables", f"postgres://outside@{primary.label}/agent", "cloud.store.rights",
           words="GRANT USAGE ON SCHEMA symbolon_agent TO outside;")
    found["29 silent servers and the primary"] = {"code": None, "seconds": round(time.monotonic() - began, 1)}
    trial.require(time.monotonic() - began < 10, "29 silent servers hold up the start")
    trial.instances.pop().stop()
    cut.close()
    primary.freeze()
    expect("a frozen server", f"postgres://postgres@{primary.label}/agent", "cloud.store.silent", 12)
    primary.thaw()
    trial.figures["states"] = found


@case("password", "the role's password is changed, and later the password file")
def password(trial):
    pair = trial.pair(synchronous=True)
    primary = pair.primary
    primary.sql("CREATE ROLE locked LOGIN PASSWORD 'right'; GRANT CREATE ON DATABASE agent TO locked", "postgres")
    with open(f"{primary.data}/pg_hba.conf", encoding="ascii") as file:
        rules = file.read()
    with open(f"{primary.data}/pg_hba.conf", "w", encoding="ascii") as file:
        file.write("host all locked 127.0.0.0/8 scram-sha-256\n" + rules)
    primary.sql("SELECT pg_reload_conf()", "postgres")
    passwords = os.path.join(trial.home, "passwords")
    write_password(passwords, "right")
    trial.serve(f"postgres://locked@{primary.label}/agent?passfile={passwords}")
    trial.begin(25)
    trial.pause(2, 3)
    primary.sql("ALTER ROLE locked PASSWORD 'new'", "postgres")
    trial.require(not trial.rests(1), "open connections do not go on")
    # New connections are needed.
    primary.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'locked'", "postgres")
    trial.require(trial.rests(4), "messages are taken with the old password")
    write_password(passwords, "new")
    trial.mark()
    trial.finish()
    trial.expect_nothing_lost()
    trial.expect_taken_within(3)
    unready = trial.expect_logged("store.login")
    trial.require(any("store.login" in text for text in unready), f"/readyz says {unready}")


def write_password(path, word):
    with open(path, "w", encoding="ascii") as file:
        file.write(f"*:*:*:*:{word}\n")
    os.chmod(path, 0o600)


@case("tls", "sslmode = verify-full: a right, an expired and a foreign certificate, and one for another name")
def tls(trial):
    server = trial.keep(Server(trial.home, "one", "127.0.0.2"))
    server.make()
    place = folder(trial.home, "certificates")
    authority(place)
    with open(f"{server.data}/postgresql.conf", "a", encoding="ascii") as settings:
        settings.write(f"ssl = on\nssl_cert_file = '{place}/server.pem'\nssl_key_file = '{place}/server.key'\n")
    certify(place, "IP:127.0.0.2")
    server.start()
    server.sql("CREATE DATABASE agent", "postgres")
    address = f"postgres://postgres@{server.label}/agent?sslmode=verify-full&sslrootcert="
    found = {}
    for words, name, days, root in (("another name", "IP:127.0.0.8", 30, "root.pem"), ("expired", "IP:127.0.0.2", -1, "root.pem"),
                                    ("another root", "IP:127.0.0.2", 30, "other.pem")):
        certify(place, name, days)
        server.sql("SELECT pg_reload_conf()", "postgres")
        time.sleep(0.5)
        took, seen, text = trial.open(address + f"{place}/{root}")
        found[words] = {"code": seen, "seconds": round(took, 1), "words": text[-200:]}
        trial.require(seen == "cloud.store.login", f"{words}: {seen}: {text[-300:]}")
        trial.require("certificate" in text, f"{words}: no word of a certificate: {text[-300:]}")
    certify(place, "IP:127.0.0.2")
    server.sql("SELECT pg_reload_conf()", "postgres")
    time.sleep(0.5)
    trial.figures["certificates"] = found
    trial.serve(address + f"{place}/root.pem")
    trial.begin(6)
    trial.finish()
    trial.expect_nothing_lost()
    rows = server.sql("SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl AND "
                      "application_name = 'symbolon'", "postgres")
    trial.require(rows[0][0] == 6, f"{rows[0][0]} of 6 connections have TLS")


def authority(place):
    for name in ("root", "other"):
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj",
            f"/CN={name}", "-keyout", f"{place}/{name}.key", "-out", f"{place}/{name}.pem")
    run("chmod", "711", place)
    run("chmod", "644", f"{place}/root.pem", f"{place}/other.pem")


def certify(place, name, days=30):
    run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=server", "-keyout",
        f"{place}/server.key", "-out", f"{place}/server.csr")
    with open(f"{place}/extensions", "w", encoding="ascii") as file:
        file.write(f"subjectAltName = {name}\n")
    made = ["openssl", "x509", "-req", "-in", f"{place}/server.csr", "-CA", f"{place}/root.pem", "-CAkey", f"{place}/root.key",
            "-CAcreateserial", "-extfile", f"{place}/extensions", "-out", f"{place}/server.pem"]
    run(*made, "-days", str(days))
    if os.geteuid() == 0:
        run("chown", "postgres", f"{place}/server.key", f"{place}/server.pem")
    run("chmod", "600", f"{place}/server.key")
