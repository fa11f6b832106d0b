resource "aws_db_instance" "primary" {
  identifier              = "db-primary-${var.environment}"
  engine                  = "postgres"
  engine_version          = var.engine_version
  instance_class          = var.instance_class
  backup_retention_period = 14
  backup_window           = "03:00-03:30"
  deletion_protection     = true
}

resource "aws_db_instance" "replica" {
  identifier          = "db-replica-${var.environment}"
  replicate_source_db = aws_db_instance.primary.identifier
  instance_class      = var.instance_class
  port                = 8788
}
