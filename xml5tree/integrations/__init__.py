"""Doors for libraries that read XML themselves: each imports its library, and nothing imports it."""
