"""LeafXML: a strict, safe subset of XML. A document gives its tree, or exactly one error."""
