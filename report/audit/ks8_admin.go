package audit

import "strings"

var ks8015 = Rule{ID: "KS8015", Title: "a secret in a change of configuration, in clear", Severity: Warning, Who: Client, Since: "1.1",
	Source:  "KIP-226",
	Explain: "A password or key is set in a request on a connection without TLS.",
	Example: "IncrementalAlterConfigs with listener.name.x.ssl.keystore.password"}

func lookSecretConfigs(c *Ctx) {
	if !inClear(c) {
		return
	}
	for r := range c.Req().Body().Field("Resources").Elements() {
		for e := range r.Field("Configs").Elements() {
			if name := e.Field("Name"); secretConfig(name.String()) && !e.Field("Value").IsNull() {
				c.Find(&ks8015).Place(name).Say("%s is set without TLS", name.String()).With("name", clone(name.String()[:min(len(name.String()), 256)]))
			}
		}
	}
}

// secretConfig says that a configuration holds a secret: *password*, sasl.jaas.config, ssl.*.key.
func secretConfig(name string) bool {
	name = strings.ToLower(name)
	at := strings.LastIndex(name, "ssl.")
	return strings.Contains(name, "password") || strings.HasSuffix(name, "sasl.jaas.config") || at >= 0 && strings.HasSuffix(name[at+3:], ".key")
}

var ks8016 = Rule{ID: "KS8016", Title: "a sensitive value is returned", Severity: Error, Who: Broker, Since: "0.11",
	Source:  "ConfigHelper: the value of a sensitive configuration is null",
	Explain: "DescribeConfigs says that a configuration is sensitive, and gives its value all the same.",
	Example: "DescribeConfigs response with IsSensitive true and a Value",
	Needs:   Apache}

func lookSensitiveValues(c *Ctx) {
	for r := range c.Resp().Body().Field("Results").Elements() {
		for e := range r.Field("Configs").Elements() {
			if e.Field("IsSensitive").Bool() && !e.Field("Value").IsNull() {
				name := e.Field("Name")
				c.Find(&ks8016).Place(e.Field("Value")).Say("%s is sensitive and has a value", name.String()).With("name", clone(name.String()))
			}
		}
	}
}

var ks8017 = Rule{ID: "KS8017", Title: "token or SCRAM data in clear", Severity: Warning, Who: Either, Since: "1.1",
	Source:  "KIP-48, KIP-554",
	Explain: "The HMAC of a delegation token, or a salted password, is sent on a connection without TLS. Who has it can log in.",
	Example: "a CreateDelegationToken response without TLS"}

func lookSecretsInClear(c *Ctx) {
	if !inClear(c) {
		return
	}
	b := c.Tree().Body()
	if hmac := b.Field("Hmac"); len(hmac.Bytes()) > 0 {
		c.Find(&ks8017).Place(hmac).Say("the HMAC of a delegation token without TLS")
	}
	for t := range b.Field("Tokens").Elements() {
		if hmac := t.Field("Hmac"); len(hmac.Bytes()) > 0 {
			c.Find(&ks8017).Place(hmac).Say("the HMAC of a delegation token without TLS")
			return
		}
	}
	for u := range b.Field("Upsertions").Elements() {
		if salted := u.Field("SaltedPassword"); len(salted.Bytes()) > 0 {
			c.Find(&ks8017).Place(salted).Say("a salted password without TLS")
			return
		}
	}
}

var ks8018 = Rule{ID: "KS8018", Title: "everybody is allowed everything of a kind", Severity: Warning, Who: Client, Since: "0.11",
	Source:  "AclBinding: User:* and *",
	Explain: "The rule allows all principals an operation on all resources of a type.",
	Example: `CreateAcls: principal "User:*", ALLOW, topic "*"`}

func lookAcls(c *Ctx) {
	for a := range c.Req().Body().Field("Creations").Elements() {
		const allow = 3
		if a.Field("Principal").String() == "User:*" && a.Field("PermissionType").Int() == allow && a.Field("ResourceName").String() == "*" {
			c.Find(&ks8018).Place(a).Say("User:* is allowed operation %d on all resources of type %d", a.Field("Operation").Int(), a.Field("ResourceType").Int()).
				With("operation", a.Field("Operation").Int()).With("resource_type", a.Field("ResourceType").Int())
		}
	}
}
