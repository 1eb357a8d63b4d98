"""What every piece uses: threads."""
