"""Tell people of alerts: compose the messages of the outbox, and send them to the channels of the settings."""
