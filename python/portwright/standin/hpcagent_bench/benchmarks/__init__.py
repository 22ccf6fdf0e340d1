"""The corpus's own modules; portwright.harness sets __path__ to the tree that the manifest is in."""
