"""One memory on many machines: the merge of vaults, carried by git or by PostgreSQL."""
