"""When to give up on something that never ends."""

# Seconds. No test is about time: this is for what hangs, and on a busy machine a
# process that only imports the package may take a minute.
HANGS = 900
