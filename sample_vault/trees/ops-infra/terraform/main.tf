terraform {
  required_version = "= 1.9.8"

  backend "s3" {
    bucket         = "shop-example-terraform-state"
    dynamodb_table = "terraform-locks"
    region         = "eu-west-1"
  }
}

variable "environment" {
  type = string
}

variable "database_instance_class" {
  type = string
}

module "postgres" {
  source         = "./modules/postgres"
  environment    = var.environment
  instance_class = var.database_instance_class
}

resource "aws_elasticache_parameter_group" "redis" {
  name   = "locks-${var.environment}"
  family = "redis7"

  parameter {
    name  = "maxmemory-policy"
    value = "noeviction"
  }
}
