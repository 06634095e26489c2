"""Integrations with other libraries, one module each."""
