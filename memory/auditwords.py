"""What is said when the audit is read back in the chat. Part of memory/wording."""

from collections.abc import Mapping

TEXTS: Mapping[str, tuple[str, str]] = {
    # key: (English, German)
    "audit_head": ("**What left, and what did not**", "**Was hinausging, und was nicht**"),
    "audit_head_filtered": ("**On record**", "**Aufgezeichnet**"),
    "audit_line": ("- {when}: {what}, {how} – {because}", "- {when}: {what}, {how} – {because}"),
    "audit_to": ("{what} to {to}", "{what} an {to}"),
    "audit_tapped": ("you tapped at {when}", "getippt um {when}"),
    "audit_approval": ("approval {number}", "Freigabe {number}"),
    "audit_none": ("Nothing of that kind is on record.", "Davon ist nichts aufgezeichnet."),
    "audit_more": (
        "Filters: /audit refused, an address, a day (2026-03-02), an agent or a tool. All of it: stillbell audit",
        "Filter: /audit abgelehnt, eine Adresse, ein Tag (2026-03-02), ein Agent oder ein Werkzeug. Alles: stillbell audit",
    ),
    "audit_how_done": ("done", "getan"),
    "audit_how_repeated": ("done before", "schon getan"),
    "audit_how_asked": ("you were asked", "du wurdest gefragt"),
    "audit_how_refused": ("refused", "abgelehnt"),
    "audit_how_failed": ("did not happen", "nicht geschehen"),
    "audit_how_rejected": ("you discarded it", "von dir verworfen"),
    "audit_how_expired": ("nobody tapped in time", "niemand tippte rechtzeitig"),
    "audit_how_void": ("another draft took its place", "durch einen anderen Entwurf ersetzt"),
    "audit_how_taken": ("about to leave", "geht gleich hinaus"),
    "audit_how_handed": ("on its way", "unterwegs"),
    "audit_how_sent": ("sent", "gesendet"),
    "audit_how_unknown": ("nobody knows whether it left", "unklar, ob es hinausging"),
    "audit_how_reserved": ("under way", "läuft"),
    "audit_how_settled": ("called", "aufgerufen"),
}
