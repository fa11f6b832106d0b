"""What source files import: read by parsers, resolved inside one working tree, followed one or two hops."""
