package audit

// Keys of APIs about tokens and passwords.
const (
	keyCreateToken   int16 = 38
	keyRenewToken    int16 = 39
	keyExpireToken   int16 = 40
	keyDescribeToken int16 = 41
	keyAlterScram    int16 = 51
)

// ks8 is security. Looks at a login come before those that note how far it is.
var ks8 = family{
	name: "KS8", title: "security",
	rules: []*Rule{&ks8001, &ks8002, &ks8003, &ks8004, &ks8005, &ks8006, &ks8007, &ks8008, &ks8009, &ks8010, &ks8011, &ks8012, &ks8013,
		&ks8014, &ks8015, &ks8016, &ks8017, &ks8018},
	looks: []look{
		{on: onRequest, keys: []int16{keySaslAuthenticate}, rules: []*Rule{&ks8001, &ks8002, &ks8003}, do: lookAuthenticate},
		{on: onExchange, keys: []int16{keySaslAuthenticate}, rules: []*Rule{&ks8003}, do: lookAuthenticated},
		{on: onToken, rules: []*Rule{&ks8001, &ks8002, &ks8003, &ks8012}, do: lookRawToken},
		{on: onRequest, rules: []*Rule{&ks8004, &ks8005}, when: atDoor, do: lookOpenDoor},
		{on: onUnanswered, rules: []*Rule{&ks8005}, do: lookDoor},
		{on: onRequest, rules: []*Rule{&ks8006, &ks8007}, when: atDoor, do: lookDuringLogin},
		{on: onRequest, rules: []*Rule{&ks8010}, when: atDoor, do: lookOutlived},
		{on: onRequest, keys: []int16{keySaslHandshake}, rules: []*Rule{&ks8008, &ks8011}, do: lookHandshake},
		{on: onKnown, rules: []*Rule{&ks8009}, do: lookGSSAPI},
		{on: onExchange, keys: []int16{keySaslHandshake, keySaslAuthenticate}, rules: []*Rule{&ks8012}, do: lookRefusedLogin},
		{on: onEnded, rules: []*Rule{&ks8012}, do: lookClosedLogin},
		{on: onKnown, rules: []*Rule{&ks8013, &ks8014}, do: lookHellos},
		{on: onEnded, rules: []*Rule{&ks8014}, do: lookHelloRefused},
		{on: onKnown, rules: []*Rule{&ks8014}, do: lookPlainPort},
		{on: onBadLength, rules: []*Rule{&ks8014}, do: lookAlert},
		{on: onRequest, keys: []int16{keyAlterConfigs, keyIncrementalConfigs}, rules: []*Rule{&ks8015}, do: lookSecretConfigs},
		{on: onExchange, keys: []int16{keyDescribeConfigs}, rules: []*Rule{&ks8016}, do: lookSensitiveValues},
		{on: onRequest, keys: []int16{keyRenewToken, keyExpireToken, keyAlterScram}, rules: []*Rule{&ks8017}, do: lookSecretsInClear},
		{on: onExchange, keys: []int16{keyCreateToken, keyDescribeToken}, rules: []*Rule{&ks8017}, do: lookSecretsInClear},
		{on: onRequest, keys: []int16{keyCreateAcls}, rules: []*Rule{&ks8018}, do: lookAcls},
		{on: onRequest, when: atDoor, do: noteLoginRequest},
		{on: onRequest, keys: []int16{keySaslHandshake}, do: noteMechanism},
		{on: onExchange, keys: []int16{keySaslHandshake, keySaslAuthenticate, keyApiVersions}, do: noteLogin},
	},
}
