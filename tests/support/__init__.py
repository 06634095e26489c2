"""What the tests share: documents to parse, ways to cut them up, and ways to look at the result."""
