variable "environment" {
  type = string
}

variable "instance_class" {
  type = string
}

variable "engine_version" {
  type    = string
  default = "14.15"
}
