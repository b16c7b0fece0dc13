"""Mails as files: EML, mailboxes and messages of Outlook."""
