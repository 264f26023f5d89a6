package decode

import "strings"

// secrets are the fields whose values no output may show, by message: SASL tokens and the broker's remark on
// them, what SCRAM keeps of a password, the HMAC that is a delegation token's password, requests in an envelope.
var secrets = map[string][]string{
	"SaslAuthenticateRequest":          {"AuthBytes"},
	"SaslAuthenticateResponse":         {"AuthBytes", "ErrorMessage"},
	"AlterUserScramCredentialsRequest": {"Salt", "SaltedPassword"},
	"UserScramCredentialRecord":        {"Salt", "StoredKey", "ServerKey"},
	"CreateDelegationTokenResponse":    {"Hmac"},
	"RenewDelegationTokenRequest":      {"Hmac"},
	"ExpireDelegationTokenRequest":     {"Hmac"},
	"DescribeDelegationTokenResponse":  {"Hmac"},
	"DelegationTokenRecord":            {"Hmac"},
	"EnvelopeRequest":                  {"RequestData"},
	"EnvelopeResponse":                 {"ResponseData"},
}

// Secret says whether the value of a field is a secret, as JSON.Redact asks. A field "Value" beside a "Name" or
// "Key" is the value of a setting, and secret where the setting's name says so.
func Secret(r Ref) bool {
	f := r.Schema()
	if f == nil || r.t == nil || r.i < 0 {
		return false
	}
	switch f.Name {
	case "Value":
		parent := r.Parent()
		return SecretSetting(parent.Field("Name").String()) || SecretSetting(parent.Field("Key").String())
	case "AuthBytes", "ErrorMessage", "Salt", "SaltedPassword", "StoredKey", "ServerKey", "Hmac", "RequestData", "ResponseData":
	default:
		return false
	}
	if r.t.body < 0 || r.i < r.t.body {
		return false
	}
	for _, name := range secrets[r.t.top[1].message.Name] {
		if name == f.Name {
			return true
		}
	}
	return false
}

// SecretSetting says whether a configuration setting of that name holds a secret. A duration is none, though
// its name may say what lasts so long (delegation.token.expiry.time.ms).
func SecretSetting(name string) bool {
	name = strings.ToLower(name)
	if strings.HasSuffix(name, ".ms") {
		return false
	}
	for _, word := range [...]string{"password", "secret", "token", "jaas.config"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	ssl := strings.Index(name, "ssl.")
	return ssl >= 0 && strings.HasSuffix(name[ssl+len("ssl"):], ".key")
}
