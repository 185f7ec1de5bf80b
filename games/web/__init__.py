"""The pages: thin views over services and selectors, complete without JavaScript."""
