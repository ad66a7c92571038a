"""What is brought in besides accounts: folders of notes, meetings and papers, exported chats and calendars."""
