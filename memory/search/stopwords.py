"""Function words of English and German: they count in a query only when there is nothing else in it. Folded."""

from memory.when.words import word_set

ENGLISH = word_set(
    "a about after all also am an and any are aren as at be because been before being between both but by can could "
    "d did didn do does doesn don done down during each either else ever every find for from get give got had has "
    "hasn have haven having he her here hers him his how i if in into is isn it its just kind let ll m many may me "
    "might mine more most much must my no nor not of off on once one only onto or other our ours out over own "
    "please re s same shall she should shouldn show so some still such t than that the their theirs them then there "
    "these they this those through to too type under until up upon us ve very was wasn we were weren what when where "
    "whether which while who whom whose why will with within without won would wouldn yes yet you your yours tell "
    "likely"
)

GERMAN = word_set(
    "aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin bis bist bitte "
    "da damit dann das dass daß dein deine deinem deinen deiner dem den denn der des dich die dies diese diesem "
    "diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer fur für "
    "gegen gibt hab habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in "
    "ins ist ja jede jedem jeden jeder jedes jener kann kannst kein keine keinem keinen keiner konnen könnte man "
    "mein meine meinem meinen meiner mich mir mit muss musste nach nicht nichts noch nun nur ob oder ohne schon "
    "sehr sein seine seinem seinen seiner sich sie sind so soll sollte sondern uber um und uns unser unsere unter "
    "vom von vor wann war waren warst was weg weil welche welchem welchen welcher welches wenn wer werde werden "
    "wie wieder will wir wird wo worden wurde wurden zu zum zur zwischen zeig zeige finde suche"
)
