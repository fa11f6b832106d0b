// Package replica asks the read replica how far it is behind, and promotes it.
package replica

import (
	"context"
	"database/sql"
	"time"

	"shop.example/ops/internal/config"
)

// Replica is the standby of one environment.
type Replica struct {
	settings config.Settings
}

// New returns the standby of an environment.
func New(settings config.Settings) *Replica {
	return &Replica{settings: settings}
}

// Lag returns how far the replica is behind the primary.
func (r *Replica) Lag(ctx context.Context) (time.Duration, error) {
	var seconds float64
	err := r.query(ctx,
		"SELECT extract(epoch FROM now() - pg_last_xact_replay_timestamp())", &seconds)
	return time.Duration(seconds * float64(time.Second)), err
}

// Promote makes the replica the primary. There is no way back but a rebuild.
func (r *Replica) Promote(ctx context.Context) error {
	var promoted bool
	return r.query(ctx, "SELECT pg_promote(true, 60)", &promoted)
}

func (r *Replica) query(ctx context.Context, statement string, target any) error {
	database, err := sql.Open("postgres", "postgres://"+r.settings.ReplicaAddress()+"/shop")
	if err != nil {
		return err
	}
	defer database.Close()
	return database.QueryRowContext(ctx, statement).Scan(target)
}
