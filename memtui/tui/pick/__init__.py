"""Pick: a memory found and copied under the prompt."""
