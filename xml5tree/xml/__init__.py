"""Facts about XML without state: characters, names, URIs, prefixes, references, and limits of native parsers."""
