"""Ways for mail to leave, beside SMTP which Django has."""
