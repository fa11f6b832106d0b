environment             = "staging"
database_instance_class = "db.t4g.medium"
