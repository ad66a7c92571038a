"""Roles: what people are at work, as signatures and sentences call it, in English and German."""

import re

ENGLISH = (
    r"c[efotipmrsd]o|cpto|ciso|evp|svp|vp|chief\s+[\w& -]{2,30}\s+officer|(?:vice[ -])?president|founder|co-?founder|partner|principal|owner"
    r"|director|manager|engineer|developer|programmer|officer|analyst|consultant|architect|designer|lawyer|attorney"
    r"|counsel|paralegal|professor|lecturer|researcher|scientist|lead|leader|editor|journalist|nurse|physician|surgeon"
    r"|teacher|accountant|controller|secretary|coordinator|specialist|adviser|advisor|administrator|representative"
    r"|assistant|trader|buyer|planner|producer|recruiter|strategist|technician|translator|trainer|chairman|chairwoman"
    r"|chair|treasurer|librarian|investor|associate|fellow|student|intern"
)
GERMAN = (
    r"geschäftsführ(?:er|erin|ung)|geschäftsführende[r]?\s+\w+|inhaber(?:in)?|(?:mit)?gründer(?:in)?|vorst[aä]nd(?:in)?"
    r"|vorstandsvorsitzende[r]?|prokurist(?:in)?|\w*leiter(?:in)?|leitung|\w*referent(?:in)?|\w*berater(?:in)?"
    r"|\w*entwickler(?:in)?|\w*ingenieur(?:in)?|(?:steuer|wirtschafts)\w+|rechtsanw[aä]lt(?:in)?|notar(?:in)?"
    r"|\w*assistent(?:in)?|\w*assistenz|professor(?:in)?|\w*redakteur(?:in)?|architekt(?:in)?|\w*arzt|\w*ärztin|lehrer(?:in)?"
    r"|\w*sekretär(?:in)?|sachbearbeiter(?:in)?|\w*beauftragte[r]?|\w*koordinator(?:in)?|\w*sprecher(?:in)?|teamleitung"
    r"|\w*mitarbeiter(?:in)?|werkstudent(?:in)?|doktorand(?:in)?|vertrieb|einkauf"
)
_ROLE = re.compile(
    rf"(?:(?:[\w&./+'’-]+\s+){{0,5}}(?:{ENGLISH}|{GERMAN})"
    rf"|(?:[\w&./+'’-]+\s+){{0,3}}(?:head|dean|member|{ENGLISH}|{GERMAN})\s+(?:of|for|des|der|für|von)\s+[\w&+'’ -]{{2,40}}"
    rf"|(?:\w*leiter(?:in)?|leitung|teamleitung|referent(?:in)?|sachbearbeiter(?:in)?|director|manager|vp)\s+[\w&+'’ -]{{2,40}}"
    rf"|(?:{ENGLISH})\s*(?:&|\+|und|and|/)\s*(?:{ENGLISH}|[\w-]+))",
    re.IGNORECASE,
)
_NO_ROLE = re.compile(
    r"\b(?:your|our|my|dein|ihr|unser|mein|the|is|was|please|bitte|thanks|dank|contact|kontakt|team|gmbh|ltd|inc|llc|in|to|an|zu|bei|at)\b",
    re.IGNORECASE,
)

SAID = (
    rf"(?:(?:[\w&-]+ ){{0,4}}?(?:{ENGLISH}|{GERMAN})(?: (?:of|for|für|des|der) [\w&' -]{{2,40}}?)?"
    r"|(?:head|dean|member|leiter(?:in)?|leitung) (?:of|des|der|für) [\w&' -]{2,40}?)"
)
"""A role in a sentence of the owner's, as a pattern."""

_SURE = re.compile(
    r"(?:.* )?(?:c[efotimps]o|ciso|cpto|[es]?vp|founder|co-?founder|lawyer|attorney|professor|teacher|nurse|journalist|consultant"
    r"|architect|accountant|engineer|developer|programmer|designer|scientist|analyst|recruiter|translator|physician|surgeon"
    r"|geschäftsführer(?:in)?|gründer(?:in)?|lehrer(?:in)?|arzt|ärztin|rechtsanw[aä]lt(?:in)?|notar(?:in)?|\w*ingenieur(?:in)?"
    r"|\w*entwickler(?:in)?|\w*berater(?:in)?|architekt(?:in)?|professor(?:in)?|redakteur(?:in)?|prokurist(?:in)?)"
    r"|(?:head|dean|leiter(?:in)?|director|vp) (?:of|des|der|für) .+",
    re.IGNORECASE,
)


def is_role(words: str) -> bool:
    """Whether these words are a role, whole, and nothing else."""
    return _ROLE.fullmatch(words) is not None and _NO_ROLE.search(words) is None


def is_sure(words: str) -> bool:
    """Whether a sentence that says "she is …" tells a role beyond doubt: "the owner of the file" is none."""
    return _SURE.fullmatch(words) is not None
