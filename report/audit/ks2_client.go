package audit

var ks2017 = Rule{ID: "KS2017", Title: "client software name is not valid", Severity: Error, Who: Client, Since: "2.4",
	Source:  "KIP-511; ApiVersionsRequest.isValid",
	Explain: "Name and version of the software consist of letters, digits, - and ., and begin and end with a letter or digit. Brokers answer INVALID_REQUEST to others.",
	Example: `ClientSoftwareName "my client"`}

func lookSoftware(c *Ctx) {
	for _, name := range [...]string{"ClientSoftwareName", "ClientSoftwareVersion"} {
		if f := c.Req().Body().Field(name); f.OnWire() && !validSoftware(f.String()) {
			c.Find(&ks2017).Place(f).Say("%q has other characters than letters, digits, - and . or begins or ends with one of these", f.String()).
				With("value", clone(f.String()))
		}
	}
}

// validSoftware is [A-Za-z0-9](?:[A-Za-z0-9-.]*[A-Za-z0-9])?
func validSoftware(s string) bool {
	for i := range len(s) {
		if b := s[i]; !alnum(b) && (b != '-' && b != '.' || i == 0 || i == len(s)-1) {
			return false
		}
	}
	return s != ""
}

func alnum(b byte) bool { return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }

var ks2018 = Rule{ID: "KS2018", Title: "client id is null or empty", Severity: Info, Who: Client, Since: "0.8",
	Source:  "RequestHeader.parse takes null for empty",
	Explain: "The client cannot be told apart in the broker's logs, metrics and quotas. Set client.id.",
	Example: "a request header with client id ffff",
	Once:    PerClient}

func lookClientID(c *Ctx) {
	if c.Client == nil || c.Client.ID != "" || c.Key == keyControlledShutdown && c.Version == 0 {
		return
	}
	what := "empty"
	if c.Client.NullID {
		what = "null"
	}
	c.Find(&ks2018).Byte(8, "RequestHeader.ClientId").Say("the client id is %s", what)
}
