"""The same beside it: our wallet behind mediators of ACA-Py.

Their queue is in memory and keeps no order, and what was on its way to a client that leaves is gone: so what is missing is
reported, and fails nothing. A text that our wallet has twice does, for that part is its own."""

import os
import time

from ends import WalletEnd
from mediated import KINDS, mediators
from peers import Peer, eventually
from numbered import Accepted


class Beside:
    """One agent that writes to a wallet of ours behind each mediator in turn."""

    # The seconds to wait for a text that does not come.
    STALL = 20

    def __init__(self, place, report, conversation, folder, hooks):
        self.report, self.conversation, self.folder = report, conversation, folder
        self.between = mediators(place, folder, hooks)
        self.peer = Peer("writer", os.path.join(place, "venv-0.12"), folder, hooks, hasSocket=False)
        self.wallets = []

    def all(self):
        for peer in (self.peer, *self.between):
            peer.awaitReady()
        for mediator, (name, _, _) in zip(self.between, KINDS):
            _, made = mediator.invite("out-of-band", ["connections/1.0"], True)
            wallet = WalletEnd("beside-" + mediator.name, self.folder, made["invitation_url"])
            # The mediator deletes messages that it delivers, so no wallet is killed with it.
            wallet.isHard, wallet.stall = False, self.STALL
            self.wallets.append(wallet)
            found, made = self.peer.invite("out-of-band", ["didexchange/1.1"])
            wallet.accept(made["invitation_url"])
            self.theirs = eventually("the writer completing", lambda f=found: self.peer.found(**f))[0]
            self.conversation.run(f"beside it, ACA-Py's mediator, {name}", self, wallet, isOurs=False)
            wallet.goOffline()

    def sendAll(self, texts, accepted):
        """Sends texts; those that the writer accepts count, because no report says when its mediator has them."""
        for number, text in enumerate(texts):
            began = time.monotonic()
            self.peer.say(self.theirs, text)
            accepted.append(Accepted(number, began, time.monotonic()))

    def stop(self):
        for one in (*self.wallets, self.peer, *self.between):
            one.stop()
