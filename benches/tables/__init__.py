"""One module per page of docs/papers: what makes its tables."""
