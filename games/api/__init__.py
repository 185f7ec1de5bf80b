"""REST v1 (docs/api.md): thin views over services and selectors."""
