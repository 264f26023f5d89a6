package schema

// RequestHeaderVersion is the version of the header before the request of API version v: 1, or 2
// (with tagged fields) where the request is flexible. ControlledShutdown 0 has header 0, which
// lacks the client id.
func (a *API) RequestHeaderVersion(v int16) int16 {
	switch {
	case a.Header0.Has(v):
		return 0
	case a.Request.Flexible.Has(v):
		return 2
	}
	return 1
}

// ResponseHeaderVersion is the version of the header before the response of API version v: 0, or 1
// (with tagged fields) where the response is flexible. ApiVersions responses always have header 0,
// so that a client can read them before it knows the broker.
func (a *API) ResponseHeaderVersion(v int16) int16 {
	if !a.ResponseHeader0.Has(v) && a.Response.Flexible.Has(v) {
		return 1
	}
	return 0
}
