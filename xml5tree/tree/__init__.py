"""What tree constructions share: namespaces in scope, and infoset coercion."""
