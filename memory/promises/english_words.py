"""The words by which English promises are known, and those by which something only looks like one."""

from memory.promises.words import phrases
from memory.when.words import word_set

DEEDS = word_set(
    """
    accept acknowledge add address adjust adopt advise alert allocate amend analyse analyze announce answer append
    apply approach approve arrange ask assemble assess assign assist attach backport backup block book brief bring bump buy
    calculate call cancel cc change chase check circulate clarify clean clear close coach collect comment communicate
    compile complete compute conduct confer confirm consider consolidate construct consult contact contribute convert convey
    coordinate copy correct cover create credit customize debug delegate delete deliver demo deploy describe design determine
    develop dial dig disable discontinue distribute document double double-check download draft drop e-mail edit elaborate eliminate
    email enable enter escalate establish estimate evaluate examine execute expand expedite experiment explore export extend
    extract fax fedex fetch figure file fill finalize find finish fix flag follow follow-up force format forward fund fwd gather generate
    give guide hand handle highlight hire hunt identify implement import improve include incorporate inform initiate inquire insert
    inspect install instruct integrate interview introduce investigate invite invoice issue leave liaise list load locate
    lodge log loop mail mention merge message modify monitor move negotiate nominate note notify nudge obtain open order organise
    organize outline pass patch pay paypal permit phone pick ping place pop post postpone prepare present print prioritize process
    procure produce propose provide publish pull purchase push put query raise reach re-check re-read re-run re-send re-test read
    rearrange recheck recommend reconcile reconsider reconvene record redo redraft refer refund register reimburse reinstall
    reissue relate relay release remind remove rename renew reorganize repair replace reply report reproduce request rerun
    rescan reschedule research resend reserve resolve respond resume restore resubmit retest retrieve return revert review revise
    revisit rewrite ring route run save say scan schedule search secure select send set setup share ship show shoot sign simplify
    solicit solve sort spend sponsor stop straighten submit substitute suggest summarise summarize supply survey switch tackle
    talk tell terminate test testify text thank throw tidy touch track train transfer translate transmit trim troubleshoot turn
    type undo update upgrade upload verify wire withdraw write xerox
    """
)
"""What is done by whoever says that they will do it. Of some it depends on what follows: memory/promises/english_deed."""

OURS = word_set(
    """
    add address adjust advise alert allocate amend announce answer arrange ask assign assist book brief bring call cancel change
    check circulate clarify close collect compile complete conduct confirm contact convey coordinate correct create credit deliver deploy
    describe distribute document draft e-mail edit email enable evaluate examine execute expedite fax file fill finalize find finish fix follow
    forward fwd gather generate give handle implement incorporate include inform initiate insert install instruct investigate invite invoice issue
    mail make notify obtain open order organize pass pay pick post prepare print process produce propose provide publish pull put
    re-run reach resolve refund reimburse relay release remind remove repair replace reply report rerun research resend respond restore
    retrieve return review revise rewrite run schedule send set share ship sign submit summarize supply tell test track
    transfer translate update upgrade verify wire write
    """
)
"""What "we" do without the reader."""

TOGETHER = word_set("talk discuss speak meet chat connect confer download huddle visit")
"""What is done with somebody: a promise when it is said with whom."""

WHETHER = word_set(
    "see check ask asked find out look determine confirm verify figure test investigate examine inquire clarify remember sure even"
)
"""Near before an "if" that is no condition: "see if", "even if"."""

IFS = word_set("if unless assuming wether otherwise barring")
CONDITIONS = phrases(
    """
    as long as
    so long as
    in case
    on condition
    in the event
    provided that
    providing that
    depending on
    in which case
    failing that
    subject to
    say the word
    whenever you
    anytime you
    any time you
    feel free
    when possible
    where possible
    as the need arises
    as needed
    as necessary
    should you
    should the
    should we
    should there
    should this
    should it
    should anything
    should anyone
    you can
    you could
    you may
    you might
    you would
    you 'd
    ignore me
    """
)
"""What makes a promise hang on something uncertain, said before it."""

TRAILING = phrases(
    """
    as long as
    so long as
    in case
    provided that
    as the need arises
    as needed
    should you
    depending on
    or should
    """
)
"""The same said behind it."""

WEAK = word_set(
    """
    probably maybe perhaps possibly hopefully presumably likely hope hoping guess think thinking thought believe suppose imagine
    assume expect expecting doubt suspect might may mean means plan planning intend intending wonder wondering unlikely tentatively
    tempted
    """
)
REPORTED = word_set(
    """
    said says say saying knows told tell telling mentioned claimed claims stated wrote writes indicated indicates announced informed
    reported insisted promised quoted directive
    """
)
NOT = word_set("not 't never hardly no neither nor")
USUALLY = word_set("always usually normally generally typically often sometimes regularly")
GLADLY = word_set("gladly happily")

BEFORE_VERB = word_set(
    """
    actually again also both briefly carefully certainly continually definitely first further immediately just next now
    personally promptly quickly shortly simply soon still surely then
    """
)
"""What may stand between "will" and its verb."""

AFTER_SUBJECT = word_set("all also both certainly definitely just now still surely then therefore too")
"""What may stand between "I" and "will"."""

SUBORDINATE = word_set(
    """
    when where why how what whatever whichever wherever whether until till than because since as while who whom before after once
    though although cause cuz if unless
    """
)
"""Before "I will": then it is no statement of its own."""

DETERMINERS = word_set("the a an any all every this that these those some each")
TIMES = word_set(
    "time day days week weekend month year morning afternoon evening night hour minute moment second meeting end summer fall spring"
)
"""Before "I will" these end no thing that I'd only speak of: "the next time I'll …"."""

WITH_READER_AT = word_set("meeting meetings session workshop agenda together seminar class lunch")
"""What "we" do there, the reader does, too."""

READER = word_set("you u ya your")
PRONOUNS = word_set("i we you he she they it")
OTHERS = word_set("he she they")
AUXILIARIES = word_set(
    "is are was were am 's 're 'm has have had 've will 'll shall can could would should may might do does did 'd must"
)
ASKING = AUXILIARIES | word_set("what when where why how who which whose whom any")

ELLIPTIC = word_set(
    """
    absolutely about agreed alright also am and awesome away back but cool done fine going good got great have heading in just
    landed left looking met no noted ok okay on perfect pls please ps read received right running saw sent so sorry sounds
    spoke still sure talked called thank thanks then thx trying understood will working yep yes yup
    """
)
"""What a sentence begins with that leaves out "I"."""

ASIDE = word_set(
    "absolutely agreed alright also and but cool fine great no ok okay perfect please pls ps right so sorry sure thanks then thx well yep yes yup"
)
"""What stands before a sentence and is none."""

CUTS = word_set(
    "but because since so though although whereas which while cause cuz thanks thx hope unless regarding re wether"
)
"""What an action ends before."""

AFTER_AND = word_set("would want hope he she they it of you am then let's")
"""After "and": what is no part of the action any more."""

FOR_WHAT = word_set("call phone ring email e-mail mail write talk speak fax text meet visit contact dig download")
"""After these "to …" only says what for."""

HANDS_OVER = word_set(
    """
    send forward fwd email e-mail mail fax attach share upload provide deliver circulate resend re-send submit supply transmit ship
    copy distribute return wire transfer paypal
    """
)
ANSWERS = word_set("answer reply respond confirm advise inform notify update tell clarify report brief relay")
