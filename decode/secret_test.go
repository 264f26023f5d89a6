package decode

import "testing"

func TestSecretSetting(t *testing.T) {
	for name, want := range map[string]bool{
		"ssl.keystore.password": true, "listener.name.in.ssl.key.password": true, "sasl.jaas.config": true,
		"listener.name.in.scram-sha-256.sasl.jaas.config": true, "ssl.keystore.key": true, "delegation.token.expiry.time.ms": false, "listener.name.in.ssl.keystore.key": true,
		"delegation.token.master.key": true, "delegation.token.secret.key": true, "SASL.LOGIN.PASSWORD": true,
		"ssl.keystore.location": false, "ssl.keystore.type": false, "retention.ms": false, "ssl.key": true, "key.deserializer": false, "": false,
	} {
		if SecretSetting(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
