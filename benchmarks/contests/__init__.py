"""One file a contest: data sets, entrants, what is measured, how its page reads."""
