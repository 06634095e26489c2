"""Stateless facts about XML."""
