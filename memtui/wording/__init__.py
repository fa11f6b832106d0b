"""Typed results of the services as sentences, for the app and the command line alike."""
