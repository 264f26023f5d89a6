package bpf

import "golang.org/x/net/bpf"

// Filter runs an expression over packets of files, of any link type. It serves one goroutine.
type Filter struct {
	expression string
	machines   map[uint32]*bpf.VM // nil for link types of which no packet can match
}

// New checks an expression; its error is an *Error.
func New(expression string) (*Filter, error) {
	f := &Filter{expression, make(map[uint32]*bpf.VM)}
	_, err := f.machine(1)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// machine returns the compiled expression for a link type.
func (f *Filter) machine(link uint32) (*bpf.VM, error) {
	if m, ok := f.machines[link]; ok {
		return m, nil
	}
	program, err := Compile(f.expression, link)
	if err != nil {
		f.machines[link] = nil
		return nil, err
	}
	m, err := bpf.NewVM(program)
	f.machines[link] = m
	return m, err
}

// Match says whether a packet is wanted. Where the expression makes no sense for its link type (vlan
// without tags), or no packet of that type can match, it is not.
func (f *Filter) Match(link uint32, data []byte) bool {
	m, _ := f.machine(link)
	if m == nil {
		return false
	}
	n, err := m.Run(data)
	return err == nil && n > 0
}
