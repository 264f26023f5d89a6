package audit

var ks2001 = Rule{ID: "KS2001", Title: "API key not offered", Severity: Error, Who: Client, Since: "0.10",
	Source:  "protocol guide; SocketServer.parseRequestHeader",
	Explain: "The broker said in its ApiVersions response on this connection which API keys it has, and this is none of them. Brokers close the connection. Use the key only where it is offered.",
	Example: "a ConsumerGroupHeartbeat (68) to a broker whose ApiVersions response ends with key 67",
	Needs:   Both}

var ks2002 = Rule{ID: "KS2002", Title: "version not offered", Severity: Error, Who: Client, Since: "0.10",
	Source:  "protocol guide (the range holds for the connection); KAFKA-18659",
	Explain: "The version lies outside the range that the broker offered for this API on this connection. Brokers close the connection or answer UNSUPPORTED_VERSION. Take the highest version that both sides know. Where the range is known from another connection only, this is a warning. Kafka 4 offers Produce 0 to 2 for the sake of old librdkafka, and refuses them all the same.",
	Example: "Fetch 17 where the ApiVersions response offers Fetch 4 to 16",
	Needs:   Both}

// lookOffered compares a request with what the broker offered.
func lookOffered(c *Ctx) {
	if c.Key == keyApiVersions {
		return
	}
	here := c.Conn.Offer != nil
	offered, ok := c.Offer().Versions(c.Key)
	if !ok {
		return
	}
	if offered.Empty() {
		if here && c.API != nil {
			c.Find(&ks2001).Byte(0, "RequestHeader.RequestApiKey").
				Say("%s (key %d) is not among the APIs that the broker offered", c.API.Name, c.Key).
				With("key", c.Key).With("offered_in_packet", c.Conn.Offer.Packet)
		}
		return
	}
	if c.Key == keyProduce && offered.Max >= 12 {
		offered.Min = max(offered.Min, 3)
	}
	if !offered.Has(c.Version) {
		f := c.Find(&ks2002).Byte(2, "RequestHeader.RequestApiVersion").
			Say("%s %d, the broker offered %d to %d", c.API.Name, c.Version, offered.Min, offered.Max).
			With("offered_min", offered.Min).With("offered_max", offered.Max).With("offered_in_packet", c.Offer().Packet)
		if !here {
			f.Graded(Warning).With("range_from", "another connection")
		}
	}
}

var ks2003 = Rule{ID: "KS2003", Title: "wrong answer to a too new ApiVersions", Severity: Error, Who: Broker, Since: "0.10",
	Source:  "RequestContext, ApiVersionsRequest.getErrorResponse; KIP-511",
	Explain: "A broker that does not know the version of an ApiVersions request must answer with a body of version 0 and error 35 (UNSUPPORTED_VERSION): it is what every client can read.",
	Example: "ApiVersions 4 to a broker that knows 0 to 3, answered by a body of version 3",
	Needs:   Both | Apache}

func lookTooNewAnswer(c *Ctx) {
	b := c.Conn.Broker
	if b == nil {
		return
	}
	if c.ErrorCode == 35 && c.Tree().BodyVersion != 0 {
		c.Find(&ks2003).Place(c.Tree().Body()).
			Say("ApiVersions %d was answered with UNSUPPORTED_VERSION in form %d, not in form 0", c.Version, c.Tree().BodyVersion).
			With("form", c.Tree().BodyVersion).With("error", errorName(c.ErrorCode))
		return
	}
	own, ok := b.Offer.Versions(keyApiVersions)
	if !ok || own.Empty() || c.Version <= own.Max {
		return
	}
	if c.ErrorCode != 35 || c.Tree().BodyVersion != 0 {
		c.Find(&ks2003).Place(c.Tree().Body()).
			Say("ApiVersions %d to a broker that knows %d to %d was answered in form %d with %s, not in form 0 with UNSUPPORTED_VERSION",
				c.Version, own.Min, own.Max, c.Tree().BodyVersion, errorName(c.ErrorCode)).
			With("known_max", own.Max).With("form", c.Tree().BodyVersion).With("error", errorName(c.ErrorCode))
	}
}

var ks2004 = Rule{ID: "KS2004", Title: "the first request is not ApiVersions", Severity: Info, Who: Client, Since: "0.10",
	Source:  "KIP-35",
	Explain: "The client does not ask which versions the broker has. That is legal, and the sign of a client with fixed versions: it breaks when a broker drops one of them.",
	Example: "a connection that begins with Metadata 0",
	Needs:   Start, Once: PerClient}

func lookFirstRequest(c *Ctx) {
	if c.Conn.Requests == 1 && c.Key != keyApiVersions && c.Key != keySaslHandshake {
		c.Find(&ks2004).Byte(0, "RequestHeader.RequestApiKey").Say("the connection begins with %s %d", apiName(c.Generation, c.Key), c.Version).
			With("first_api", apiName(c.Generation, c.Key))
	}
}
