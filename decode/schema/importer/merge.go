package main

import (
	"fmt"
	"slices"

	"ksniff/decode/schema"
)

// set is a set of versions.
type set map[int16]bool

func setOf(r schema.Versions) set {
	s := set{}
	for v := r.Min; v <= r.Max && v < schema.Forever; v++ {
		s[v] = true
	}
	return s
}

// ranges are the contiguous runs of a set.
func (s set) ranges() (out []schema.Versions) {
	vs := make([]int16, 0, len(s))
	for v := range s {
		vs = append(vs, v)
	}
	slices.Sort(vs)
	for _, v := range vs {
		if n := len(out); n > 0 && out[n-1].Max == v-1 {
			out[n-1].Max = v
			continue
		}
		out = append(out, schema.Versions{Min: v, Max: v})
	}
	return out
}

// one is the single run of a set.
func (s set) one() (schema.Versions, error) {
	switch r := s.ranges(); len(r) {
	case 0:
		return schema.None, nil
	case 1:
		return r[0], nil
	default:
		return schema.None, fmt.Errorf("versions with a hole: %v", r)
	}
}

// clip leaves of fields what the given versions have, with closed ranges.
func clip(in []schema.Field, to schema.Versions) []schema.Field {
	var out []schema.Field
	for _, f := range in {
		f.Versions, f.Nullable, f.Tagged = f.Versions.And(to), f.Nullable.And(to), f.Tagged.And(to)
		if f.Versions.Empty() {
			continue
		}
		f.Fields = clip(f.Fields, to)
		out = append(out, f)
	}
	return out
}

// merge joins the layouts of one message, oldest first: each version is taken from the newest that
// has it. Where an older release has another layout of the same version, that becomes the early
// form. base is the message as the notation has it, the oldest of all; nil where there is none.
func merge(base *schema.Message, releases []*schema.Message) (*schema.Message, error) {
	layers := releases
	if base != nil {
		layers = append([]*schema.Message{base}, releases...)
	}
	newest := layers[len(layers)-1]
	out := &schema.Message{Name: newest.Name, Flexible: schema.None}
	taken, flexible := set{}, set{}
	for i := len(layers) - 1; i >= 0; i-- {
		l := layers[i]
		fresh, again := set{}, set{}
		for v := range setOf(l.Valid) {
			if taken[v] {
				again[v] = true
				continue
			}
			fresh[v], taken[v] = true, true
			if l.Flexible.Has(v) {
				flexible[v] = true
			}
		}
		for _, r := range fresh.ranges() {
			var err error
			if out.Fields, err = join(clip(l.Fields, r), out.Fields); err != nil {
				return nil, fmt.Errorf("%s: %w", out.Name, err)
			}
		}
		for _, r := range again.ranges() {
			if early := differing(l, out, r); !early.Empty() && out.Early == nil && l != base {
				out.Early = &schema.Message{Name: out.Name, Valid: early, Flexible: l.Flexible, Fields: clip(l.Fields, early)}
			}
		}
		if l.Early != nil {
			out.Early = l.Early
		}
	}
	var err error
	if out.Valid, err = taken.one(); err != nil {
		return nil, fmt.Errorf("%s: %w", out.Name, err)
	}
	if out.Flexible, err = flexible.one(); err != nil {
		return nil, fmt.Errorf("%s: %w", out.Name, err)
	}
	if out.Flexible.Max == out.Valid.Max && !out.Flexible.Empty() {
		out.Flexible.Max = schema.Forever
	}
	open(out)
	if out.Early != nil {
		open(out.Early)
	}
	return out, nil
}

// join merges two lists of fields whose versions do not meet. The order is that of newer, and a
// field that only older has follows the one that it follows there.
func join(older, newer []schema.Field) ([]schema.Field, error) {
	out := slices.Clone(newer)
	at := 0
	for _, o := range older {
		i := slices.IndexFunc(out, func(n schema.Field) bool {
			return n.Name == o.Name && n.Type == o.Type && n.Array == o.Array && adjacent(n.Versions, o.Versions)
		})
		if i < 0 {
			out = slices.Insert(out, at, o)
			at++
			continue
		}
		n := &out[i]
		n.Versions, n.Nullable, n.Tagged = union(n.Versions, o.Versions), union(n.Nullable, o.Nullable), union(n.Tagged, o.Tagged)
		if n.Default == "" && !n.EmptyDefault {
			n.Default = o.Default
		}
		n.MapKey = n.MapKey || o.MapKey
		if n.Entity == "" {
			n.Entity = o.Entity
		}
		var err error
		if n.Fields, err = join(o.Fields, n.Fields); err != nil {
			return nil, err
		}
		if i < at {
			return nil, fmt.Errorf("%s: its place differs", n.Name)
		}
		at = i + 1
	}
	return out, nil
}

func adjacent(a, b schema.Versions) bool {
	return a.Max >= b.Min-1 && b.Max >= a.Min-1
}

func union(a, b schema.Versions) schema.Versions {
	switch {
	case a.Empty():
		return b
	case b.Empty():
		return a
	}
	return schema.Versions{Min: min(a.Min, b.Min), Max: max(a.Max, b.Max)}
}

// differing is the range of versions within r in which two messages differ on the wire.
func differing(a, b *schema.Message, r schema.Versions) schema.Versions {
	out := set{}
	for v := range setOf(r) {
		if !sameWire(a.Fields, b.Fields, v) {
			out[v] = true
		}
	}
	if rs := out.ranges(); len(rs) > 0 {
		return rs[0]
	}
	return schema.None
}

// sameWire says whether two lists of fields have the same form in a version: an unknown tagged
// field does not count, since any reader steps over it.
func sameWire(a, b []schema.Field, v int16) bool {
	there := func(in []schema.Field) (out []schema.Field) {
		for _, f := range in {
			if f.Versions.Has(v) && !f.Tagged.Has(v) {
				out = append(out, f)
			}
		}
		return out
	}
	a, b = there(a), there(b)
	return slices.EqualFunc(a, b, func(x, y schema.Field) bool {
		return x.Type == y.Type && x.Array == y.Array && sameWire(x.Fields, y.Fields, v)
	})
}

// open turns the closed ranges of a message into those of the notation: a field that all versions
// of its struct have gets the struct's range, and one that the last version has gets no end.
func open(m *schema.Message) {
	uses := map[string]int{}
	count(m.Fields, uses)
	everything := schema.Versions{Min: 0, Max: schema.Forever}
	var walk func(in []schema.Field, within, stored schema.Versions)
	walk = func(in []schema.Field, within, stored schema.Versions) {
		for i := range in {
			f := &in[i]
			closed := f.Versions.And(within)
			to := func(r schema.Versions) schema.Versions {
				switch r = r.And(within); {
				case r.Empty():
					return schema.None
				case r == closed:
					return f.Versions
				case r.Max == m.Valid.Max:
					r.Max = schema.Forever
				}
				return r
			}
			switch {
			case closed == within:
				f.Versions = stored
			case closed.Max == m.Valid.Max:
				f.Versions = schema.Versions{Min: closed.Min, Max: schema.Forever}
			default:
				f.Versions = closed
			}
			f.Nullable, f.Tagged = to(f.Nullable), to(f.Tagged)
			f.Fields = slices.Clone(f.Fields)
			if uses[f.Struct] > 1 {
				walk(f.Fields, m.Valid, everything)
			} else {
				walk(f.Fields, closed, f.Versions)
			}
		}
	}
	m.Fields = slices.Clone(m.Fields)
	walk(m.Fields, m.Valid, everything)
}

func count(fields []schema.Field, uses map[string]int) {
	for _, f := range fields {
		if f.Type == schema.Struct {
			if uses[f.Struct]++; uses[f.Struct] == 1 {
				count(f.Fields, uses)
			}
		}
	}
}
