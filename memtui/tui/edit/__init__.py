"""The edit form and the three-way view."""
