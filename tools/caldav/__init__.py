"""Calendars on a CalDAV server. The only importer of caldav."""
