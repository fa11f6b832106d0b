environment             = "production"
database_instance_class = "db.r6g.xlarge"
