"""Mail and clock: the outbox, deadlines, reminders, time-outs, and what is sent."""
