"""From the columns of a table to features: what each is, and what is made of it."""
