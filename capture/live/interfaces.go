package live

import "net"

// Interfaces lists what can be captured from, Any first.
func Interfaces() ([]Interface, error) {
	found, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	list := []Interface{{Index: 0, Name: Any, Up: true}}
	for _, one := range found {
		entry := Interface{
			Index:    one.Index,
			Name:     one.Name,
			Up:       one.Flags&net.FlagUp != 0,
			Loopback: one.Flags&net.FlagLoopback != 0,
		}
		addresses, _ := one.Addrs() // an interface that is gone by now has none
		for _, a := range addresses {
			entry.Addresses = append(entry.Addresses, a.String())
		}
		list = append(list, entry)
	}
	return list, nil
}
