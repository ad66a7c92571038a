"""The owner's address books: vCard files as contacts. The only place that speaks to vobject."""
