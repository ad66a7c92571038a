"""The words, English and German, in which something is asked, and those in which it only seems to be.

Every repetition in the patterns is bounded, and so is the sentence that they see: no text can make them slow.
"""

import re


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_YOU = r"(?:you|u|ya|y'all)"
_DO = (
    r"(?:accept|add|advise|answer|approve|arrange|ask|attach|book|bring|call|change|check|clarify|comment|complete|confirm|"
    r"consider|contact|coordinate|copy|correct|decide|discuss|draft|e-?mail|ensure|explain|fax|fill|find|finish|fix|follow|"
    r"forward|fwd|get|give|go|handle|have|help|hold|include|inform|join|keep|look|mail|make|meet|move|notify|pass|pay|phone|"
    r"pick|plan|post|prepare|print|provide|pull|put|reach|manage|re-?send|read|remind|remove|reply|reserve|respond|return|review|"
    r"revise|rsvp|run|schedule|see|select|send|set|share|ship|show|shoot|sign|speak|stop|submit|take|talk|tell|think|try|"
    r"update|upload|use|verify|wait|work|write)"
)

NOISE = _any(
    # notes and courtesies
    r"\bplease (?:also )?(?:note|find\b|be (?:advised|aware|informed)|keep in mind|bear with|accept (?:my|our)|see (?:the )?attach|disregard|ignore|"
    r"excuse|forgive|do ?n[o']t (?:reply|respond|hesitate)|consider the environment|remember that)",
    r"\bif you (?:have|should have|need|want|require) (?:any |further |more |additional )?"
    r"(?:any |further |more |other )?(?:questions?|queries|concerns|comments|information|assistance|help|problems)",
    r"\b(?:feel free|(?:do ?n[o']t|not) hesitate) to\b",
    r"\bbitte (?:beachten|antworten sie nicht|nicht (?:auf|antworten)|entschuldig|denken sie an die umwelt|ignorier)",
    r"\b(?:bei|für|falls sie|wenn sie) (?:weitere |weiteren |noch |allgemeine )?(?:rück)?fragen\b",
    r"\b(?:zögern sie|zögere) nicht\b|\bbitte um (?:verständnis|entschuldigung|beachtung)\b",
    # wishes
    r"^\W*(?:(?:and|so|thanks|thank you|please)\W+){0,2}(?:have (?:an? )?(?:(?:very|really|most) )?(?:great|good|nice|wonderful|lovely|happy|safe|"
    r"pleasant|fantastic|merry|fabulous|terrific|relaxing|peaceful|restful|blessed|fun)\b|enjoy (?:the|your|yoursel|it\b))",
    # addressed to customers
    r"\baddress ?book\b|\bsafe ?(?:sender|list)|\bwhite ?list|\bto ensure (?:delivery|that|our|your)|\bunsubscrib",
    r"\b(?:did you know|what are you waiting for|why (?:wait|pay|not save)|looking for|tired of|ready to|wanna|"
    r"are you ready|interested in|need (?:money|cash|help with))\b",
    r"^\W*(?:want|need|love|dream) (?!to (?:join|come|meet|grab))[^?]{0,100}\?$|\bwant to (?:save|earn|win|make money|lose)",
    r"\b(?:click|tap|shop|download|sign up|log ?in|buy|order|subscribe|register|apply|act|start|save|enroll|visit|upgrade) "
    r"(?:here|now|today|below|above|online|the link|on the|this link|our)\b",
    r"\b(?:view|see|open|read) (?:this|it) (?:e?-?mail )?(?:in|online)\b|\$link\b|\bcopy and paste\b|\bfollow us\b",
    r"\b(?:hier klicken|klicken sie|jetzt (?:kaufen|bestellen|sichern|anmelden|sparen)|abbestellen|abmelden|im browser)\b",
    r"\bif you (?:do ?n[o']t|no longer|received this|see nothing|can ?n?[o']t (?:see|view|read))\b|\bsollten sie (?:diese|keine)\b",
)

QUESTION = re.compile(r"[\w\"')\]] ?\?(?=[\s?!\"')\]]|$)")
"""A question mark behind a word: not that of an address."""

ORDERS = _any(
    r"\W*lets\b",
    rf"\W*(?:(?:and|so|then|also|just|next|ok|thanks|hi|hey|hello|\d{{1,2}}[.)]) )?(?:[A-Z][\w.'-]{{0,20}}(?: [A-Z]\w{{0,20}})?[,:–-]+ ?)?"
    rf"(?:(?:and|so|then|also|just|next|in the meantime,?|when you (?:can|get a chance),?) )?(?:{_DO}) "
    r"(?:me|us|it|them|him|her|this|that|these|those|the|a|an|my|our|your|up|out|with|to|for|at|if|in|on|back|him|sure|any|all|"
    r"over|into|down|whether|and|what|how|as)\b",
    r"\W*(?:[A-Z][\w.'-]{0,20}, ?)?(?:please |just |also )?(?:go ahead and|promise|tell|remind|ask|call|phone|send|forward|fax|e-?mail|attach|"
    r"confirm|approve|reply|respond|rsvp|review|revise|read|check|update|submit|schedule|coordinate|contact|consider|advise|clarify|fill|"
    r"sign|print|bring|talk|speak|follow|refer|see|meet|start|stop|move|do|be|use|let) (?!not\b)\w",
    r"\W*(?:do not|don't|never|be sure|make sure|stay|remember|plan|expect|note|come)\b",
)
"""Matched at the beginning of a sentence."""

ASKS = _any(
    # questions that turn to the reader
    rf"\b(?:can|could|would|will) {_YOU} (?:\w+,? ){{0,3}}?(?:please|pls|kindly|be able|be willing|mind|{_DO})\b",
    r"\bmark (?:it |this |on )?(?:in |on )?your calendar",
    # pleas
    rf"\b(?:please|pls|plz|kindly)\b,? (?:\w+,? ){{0,2}}?(?:{_DO}|let|be|do|feel|come|bear|advise|click|sign|turn|leave|don't)\b",
    r"\b(?:please|pls|plz|asap|as soon as possible|by return)\W*$",
    r"\blet (?:me|us|him|her|them|(?!you\b)\w+) (?:and \w+ )?know\b|\bget back to (?:me|us)\b|\b(?:give|drop|shoot) (?:me|us|him|her) a\b",
    r"\b(?:we|i)(?:'d| would| do)?(?: really| very much| greatly| certainly)? (?:need|want|like|ask|request|expect|urge|"
    rf"encourage|invite|beg|advise|recommend) (?:that )?(?:{_YOU}|your)\b",
    r"\b(?:would|'d) (?:be (?:very |much |greatly )?(?:grateful|appreciated|great|helpful|nice|good) (?:if|to)|"
    r"(?:very much |really |greatly )?appreciate|like to (?:meet|talk|discuss|schedule|set|know|hear|get|ask|see))\b",
    r"\b(?:we|i) (?:would )?(?:suggest|propose|recommend)\b|\b(?:we|i) (?:still )?need (?:to (?:know|hear|get|have) |the |a |an )",
    r"\b(?:looking forward to|awaiting|await|waiting for) (?:hearing|your|a reply|an answer|you)",
    rf"\byou(?:'ll)? (?:\w+ )?(?:need|should|must|ought|may want|might want|have) (?:to )?(?:also )?{_DO}\b",
    r"\blet's\b|\b(?:want|care|like|free) to (?:join|come)\b|\bwhy don'?t (?:you|we)\b|\bwhat do you (?:think|say)\b|\bif you (?:could|can|would|get a chance)\b",
    # proposals
    r"\b(?:we|i) (?:\w+ ){0,2}?(?:should|could|can|might|need to|have to|must|want to|hope to|would like to|(?:'d|would) (?:love|like) to|"
    r"will have to) (?:\w+ ){0,2}?(?:meet|discuss|talk|speak|chat|get together|sit down|schedule|have (?:a |an )?(?:lunch|dinner|coffee|"
    r"beer|call|meeting|discussion|conference)|set (?:up|a)|catch up|go over|touch base)\b",
    r"\b(?:i'?m|i am|i will be|i'll be|we'?re|we are) (?:\w+ )?(?:available|free) (?:\w+ )?(?:on|at|to|from|for|after|before|in|any|all|next|"
    r"tomorrow|this|mon|tue|wed|thu|fri)",
    rf"\b(?:i|we) (?:\w+ )?(?:hope|think|expect|understand|trust|assume) (?:that )?{_YOU}(?:'ll)? (?:\w+ )?(?:can|could|will|would|should|need|might)\b",
    # German
    r"\b(?:könntest|koenntest|würdest|wuerdest) (?:du|ihr)\b|^\W*(?:\w{1,20}, )?(?:kannst|magst|möchtest|willst) du\b",
    r"\b(?:würdet|wuerdet|könntet|koenntet) ihr\b|\b(?:könnten|koennten|würden|wuerden) sie (?:mir|uns|bitte)\b",
    r"\bbitte\b(?! (?:schön|sehr|gern|um))[^.?!]{0,200}\b\w{2,30}(?:en|e|t|st|ie|uf|ch|ib|ag|or|an|zu)\b|\b\w{2,30} (?:sie )?(?:mir |uns |das |es |die |den )?bitte\b",
    r"\b(?:sag|sagt|sagen sie|gib|gebt|geben sie) (?:mir |uns )?(?:\w+ )?bescheid\b|\bmeld(?:e|et|en sie)? (?:dich|euch|sich)\b",
    r"\b(?:lass|lasst|lassen sie) (?:mich|uns|es mich|mir)\b|\bgib(?:t es)? (?:mir|uns|neuigkeiten|schon)\b",
    r"(?<!ich )\b(?:schick|send|ruf|schau|prüf|überweis|bestätig|unterschreib|antwort|bring|frag|erinner|leit)e? (?:mir|mich|uns|es|das|ihn|sie|bitte|die|den|doch|mal)\b",
    r"\b(?:schicken|senden|rufen|prüfen|überweisen|bestätigen|antworten|teilen|nennen|füllen|kontaktieren) sie\b",
    r"\b(?:ich|wir) (?:bitte|bitten|ersuche|ersuchen) (?:dich|sie|euch|um)\b|\b(?:sie|dich|euch) bitten\b|\bbitte um (?:\w+ ){0,2}?(?:rück|antwort|bestätigung|info|prüfung|freigabe|zusendung)",
    r"\bfreue? (?:mich|n uns) (?:\w+ )?(?:auf|über) (?:\w+ )?(?:deine|ihre|eure|eine|baldige)\b|\b(?:ich|wir) (?:brauche|brauchen|benötige|benötigen) (?:\w+ )?(?:von|bis|noch|deine|ihre|eure|die|den|das)\b",
    r"\bwäre (?:es (?:\w+ )?(?:möglich|ok|gut|schön|toll)|schön|toll|super|nett|lieb|dankbar)\b|\b(?:wärst|wären) (?:du|sie) so\b",
)
