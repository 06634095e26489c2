"""Integrations with libraries that read XML: each module imports its library, and no other module imports it."""
