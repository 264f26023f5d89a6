package decode

import "ksniff/decode/schema"

// requestHeader and responseHeader are the layouts of headers by header version.
var (
	requestHeader = &schema.Message{Name: "RequestHeader", Valid: schema.Versions{Min: 0, Max: 2}, Flexible: schema.Versions{Min: 2, Max: 2}, Fields: []schema.Field{
		headerField("RequestApiKey", "requestApiKey", schema.Int16, 0),
		headerField("RequestApiVersion", "requestApiVersion", schema.Int16, 0),
		headerField("CorrelationId", "correlationId", schema.Int32, 0),
		headerField("ClientId", "clientId", schema.String, 1),
	}}
	responseHeader = &schema.Message{Name: "ResponseHeader", Valid: schema.Versions{Min: 0, Max: 1}, Flexible: schema.Versions{Min: 1, Max: 1}, Fields: []schema.Field{
		headerField("CorrelationId", "correlationId", schema.Int32, 0),
	}}
)

func headerField(name, json string, t schema.Type, since int16) schema.Field {
	f := schema.Field{Name: name, JSON: json, Type: t, Versions: schema.Versions{Min: since, Max: schema.Forever}, Nullable: schema.None, Tagged: schema.None, Flexible: schema.None}
	if t == schema.String {
		f.Nullable = f.Versions
	}
	return f
}
