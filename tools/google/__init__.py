"""Google, over Google's own client: signing in, reading mail and calendars, and, apart with a grant of its own, sending."""
