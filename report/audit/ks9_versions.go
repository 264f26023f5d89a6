package audit

var ks9001 = Rule{ID: "KS9001", Title: "version that Kafka 4.0 removed", Severity: Warning, Most: Error, Who: Client, Since: "4.0",
	Source:  "KIP-896; message definitions of 4.x; KAFKA-18334",
	Explain: "Kafka 4 no longer has this version of the API: brokers close the connection or answer UNSUPPORTED_VERSION. Clients of 2.1 and newer use newer ones. It is an error where the broker is already a 4.x.",
	Example: "Fetch 3, or Produce 2",
	Once:    PerVersion}

var ks9002 = Rule{ID: "KS9002", Title: "API that Kafka 4.0 removed", Severity: Info, Most: Error, Who: Client, Since: "4.0",
	Source:  "message definitions of 4.x (no valid versions)",
	Explain: "LeaderAndIsr, StopReplica, UpdateMetadata and ControlledShutdown are sent in clusters that run with ZooKeeper. The cluster must move to KRaft before 4.0.",
	Example: "UpdateMetadata from a controller to a broker",
	Once:    PerVersion}

// lookRemoved looks for versions that are gone.
func lookRemoved(c *Ctx) {
	if c.API == nil || !c.API.Removed.Has(c.Version) {
		return
	}
	new4 := c.Offer().Is4()
	if c.Key >= keyLeaderAndIsr && c.Key <= keyControlledShutdown {
		f := c.Find(&ks9002).Byte(0, "RequestHeader.RequestApiKey").Say("%s: the cluster runs with ZooKeeper", c.API.Name)
		if new4 {
			f.Graded(Error)
		}
		return
	}
	f := c.Find(&ks9001)
	if f == nil {
		return
	}
	f.Byte(2, "RequestHeader.RequestApiVersion").
		Say("%s %d is gone in Kafka 4; the oldest that it has is %d", c.API.Name, c.Version, c.API.Removed.Max+1).
		With("removed_to", c.API.Removed.Max).With("oldest", c.API.Removed.Max+1)
	if offered, _ := c.Offer().Versions(c.Key); new4 && (c.Key == keyProduce || !offered.Has(c.Version)) {
		f.Graded(Error) // a 4.0 still has the first version of share groups
	}
}

var ks9007 = Rule{ID: "KS9007", Title: "ApiVersions below version 3", Severity: Info, Who: Client, Since: "4.0",
	Source:  "KIP-511",
	Explain: "The client does not tell its software: it is older than 2.4, or a simple library.",
	Example: "ApiVersions 0",
	Once:    PerClient}

func lookOldHandshake(c *Ctx) {
	if c.Version < 3 {
		c.Find(&ks9007).Byte(2, "RequestHeader.RequestApiVersion").Say("ApiVersions %d", c.Version)
	}
}

var ks9011 = Rule{ID: "KS9011", Title: "AlterConfigs replaces all values", Severity: Info, Who: Client, Since: "2.3",
	Source:  "KIP-339",
	Explain: "AlterConfigs (33) sets all values of a resource that it does not name back to their defaults. IncrementalAlterConfigs (44) changes only those that it names.",
	Example: "AlterConfigs of topic orders with one entry",
	Once:    PerVersion}

func lookAlterConfigs(c *Ctx) {
	c.Find(&ks9011).Byte(0, "RequestHeader.RequestApiKey").Say("AlterConfigs for %d resources", c.Req().Body().Field("Resources").Count())
}

var ks9013 = Rule{ID: "KS9013", Title: "traffic of Kafka 0.6 or 0.7", Severity: Warning, Who: Client, Since: "0.8",
	Source:  "0.8 broke the protocol",
	Explain: "The client speaks the protocol of 0.6 and 0.7, which no broker since 0.8 understands.",
	Example: "a PRODUCE without correlation id",
	Once:    PerClient}

func lookLegacyTraffic(c *Ctx) {
	c.Find(&ks9013).Byte(0, "").Say("%s of the legacy protocol", apiName(c.Generation, c.Key))
}
