package audit

import "ksniff/decode"

// ks2 is headers, versions, negotiation, pairing.
var ks2 = family{
	name: "KS2", title: "headers, versions, negotiation, pairing",
	rules: []*Rule{&ks2001, &ks2002, &ks2003, &ks2004, &ks2005, &ks2006, &ks2007, &ks2008, &ks2009, &ks2010, &ks2011, &ks2012, &ks2013,
		&ks2014, &ks2015, &ks2016, &ks2017, &ks2018, &ks2019, &ks2020, &ks2021, &ks2022, &ks2023},
	looks: []look{
		{on: onRequest, rules: []*Rule{&ks2001, &ks2002}, when: unheard, do: lookOffered},
		{on: onExchange, keys: []int16{keyApiVersions}, rules: []*Rule{&ks2003}, do: lookTooNewAnswer},
		{on: onRequest, rules: []*Rule{&ks2004}, when: unheard, do: lookFirstRequest},
		{on: onRequest, keys: []int16{keyProduce}, when: mute, do: lookSilent},
		{on: onUnmatched, rules: []*Rule{&ks2005}, do: lookUnmatched},
		{on: onExchange, rules: []*Rule{&ks2006}, when: overtaken, do: lookOrder},
		{on: onRequest, rules: []*Rule{&ks2007}, when: pipelined, do: lookReusedID},
		{on: onFault, keys: []int16{keyProduce, keyFetch}, do: noteGarbled},
		{on: onFault, do: noteForm},
		{on: onFault, rules: []*Rule{&ks2008, &ks2016, &ks2009, &ks2010, &ks2011, &ks2012, &ks2013, &ks2014}, do: lookForm},
		{on: onRequest, keys: boolKeys(decode.Request), rules: []*Rule{&ks2015}, do: lookBools},
		{on: onExchange, keys: boolKeys(decode.Response), rules: []*Rule{&ks2015}, do: lookBools},
		{on: onRequest, keys: tagKeys(decode.Request), rules: []*Rule{&ks2010}, when: unheard, do: lookTags},
		{on: onExchange, keys: tagKeys(decode.Response), rules: []*Rule{&ks2010}, do: lookTags},
		{on: onRequest, keys: []int16{keyApiVersions}, rules: []*Rule{&ks2017}, do: lookSoftware},
		{on: onRequest, rules: []*Rule{&ks2018}, when: unheard, do: lookClientID},
		{on: onRequest, keys: []int16{keyMetadata}, rules: []*Rule{&ks2019, &ks2021}, do: lookMetadataTopics},
		{on: onRequest, keys: []int16{keyProduce, keyFetch}, rules: []*Rule{&ks2020}, when: nameless, do: lookZeroParts},
		{on: onExchange, keys: []int16{keyProduce, keyFetch}, rules: []*Rule{&ks2020}, when: zeroSlot.mark, do: lookZeroID},
		{on: onExchange, keys: []int16{keyOffsetCommit}, rules: []*Rule{&ks2020}, do: lookZeroID},
		{on: onUnanswered, keys: []int16{keyProduce, keyFetch}, rules: []*Rule{&ks2020}, when: zeroSlot.mark, do: lookZeroID},
		{on: onUnanswered, keys: []int16{keyOffsetCommit}, rules: []*Rule{&ks2020}, do: lookZeroID},
		{on: onRequest, keys: []int16{keyCreateTopics}, rules: []*Rule{&ks2021}, do: lookCreatedNames},
		{on: onRequest, keys: []int16{keyListOffsets}, rules: []*Rule{&ks2022}, do: lookTimestamps},
		{on: onRequest, keys: []int16{keyListOffsets}, rules: []*Rule{&ks2023}, do: lookTwice},
	},
}
