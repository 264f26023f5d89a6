package capture

import "slices"

type linkPacket struct {
	name string
	link LinkType
	data []byte
}

// encapsulated is everything that TCP can travel in, each around one segment with the payload "hello".
func encapsulated() []linkPacket {
	tcp := tcpBytes("hello")
	v4, v6 := ip4(6, tcp), ip6(6, tcp)
	whole := ether(0x0800, v4)
	udp := func(port uint16, b []byte) []byte {
		return ip4(17, be(uint16(50000), port, uint16(8+len(b)), uint16(0), b))
	}
	extension := func(next byte, size int) []byte {
		return be(next, byte(size/8-1), make([]byte, size-2))
	}
	options := slices.Insert(slices.Clone(v4), 20, 1, 1, 1, 1)
	options[0], options[3] = 0x46, byte(len(options))
	offload := slices.Clone(v4)
	offload[2], offload[3] = 0, 0
	offload6 := slices.Clone(v6)
	offload6[4], offload6[5] = 0, 0
	wrongSum := slices.Clone(v4)
	wrongSum[10]++
	return []linkPacket{
		{"ethernet", LinkEthernet, whole},
		{"padding", LinkEthernet, append(slices.Clone(whole), "padding"...)},
		{"ipv6", LinkEthernet, ether(0x86dd, v6)},
		{"ipv6 padding", LinkEthernet, append(ether(0x86dd, v6), 0, 0)},
		{"ip options", LinkEthernet, ether(0x0800, options)},
		{"offload", LinkEthernet, ether(0x0800, offload)},
		{"offload ipv6", LinkEthernet, ether(0x86dd, offload6)},
		{"wrong checksum", LinkEthernet, ether(0x0800, wrongSum)},
		{"vlan", LinkEthernet, ether(0x8100, be(uint16(5), uint16(0x0800), v4))},
		{"qinq", LinkEthernet, ether(0x88a8, be(uint16(7), uint16(0x8100), uint16(5), uint16(0x86dd), v6))},
		{"e-tag", LinkEthernet, ether(0x893f, be(make([]byte, 6), uint16(0x0800), v4))},
		{"snap", LinkEthernet, append(ether(uint16(8+len(v4)), be("\xaa\xaa\x03\x00\x00\x00", uint16(0x0800), v4)), 0, 0)},
		{"mpls", LinkEthernet, ether(0x8847, be(uint32(16<<12|64), uint32(17<<12|1<<8|64), v4))},
		{"mpls ipv6", LinkEthernet, ether(0x8848, be(uint32(17<<12|1<<8|64), v6))},
		{"mpls ethernet", LinkEthernet, ether(0x8847, be(uint32(17<<12|1<<8|64), uint32(0), whole))},
		{"pppoe", LinkEthernet, ether(0x8864, be(byte(0x11), byte(0), uint16(9), uint16(2+len(v4)), uint16(0x21), v4, uint32(0)))},
		{"pppoe ipv6", LinkEthernet, ether(0x8864, be(byte(0x11), byte(0), uint16(9), uint16(1+len(v6)), byte(0x57), v6))},
		{"gre", LinkEthernet, ether(0x0800, ip4(47, be(uint16(0), uint16(0x0800), v4)))},
		{"gre checksum key sequence", LinkEthernet, ether(0x0800, ip4(47, be(uint16(0xb000), uint16(0x86dd), make([]byte, 12), v6)))},
		{"nvgre", LinkEthernet, ether(0x0800, ip4(47, be(uint16(0x2000), uint16(0x6558), uint32(9), whole)))},
		{"pptp", LinkEthernet, ether(0x0800, ip4(47, be(uint16(0x3081), uint16(0x880b), uint16(4+len(v4)), uint16(1), uint32(1), uint32(2), "\xff\x03", uint16(0x21), v4)))},
		{"erspan 1", LinkEthernet, ether(0x0800, ip4(47, be(uint16(0), uint16(0x88be), whole)))},
		{"erspan 2", LinkEthernet, ether(0x0800, ip4(47, be(uint16(0x1000), uint16(0x88be), uint32(1), uint64(0x1000<<48), whole)))},
		{"erspan 3", LinkEthernet, ether(0x0800, ip4(47, be(uint16(0x1000), uint16(0x22eb), uint32(1), uint64(0x2000<<48), uint32(1), uint64(0), whole)))},
		{"vxlan", LinkEthernet, ether(0x0800, udp(4789, be(uint32(8<<24), uint32(5<<8), whole)))},
		{"vxlan 8472", LinkEthernet, ether(0x0800, udp(8472, be(uint32(8<<24), uint32(5<<8), ether(0x86dd, v6))))},
		{"geneve", LinkEthernet, ether(0x0800, udp(6081, be(byte(1), byte(0), uint16(0x6558), uint32(5<<8), uint32(0), whole)))},
		{"geneve ip", LinkEthernet, ether(0x0800, udp(6081, be(byte(0), byte(0), uint16(0x0800), uint32(5<<8), v4)))},
		{"ip in ip", LinkRaw, ip4(4, v4)},
		{"6in4", LinkRaw, ip4(41, v6)},
		{"4in6", LinkIPv6, ip6(4, v4)},
		{"mpls in ip", LinkRaw, ip4(137, be(uint32(17<<12|1<<8|64), v4))},
		{"authentication header", LinkRaw, ip4(51, be(byte(6), byte(4), make([]byte, 22), tcp))},
		{"ipv6 extensions", LinkRaw, ip6(0, be(extension(60, 8), extension(43, 16), extension(6, 24), tcp))},
		{"ipv6 single fragment", LinkRaw, ip6(44, be(byte(6), byte(0), uint16(0), uint32(1), tcp))},
		{"raw 12", LinkRaw12, v4},
		{"raw 14", LinkRaw14, v6},
		{"raw ipv4", LinkIPv4, v4},
		{"null little", LinkNull, be("\x02\x00\x00\x00", v4)},
		{"null big", LinkNull, be("\x00\x00\x00\x1e", v6)},
		{"loop", LinkLoop, be("\x00\x00\x00\x02", v4)},
		{"cooked", LinkSLL, be(uint16(0), uint16(1), uint16(6), uint64(0), uint16(0x0800), v4)},
		{"cooked vlan", LinkSLL, be(uint16(0), uint16(1), uint16(6), uint64(0), uint16(0x8100), uint16(5), uint16(0x86dd), v6)},
		{"cooked 2", LinkSLL2, be(uint16(0x86dd), uint16(0), uint32(2), uint16(772), byte(0), byte(6), uint64(0), v6)},
		{"ppp", LinkPPP, be("\xff\x03", uint16(0x21), v4)},
		{"cisco hdlc", LinkCHDLC, be(uint16(0x0f00), uint16(0x0800), v4)},
		{"mpls link", LinkMPLS, be(uint32(17<<12|1<<8|64), v4)},
		{"5 tunnels", LinkRaw, repeat(5, func(b []byte) []byte { return ip4(4, b) }, v4)},
	}
}

func repeat(n int, f func([]byte) []byte, b []byte) []byte {
	for range n {
		b = f(b)
	}
	return b
}
