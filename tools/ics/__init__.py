"""iCalendar: text to events and back, and calendars that are a file or an address. The only importer of icalendar."""
