package decode

import (
	"sync"
	"testing"

	"ksniff/decode/schema"
)

// everyForm calls f with each message of the tables in each of its versions.
func everyForm(f func(m *schema.Message, version int16)) {
	messages := []*schema.Message{schema.RequestHeaders, schema.ResponseHeaders}
	for _, a := range schema.APIs {
		messages = append(messages, a.Request, a.Response)
	}
	for i := range schema.InnerRecords {
		messages = append(messages, schema.InnerRecords[i].Key, schema.InnerRecords[i].Value)
	}
	for _, m := range messages {
		for ; m != nil; m = m.Early {
			for v := m.Valid.Min; v <= m.Valid.Max; v++ {
				f(m, v)
			}
		}
	}
}

// TestPlansFitTheBounds: the walker keeps a note of each known tag in an array, a View its levels.
func TestPlansFitTheBounds(t *testing.T) {
	forms := 0
	everyForm(func(m *schema.Message, version int16) {
		forms++
		p := compile(m, version)
		for _, b := range p.blocks {
			for i := range b {
				if b[i].do == readTags && len(p.blocks[b[i].block]) > maxKnownTags {
					t.Errorf("%s %d has a struct with %d tagged fields", m.Name, version, len(p.blocks[b[i].block]))
				}
			}
		}
		if sketches[m.Name] != nil {
			if n := levels(p, 0); n > maxLevels {
				t.Errorf("%s %d is %d levels deep", m.Name, version, n)
			}
		}
	})
	if forms < 736 {
		t.Errorf("%d forms, Kafka has more", forms)
	}
}

// levels is how deep a View goes into a block: a level for each array or struct and for each tagged field, and
// one for the list of these.
func levels(p *plan, index int32) int {
	deepest := 0
	for i := range p.blocks[index] {
		n, o := 0, &p.blocks[index][i]
		switch o.do {
		case readStruct:
			n = levels(p, o.block)
		case readArray:
			if n = levels(p, o.block); p.blocks[o.block][0].do == readStruct {
				n-- // an array of structs is one level
			}
		case readTags:
			if len(p.blocks[o.block]) > 0 {
				n = 1 + levels(p, o.block)
			} else {
				n = 1
			}
		}
		deepest = max(deepest, n)
	}
	return 1 + deepest
}

// TestPlansAreSharedSafely compiles the same plans from many goroutines: all get the same one.
func TestPlansAreSharedSafely(t *testing.T) {
	m := &schema.Message{Name: "X", Valid: schema.Versions{Min: 2, Max: 9}, Flexible: schema.None}
	var group sync.WaitGroup
	got := make([][10]*plan, 16)
	for i := range got {
		group.Go(func() {
			for v := m.Valid.Min; v <= m.Valid.Max; v++ {
				got[i][v] = planOf(m, v)
			}
		})
	}
	group.Wait()
	for i := range got {
		for v := m.Valid.Min; v <= m.Valid.Max; v++ {
			if got[i][v] == nil || got[i][v] != got[0][v] {
				t.Fatalf("goroutine %d has another plan of version %d", i, v)
			}
		}
	}
}

// TestHugeTreeIsLetGo: after a frame of many fields, small ones do not keep its room.
func TestHugeTreeIsLetGo(t *testing.T) {
	body := unhex(t, metadata1+"000186a0") // 100,000 empty topic names
	body = append(body, make([]byte, 2*100_000)...)
	small := Whole(unhex(t, metadata1+"00000000"))
	var tree Tree
	tree.Decode(Whole(body), 3, 1, Request)
	if !tree.Whole() || len(tree.Nodes) < 200_000 {
		t.Fatalf("%d nodes", len(tree.Nodes))
	}
	tree.Decode(small, 3, 1, Request)
	tree.Decode(small, 3, 1, Request)
	if cap(tree.Nodes) > keptNodes {
		t.Errorf("room for %d nodes is kept", cap(tree.Nodes))
	}
}
