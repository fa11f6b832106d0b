// Command failover promotes the replica, after it has shown what it is about to do.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"shop.example/ops/internal/config"
	"shop.example/ops/internal/notify"
	"shop.example/ops/internal/replica"
)

func main() {
	env := flag.String("env", "", "staging or production")
	yes := flag.Bool("yes", false, "promote instead of only showing the plan")
	flag.Parse()

	if err := run(context.Background(), *env, *yes); err != nil {
		fmt.Fprintln(os.Stderr, "failover:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, env string, yes bool) error {
	settings, err := config.Load(env)
	if err != nil {
		return err
	}
	standby := replica.New(settings)
	lag, err := standby.Lag(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("%s: replica %s lags %s\n", env, settings.ReplicaAddress(), lag)
	if err := replica.SafeToPromote(lag); err != nil || !yes {
		return err
	}
	notify.Page("failover started in " + env)
	return standby.Promote(ctx)
}
