"""Every act of the app, once: bindings, footer, help, palette and documentation are made from this registry."""
