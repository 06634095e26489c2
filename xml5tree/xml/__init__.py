"""Facts about XML: characters, names, URIs, prefixes, references, and what each native parser can read. No state."""
