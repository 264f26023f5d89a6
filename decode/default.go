package decode

// isDefault says whether a field that is on the wire has its schema's default. (Apache's converters
// leave a tagged field out then.)
func (r Ref) isDefault() bool {
	f := r.Schema()
	if f == nil {
		return false
	}
	wantNull := f.Default == "null" && !f.EmptyDefault && !r.IsElement()
	if r.IsNull() || wantNull {
		return r.IsNull() == wantNull
	}
	switch r.Kind() {
	case Array:
		return r.first() == 0
	case Struct:
		for c := range r.Children() {
			if !c.isDefault() {
				return false
			}
		}
		return true
	case String:
		return r.String() == f.Default
	case Bytes, RecordSet:
		return r.Length() == int(r.node().Prefix)
	case UUID:
		return r.UUID() == [16]byte{}
	case Float64:
		return r.Float() == Ref{t: r.t, i: -1, f: f}.Float()
	}
	return r.Int() == r.defaultInt()
}
