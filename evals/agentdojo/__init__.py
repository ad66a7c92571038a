"""AgentDojo's workspace suite (v1.2.2) through the product's own gate and exit, with no model anywhere.

    the owner's calls ─┐                                 ┌─ refused ─► data
    a fallen model's ──┴─► Gate ─► Asking ─► exit.ask ───┴─► card ─► Telegram ─► does it say what I want? ─► tap ─► Exit
                                                                                        provider's ledger ◄─ SMTP ─┘

It needs agentdojo itself, which brings a hundred packages: `make eval-agentdojo` has an environment of its own for it.
"""
