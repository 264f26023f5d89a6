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
