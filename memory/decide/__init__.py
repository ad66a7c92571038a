"""The local decision model: how likely it is that the owner will act on a mail, told from what they did before.

exchange ─► form: what the mail shows by itself ───────┐
    │       words: what it says, as hashed marks ──────┼─► features ─► score ─► probability, and what weighed most
    └─► history: how the owner treated such mail ──────┘                  ▲
             ▲ fed after it was asked, so it knows the past alone         └─ fitted (tools/learning), or rules of thumb
"""
