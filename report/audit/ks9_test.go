package audit

var ks9Cases = []ruleCase{
	{rule: "KS9001",
		hit:  func(k *talk) { k.conn().request(1, 3, fields{}) },
		miss: func(k *talk) { k.conn().request(1, 4, fields{}) }},
	{rule: "KS9001", severity: Error, // the broker is a 4.x
		hit:  func(k *talk) { k.conn().offers(map[int16][2]int16{0: {0, 12}, 1: {4, 17}}).request(1, 3, fields{}) },
		miss: func(k *talk) { k.conn().offers(map[int16][2]int16{0: {0, 12}, 1: {4, 17}}).request(1, 4, fields{}) }},
	{rule: "KS9002",
		hit:  func(k *talk) { k.conn().request(6, 5, fields{}) },
		miss: func(k *talk) { k.conn().request(3, 5, fields{}) }},
	{rule: "KS9003",
		hit:  func(k *talk) { k.conn().request(0, 2, produce("t", old(1, 0, k.now.UnixMilli(), nil))) },
		miss: func(k *talk) { k.conn().request(0, 3, produce("t", batch(0, k.now.UnixMilli(), 1))) }},
	{rule: "KS9004",
		hit:  func(k *talk) { k.conn().exchange(1, 4, fetch("t"), fetched("t", old(1, 0, 0, nil))) },
		miss: func(k *talk) { k.conn().exchange(1, 4, fetch("t"), fetched("t", batch(0, 0, 1))) }},
	{rule: "KS9005",
		hit: func(k *talk) {
			k.conn().exchange(0, 3, produce("t", batch(0, 0, 1)), fields{}).exchange(1, 3, fetch("t"), fetched("t", old(1, 0, 0, nil)))
		},
		miss: func(k *talk) {
			k.conn().exchange(0, 3, produce("u", batch(0, 0, 1)), fields{}).exchange(1, 3, fetch("t"), fetched("t", old(1, 0, 0, nil)))
		}},
	{rule: "KS9006",
		hit: func(k *talk) {
			for range 3 {
				k.conn().exchange(3, 1, fields{}, fields{})
			}
		},
		miss: func(k *talk) {
			k.conn().exchange(18, 0, fields{}, fields{})
			for range 3 {
				k.conn().exchange(3, 1, fields{}, fields{})
			}
		}},
	{rule: "KS9008",
		hit:  func(k *talk) { k.conn().offers(map[int16][2]int16{0: {0, 12}}) },
		miss: func(k *talk) { k.conn().offers(map[int16][2]int16{0: {0, 11}}) }},
	{rule: "KS9010",
		hit:  offering("metadata.version", 6),
		miss: offering("metadata.version", 7)},
	{rule: "KS9012",
		hit:  func(k *talk) { k.conn().request(0, 3, produce("t", batch(0, k.now.UnixMilli()+3_700_000, 1))) },
		miss: func(k *talk) { k.conn().request(0, 3, produce("t", batch(0, k.now.UnixMilli()+3_500_000, 1))) }},
	{rule: "KS9014",
		hit:  joining("group.version", 1),
		miss: joining("group.version", 0)},
	{rule: "KS9007",
		hit:  func(k *talk) { k.conn().exchange(18, 2, fields{}, fields{}) },
		miss: func(k *talk) { k.conn().exchange(18, 3, fields{}, fields{}) }},
	{rule: "KS9011",
		hit:  func(k *talk) { k.conn().request(33, 1, fields{}) },
		miss: func(k *talk) { k.conn().request(44, 1, fields{}) }},
	{rule: "KS9013",
		hit:  func(k *talk) { k.play(real(k.t, "legacy-errors.pcap")) },
		miss: func(k *talk) { k.play(real(k.t, "kafka-0.8.pcap")) }},
}

// offering exchanges ApiVersions with a finalized feature.
func offering(name string, level int) func(k *talk) { return func(k *talk) { offered(k, name, level) } }

func offered(k *talk, name string, level int) *peer {
	return k.conn().exchange(18, 3, fields{"ClientSoftwareName": "a", "ClientSoftwareVersion": "1"}, fields{
		"ApiKeys":           list{fields{"ApiKey": 68, "MaxVersion": 1}, fields{"ApiKey": 11, "MaxVersion": 9}},
		"FinalizedFeatures": list{fields{"Name": name, "MaxVersionLevel": level, "MinVersionLevel": level}}, "FinalizedFeaturesEpoch": 1})
}

func joining(name string, level int) func(k *talk) {
	return func(k *talk) {
		offered(k, name, level).request(11, 5, fields{"GroupId": "g", "ProtocolType": "consumer", "SessionTimeoutMs": 10000, "RebalanceTimeoutMs": 10000})
	}
}
