package schema

// Versions is the range of versions that any release declared, for requests and responses alike.
func (a *API) Versions() Versions { return a.Request.Valid }

// Lookup finds an API by key, nil where no release has it.
func Lookup(key int16) *API {
	if key < 0 || int(key) >= len(APIs) {
		return nil
	}
	if a := APIs[key]; a.Key == key { // keys have no holes so far
		return a
	}
	for _, a := range APIs {
		if a.Key == key {
			return a
		}
	}
	return nil
}

// LookupName finds an API by its name (Produce), nil where there is none.
func LookupName(name string) *API {
	for _, a := range APIs {
		if a.Name == name {
			return a
		}
	}
	return nil
}
