"""What counts as a claim of Stillbell's own deed, in both languages, and which rows bear one out."""

import time
from collections.abc import Mapping
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.deeds import claims, unfounded, without
from memory.deedwords import Deed

CLAIMED_EN = """
I've set a reminder for 8.
I set a reminder for tomorrow morning.
I have set up a reminder to call Anna.
I've just created a reminder for Friday at nine.
Sure! I've scheduled a reminder for you.
I've set it for 8 pm.
Done.
Done!
All done.
Done: water the plants
Okay, done.
All set!
It's done.
That's taken care of.
I've taken care of it.
I have done that for you already.
Consider it done.
You're all set.
Noted.
Noted!
Duly noted.
Got it, noted.
I've noted that.
I've noted that you prefer tea.
I made a note of it.
I've added it to your list.
I've put it on your list.
It's on your list now.
Added to your list.
I've saved that for later.
I'll remember that.
I sent it.
I sent it to Anna.
I've sent the mail.
I have just emailed Anna the contract.
**I sent it** this minute.
"I sent it."
The message has been sent.
Email sent.
Sent!
It's been sent.
I forwarded the mail to Jonas.
I've booked the table for seven.
I paid the invoice.
I called the landlord for you.
I told Anna that you are coming.
I've replied to Anna.
I scheduled a meeting with Jonas.
I deleted the mail.
I've closed the loop.
I closed #3.
I've marked it as done.
I ticked it off.
Marked as done.
Task #3 is closed.
I've cancelled the reminder.
The reminder has been cancelled.
I removed it from the list.
Your reminder is set.
Reminder set for 08:00.
Your reminder for the lease has been set.
I've moved the reminder to Monday.
I'll remind you at 8.
I found Anna's mail and set a reminder for Tuesday.
The lease ends in May; I've set a reminder.
As soon as I saw it, I sent it.
Done, anything else?
I sent it, okay?
- I've added the dentist to your list
""".strip().splitlines()

UNCLAIMED_EN = """
Anna sent the contract.
You closed it yesterday.
Anna wrote: "I sent the contract on Monday."
Jonas says he has paid the invoice.
The rent was paid on the second, by standing order.
The invoice has been paid by Anna, says the bank's mail of 3 May.
Last month it was paid on the second.
Your landlord cancelled the appointment.
The shop is closed on Sundays.
I have not sent anything.
I haven't set a reminder.
I did not send it.
I couldn't set the reminder.
I can't send mail.
Nothing was sent.
No reminder is set.
It is not done yet.
Shall I set a reminder?
Should I mark it as done?
Do you want me to remind you at 8?
Have you sent it?
Is it done?
If you like, I can set a reminder.
Once it is done, tell me.
When you have sent it, say so.
Tell me when, and I'll remind you.
If you give me a time, I'll remind you.
I can remind you tomorrow at 8.
I could close it.
Let me look.
On it.
I'm on it.
Give me a moment: I'm on it.
I'll look into it.
I looked through your mail.
I found two mails from Anna.
I checked your mail and found nothing.
I checked the dates again.
I noted that the contract ends in May in the second mail.
I opened the file, and it holds three pages.
I answered that above.
I added up the figures: 300.
I changed my mind about the first reading.
I put together what Anna wrote.
I corrected my earlier answer.
There is no such loop.
I can't do that.
Which one do you mean?
The lease ends on the 31st of May.
The deadline is set by the court.
Anna asked whether you had sent the offer.
You asked me to close it.
You told me that you had paid.
The meeting is set for Friday at nine.
She has marked the mail as urgent.
It is easier said than done.
Good morning.
Understood.
Got it.
> I sent it
The note says: “Done.”
He set a reminder for himself.
I called it a draft since it has no date.
Open: call Anna, water the plants.
The first step is to set a date; the second is to send the offer.
""".strip().splitlines()

CLAIMED_DE = """
Erledigt.
Erledigt!
Ist erledigt.
Das ist erledigt.
Alles erledigt.
Okay, erledigt.
Schon erledigt.
Erinnerung ist gesetzt.
Die Erinnerung ist gesetzt.
Deine Erinnerung für morgen ist gesetzt.
Erinnerung gesetzt: morgen um 8.
Die Erinnerung wurde für Dienstag eingerichtet.
Die Erinnerung für Dienstag steht.
Ich habe die Erinnerung gesetzt.
Ich habe dir eine Erinnerung für morgen um 8 gesetzt.
Ich habe eine Erinnerung für Freitag angelegt.
Die Erinnerung habe ich gesetzt.
Ich hab dir den Wecker gestellt.
Habe die Erinnerung gesetzt.
Ich habe sie auf 8 Uhr gesetzt.
Habe ich notiert.
Das habe ich notiert.
Ich habe es notiert.
Ich hab's notiert.
Notiert.
Notiert!
Ist notiert.
Vermerkt.
Ich habe mir das gemerkt.
Gemerkt!
Ich merke mir das.
Ich habe das aufgeschrieben.
Ich habe es auf deine Liste gesetzt.
Es steht jetzt auf deiner Liste.
Ich habe die Aufgabe angelegt.
Hinzugefügt.
Ich habe die Mail geschickt.
Ich habe es Anna geschickt.
Ich habe Anna die Unterlagen geschickt.
Die Mail an Anna ist raus.
Mail verschickt.
Gesendet!
Ich habe die Rechnung bezahlt.
Ich habe den Tisch gebucht.
Ich habe Anna angerufen.
Ich habe Jonas informiert.
Den Termin habe ich verschoben.
Ich habe einen Termin eingetragen.
Ich habe die Aufgabe abgehakt.
Ich habe es als erledigt markiert.
Als erledigt markiert.
Aufgabe 3 ist geschlossen.
Ich habe die Erinnerung gelöscht.
Die Erinnerung wurde gelöscht.
Ich habe die Erinnerung auf Montag verschoben.
Ich erinnere dich morgen um 8.
Morgen um 8 erinnere ich dich daran.
Ich werde dich morgen um acht erinnern.
Ich habe mich darum gekümmert.
Das habe ich gemacht.
Ich habe die Mail gelesen und die Erinnerung gesetzt.
Der Vertrag endet im Mai; ich habe eine Erinnerung gesetzt.
Ich habe am 3. Mai eine Erinnerung für dich gesetzt.
Ich habe die Erinnerung, die du wolltest, gesetzt.
Erledigt, sonst noch etwas?
**Erledigt:** Pflanzen gießen
""".strip().splitlines()

UNCLAIMED_DE = """
Anna hat den Vertrag geschickt.
Du hast es gestern geschlossen.
Anna schreibt: „Ich habe den Vertrag geschickt.“
Jonas sagt, er habe die Rechnung bezahlt.
Die Miete wurde am zweiten bezahlt, per Dauerauftrag.
Die Mail wurde am 3. Mai verschickt.
Ich habe eine Mail gefunden, die Anna geschickt hat.
Ich habe gesehen, dass Anna den Vertrag geschickt hat.
Ich habe gemerkt, dass der Vertrag fehlt.
Ich habe die Rechnung gefunden, sie ist bezahlt.
Ich habe die Rechnung gefunden und sie ist bezahlt.
Das Geschäft ist sonntags geschlossen.
Ich habe nichts geschickt.
Ich habe keine Erinnerung gesetzt.
Ich habe es nicht notiert.
Ich habe die Erinnerung noch nicht gesetzt.
Das ist noch nicht erledigt.
Es ist keine Erinnerung gesetzt.
Ich kann keine Mails schicken.
Das kann ich nicht.
Soll ich eine Erinnerung setzen?
Soll ich es als erledigt markieren?
Ist das erledigt?
Hast du es geschickt?
Wenn du magst, setze ich eine Erinnerung.
Sobald es erledigt ist, sag es mir.
Sag mir wann, dann erinnere ich dich.
Wenn du mir eine Zeit nennst, erinnere ich dich.
Ich kann dich morgen um 8 erinnern.
Ich könnte es schließen.
Ich sehe nach.
Bin dran.
Ich bin dran.
Einen Moment: ich bin dran.
Wird gemacht, einen Moment.
Ich habe deine Mails durchgesehen.
Ich habe zwei Mails von Anna gefunden.
Ich habe in der Datei nachgesehen.
Ich habe einen Fehler gemacht.
Ich habe mir Gedanken gemacht.
Ich habe dir die Zusammenfassung oben geschickt.
Ich habe eine Zusammenfassung erstellt.
Ich habe das falsch verstanden.
Es gibt keinen solchen Eintrag.
Welches meinst du?
Der Vertrag endet am 31. Mai.
Die Frist ist vom Gericht gesetzt.
Anna fragt, ob du das Angebot geschickt hast.
Du hast mich gebeten, es zu schließen.
Das Treffen ist für Freitag um neun angesetzt.
Sie hat die Mail als dringend markiert.
Guten Morgen.
Verstanden.
Alles klar.
> Ich habe es geschickt
In der Notiz steht: „Erledigt.“
Er hat sich eine Erinnerung gesetzt.
Offen: Anna anrufen, Pflanzen gießen.
Zuerst setzt du eine Frist, dann schickst du das Angebot.
Anna hat es notiert.
Der Vermieter hat den Termin abgesagt.
Ich weiß nicht, ob es erledigt ist.
""".strip().splitlines()


def test_there_are_enough_of_each() -> None:
    assert min(map(len, (CLAIMED_EN, UNCLAIMED_EN, CLAIMED_DE, UNCLAIMED_DE))) >= 40


@pytest.mark.parametrize("text", [*CLAIMED_EN, *CLAIMED_DE])
def test_it_is_heard_when_a_deed_is_claimed(text: str) -> None:
    assert unfounded(text) != []


@pytest.mark.parametrize("text", [*UNCLAIMED_EN, *UNCLAIMED_DE])
def test_what_others_did_what_is_asked_and_what_is_not_done_claims_nothing(text: str) -> None:
    assert claims(text) == []


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("I've set a reminder for 8.", "reminder_set"),
        ("Ich habe die Erinnerung gesetzt.", "reminder_set"),
        ("It's on your list now.", "loop_open"),
        ("Das habe ich notiert.", "loop_open"),
        ("I keep it open.", "loop_open"),
        ("I've marked it as done.", "loop_close"),
        ("Ich habe die Aufgabe abgehakt.", "loop_close"),
        ("I've cancelled the reminder.", "reminder_cancel"),
        ("Die Erinnerung wurde gelöscht.", "reminder_cancel"),
        ("Done.", "loop_close"),
        ("Erledigt.", "reminder_set"),
    ],
)
def test_a_claim_stands_on_the_row_of_its_own_tool(text: str, tool: str) -> None:
    assert unfounded(text, done={tool}) == []
    assert unfounded(text, done={"search", "loops_list"}) != []


@pytest.mark.parametrize("text", ["I've set a reminder.", "Ich habe die Erinnerung gesetzt.", "I've closed the loop."])
def test_the_row_of_another_tool_bears_nothing_out(text: str) -> None:
    assert unfounded(text, done={"loop_open"}) != []


@pytest.mark.parametrize(
    "text",
    [
        "I sent it.",
        "I've booked the table.",
        "Ich habe Anna die Mail geschickt.",
        "I set a reminder and sent the mail.",
    ],
)
def test_no_row_makes_a_sending_true(text: str) -> None:
    every = {"loop_open", "loop_close", "reminder_set", "reminder_cancel"}
    assert unfounded(text, done=every, standing={"kept": ["mail", "table", "it"]}) != []


def test_how_things_stand_is_borne_out_by_what_stands() -> None:
    anna: Mapping[Deed, list[str]] = {"reminder": ["Call Anna"], "kept": ["Call Anna"]}
    assert unfounded("Yes, a reminder for call Anna is set.", standing=anna) == []
    assert unfounded("Call Anna is on your list.", standing=anna) == []
    assert unfounded("I set the reminder for call Anna yesterday.", standing=anna) == []
    assert unfounded("Yes, the reminder is set.", standing=anna) != []
    assert unfounded("Yes, a reminder for call Anna is set.", standing={"kept": ["Call Anna"]}) != []
    assert unfounded("I've set a reminder: call Anna.", standing=anna) != []
    assert unfounded("Done: call Anna", standing=anna) != []


def test_only_the_sentence_that_claims_is_left_out() -> None:
    text = "The lease ends on the 31st of May.\n\nI've set a reminder. Anna wrote that on Monday."
    assert without(text, unfounded(text)) == "The lease ends on the 31st of May.\n\n Anna wrote that on Monday."
    assert without("Done.", unfounded("Done.")) == ""


def test_code_and_quoted_lines_claim_nothing() -> None:
    assert claims("```\nI sent it.\n```\n> Done.") == []


@given(st.text(alphabet="I'vesnt done.!?,\n\"*`>„“ ich habe erledigt", max_size=300))
def test_any_text_can_be_read_and_its_sentences_lie_in_it_in_order(text: str) -> None:
    found = claims(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
    without(text, found)


@pytest.mark.parametrize(
    "unit",
    [
        "I ",
        "ich habe ",
        "and ",
        "reminder ",
        "a",
        "a.",
        '"',
        "I and set ",
        ", die ",
        "ich habe geschickt ",
        "#1 is ",
        "Done. ",
    ],
)
def test_a_long_text_is_read_quickly(unit: str) -> None:
    began = time.process_time()
    claims(unit * (20_000 // len(unit)))
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "text",
    [
        "Anna wrote on 23 November: I have sent the walrus contract to Jonas.",
        "Jonas schrieb: ich habe die Rechnung bezahlt und verschickt.",
    ],
)
def test_what_another_wrote_is_no_claim(text: str) -> None:
    assert claims(text) == []
