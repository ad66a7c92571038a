"""The exit: the one way for bytes to reach anybody but the owner. It reaches transports, and no model.

wish ─► asking: provenance, limits, card ─► the owner's tap (handlers/envelope_tap) ─► approved
     ─► leaving: spent and dispatched in one transaction, digest recomputed, handed over once, settled by looking
"""
