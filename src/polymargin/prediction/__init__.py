"""From scores to answers: votes, probabilities, kernel expansions."""
