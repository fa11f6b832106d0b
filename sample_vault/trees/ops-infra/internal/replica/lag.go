package replica

import (
	"fmt"
	"time"
)

// MaxLag is how far the replica may be behind when it takes over. Beyond it, confirmed orders
// would be lost.
const MaxLag = 5 * time.Second

// SafeToPromote returns an error if promoting now would lose confirmed orders.
func SafeToPromote(lag time.Duration) error {
	if lag >= MaxLag {
		return fmt.Errorf("replica lags %s, the limit is %s", lag, MaxLag)
	}
	return nil
}
