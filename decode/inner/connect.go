package inner

import "ksniff/decode/schema"

// Connect's group protocol (ConnectProtocol and IncrementalCooperativeConnectProtocol in Kafka's runtime of
// Connect, KIP-415). It is no message of Kafka's definitions, so its tables stand here. Version 2 differs from
// 1 in what it means ("sessioned"), not in its layout.
var connectRecords = [...]schema.Record{
	{Name: "ConnectMetadata", Family: "connect-protocol", Type: -1, Framing: schema.VersionWord, Value: &schema.Message{
		Name: "ConnectMetadata", Valid: schema.Versions{Min: 0, Max: 2}, Flexible: schema.None,
		Fields: []schema.Field{
			plain("Url", schema.String, 0),
			plain("ConfigOffset", schema.Int64, 0),
			nullable(plain("CurrentAssignment", schema.Bytes, 1)),
		},
	}},
	{Name: "ConnectAssignment", Family: "connect-protocol", Type: -1, Framing: schema.VersionWord, Value: &schema.Message{
		Name: "ConnectAssignment", Valid: schema.Versions{Min: 0, Max: 2}, Flexible: schema.None,
		Fields: []schema.Field{
			plain("Error", schema.Int16, 0),
			plain("Leader", schema.String, 0),
			plain("LeaderUrl", schema.String, 0),
			plain("ConfigOffset", schema.Int64, 0),
			nullable(tasks("Assignment", 0)),
			nullable(tasks("Revoked", 1)),
			plain("ScheduledDelay", schema.Int32, 1),
		},
	}},
}

func lookupConnect(name string) (*schema.Record, *schema.Message) {
	for i := range connectRecords {
		if r := &connectRecords[i]; r.Name == name {
			return r, r.Value
		}
	}
	return nil, nil
}

func plain(name string, typ schema.Type, since int16) schema.Field {
	return schema.Field{
		Name: name, JSON: string(name[0]|0x20) + name[1:], Type: typ, Versions: schema.Versions{Min: since, Max: schema.Forever},
		Nullable: schema.None, Tagged: schema.None, Flexible: schema.None,
	}
}

func nullable(f schema.Field) schema.Field {
	f.Nullable = f.Versions
	return f
}

// tasks is an array of connectors with the numbers of their tasks; -1 is the connector itself.
func tasks(name string, since int16) schema.Field {
	f := plain(name, schema.Struct, since)
	f.Array = true
	numbers := plain("Tasks", schema.Int32, 0)
	numbers.Array = true
	f.Fields = []schema.Field{plain("Connector", schema.String, 0), numbers}
	return f
}
