// Package config knows where the databases of an environment are.
package config

import "fmt"

// ReplicaPort is where the read replica answers; 5432 on that host belongs to the pooler.
const ReplicaPort = 8788

// Settings of one environment.
type Settings struct {
	Env         string
	PrimaryHost string
	ReplicaHost string
}

// ReplicaAddress returns host and port of the read replica.
func (s Settings) ReplicaAddress() string {
	return fmt.Sprintf("%s:%d", s.ReplicaHost, ReplicaPort)
}

// Load returns the settings of staging or production.
func Load(env string) (Settings, error) {
	switch env {
	case "staging", "production":
		return Settings{
			Env:         env,
			PrimaryHost: "db-primary." + env + ".shop.example",
			ReplicaHost: "db-replica." + env + ".shop.example",
		}, nil
	default:
		return Settings{}, fmt.Errorf("unknown environment %q", env)
	}
}
