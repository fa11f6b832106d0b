"""The only place that knows DuckDB."""
