package live

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

const (
	blockSize    = 1 << 20 // holds the largest packet (64 KiB of offloaded loopback) many times
	frameSize    = 1 << 11 // only a granularity: version 3 packs packets
	retireAfter  = 60      // ms until the kernel hands over a block that is not full
	defaultRing  = 32 << 20
	blockStatus  = 8  // offset of block_status in a block (tpacket_block_desc)
	blockPackets = 12 // of num_pkts
	blockFirst   = 16 // of offset_to_first_pkt
)

// ring is a TPACKET_V3 ring: blocks of packets that kernel and program hand to each other without
// copying. (gopacket's afpacket was looked at first; docs/adr/0004 says why it is not used.)
type ring struct {
	fd     int
	memory []byte
	blocks int
	block  int    // the block that is being read
	left   uint32 // packets left in it
	next   uint32 // offset of the next packet in it
	held   bool   // the block is ours and must be handed back
	behind bool   // see Source.Behind
}

// ringOptions say what a ring gets.
type ringOptions struct {
	protocol uint16
	index    int // interface, 0: all
	size     int // bytes
	filter   []bpf.RawInstruction
	promisc  bool
	incoming bool // nothing on its way out
}

func openRing(o ringOptions) (*ring, error) {
	// Protocol 0 receives nothing until bind, so that no packet slips past the filter.
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	r := &ring{fd: fd}
	if err := r.setUp(o); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *ring) setUp(o ringOptions) error {
	if err := unix.SetsockoptInt(r.fd, unix.SOL_PACKET, unix.PACKET_VERSION, unix.TPACKET_V3); err != nil {
		return fmt.Errorf("this kernel has no TPACKET_V3: %w", err)
	}
	if err := unix.SetsockoptInt(r.fd, unix.SOL_PACKET, unix.PACKET_RESERVE, reserved); err != nil {
		return fmt.Errorf("reserving room for VLAN tags: %w", err)
	}
	r.blocks = max(2, o.size/blockSize)
	request := unix.TpacketReq3{
		Block_size: blockSize, Block_nr: uint32(r.blocks),
		Frame_size: frameSize, Frame_nr: uint32(r.blocks * (blockSize / frameSize)),
		Retire_blk_tov: retireAfter,
	}
	if err := unix.SetsockoptTpacketReq3(r.fd, unix.SOL_PACKET, unix.PACKET_RX_RING, &request); err != nil {
		return fmt.Errorf("ring buffer of %d MiB: %w", r.blocks*blockSize>>20, err)
	}
	var err error
	r.memory, err = unix.Mmap(r.fd, 0, r.blocks*blockSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("mapping the ring buffer: %w", err)
	}
	if len(o.filter) > 0 {
		program := make([]unix.SockFilter, len(o.filter))
		for i, one := range o.filter {
			program[i] = unix.SockFilter{Code: one.Op, Jt: one.Jt, Jf: one.Jf, K: one.K}
		}
		if err := unix.SetsockoptSockFprog(r.fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER,
			&unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}); err != nil {
			return fmt.Errorf("attaching the filter: %w", err)
		}
	}
	if o.incoming { // kernels before 4.20 cannot, and show the packets twice
		_ = unix.SetsockoptInt(r.fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1)
	}
	if o.promisc && o.index != 0 {
		membership := unix.PacketMreq{Ifindex: int32(o.index), Type: unix.PACKET_MR_PROMISC}
		if err := unix.SetsockoptPacketMreq(r.fd, unix.SOL_PACKET, unix.PACKET_ADD_MEMBERSHIP, &membership); err != nil {
			return fmt.Errorf("promiscuous mode: %w", err)
		}
	}
	return unix.Bind(r.fd, &unix.SockaddrLinklayer{Protocol: o.protocol<<8 | o.protocol>>8, Ifindex: o.index})
}

// packet gives the next packet of the ring without copying it: header, link-layer address, bytes.
// It is valid until the next call. Without a packet for wait ms it returns ErrIdle.
func (r *ring) packet(wait int) (*unix.Tpacket3Hdr, *unix.RawSockaddrLinklayer, []byte, error) {
	for r.left == 0 {
		if r.held {
			r.release()
		}
		if !r.ready(r.block) {
			r.behind = false
			if err := r.wait(wait); err != nil {
				return nil, nil, nil, err
			}
			if !r.ready(r.block) {
				return nil, nil, nil, ErrIdle
			}
		}
		base := r.block * blockSize
		r.held = true
		r.gauge()
		r.left = *(*uint32)(unsafe.Pointer(&r.memory[base+blockPackets]))
		r.next = *(*uint32)(unsafe.Pointer(&r.memory[base+blockFirst]))
	}
	at := r.block*blockSize + int(r.next)
	header := (*unix.Tpacket3Hdr)(unsafe.Pointer(&r.memory[at]))
	address := (*unix.RawSockaddrLinklayer)(unsafe.Pointer(&r.memory[at+unix.SizeofTpacket3Hdr]))
	start := at + int(header.Mac)
	r.left--
	r.next += header.Next_offset
	return header, address, r.memory[start : start+int(header.Snaplen)], nil
}

// gauge looks how full the ring is: so far ahead, is a block full that waits for us?
func (r *ring) gauge() {
	ahead := r.blocks / 2
	if r.behind {
		ahead = r.blocks / 8
	}
	r.behind = r.ready((r.block + max(ahead, 1)) % r.blocks)
}

// ready says whether the kernel has handed over a block.
func (r *ring) ready(block int) bool {
	return atomic.LoadUint32((*uint32)(unsafe.Pointer(&r.memory[block*blockSize+blockStatus])))&unix.TP_STATUS_USER != 0
}

// tagged puts back the VLAN tag that the kernel took out of an Ethernet frame, into the room that is
// reserved before the packet, so that only the two addresses move.
func (r *ring) tagged(header *unix.Tpacket3Hdr, data []byte) []byte {
	const addresses = 12
	if len(data) < addresses {
		return data
	}
	tpid := uint16(unix.ETH_P_8021Q)
	if header.Status&unix.TP_STATUS_VLAN_TPID_VALID != 0 {
		tpid = header.Hv1.Vlan_tpid
	}
	longer := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(&data[0]), -reserved)), len(data)+reserved)
	copy(longer, data[:addresses])
	binary.BigEndian.PutUint16(longer[addresses:], tpid)
	binary.BigEndian.PutUint16(longer[addresses+2:], uint16(header.Hv1.Vlan_tci))
	return longer
}

// release hands the block back to the kernel.
func (r *ring) release() {
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&r.memory[r.block*blockSize+blockStatus])), unix.TP_STATUS_KERNEL)
	r.block = (r.block + 1) % r.blocks
	r.held = false
}

// wait sleeps until the kernel has a block or ms have passed. An interface that goes down is an
// error of the socket, reported once (ENETDOWN); the socket goes on when the interface comes back.
func (r *ring) wait(ms int) error {
	poll := [1]unix.PollFd{{Fd: int32(r.fd), Events: unix.POLLIN | unix.POLLERR}}
	if _, err := unix.Poll(poll[:], ms); err != nil && err != unix.EINTR {
		return err
	}
	if poll[0].Revents&unix.POLLERR != 0 {
		code, err := unix.GetsockoptInt(r.fd, unix.SOL_SOCKET, unix.SO_ERROR)
		if err != nil {
			return err
		}
		if code != 0 {
			return unix.Errno(code)
		}
	}
	return nil
}

// counts returns what the kernel counted since the last call.
func (r *ring) counts() (received, dropped uint64) {
	stats, err := unix.GetsockoptTpacketStatsV3(r.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS)
	if err != nil {
		return 0, 0
	}
	return uint64(stats.Packets), uint64(stats.Drops)
}

func (r *ring) close() {
	if r.memory != nil {
		unix.Munmap(r.memory) //nolint:errcheck // nothing can be done about it, and the process ends
		r.memory = nil
	}
	unix.Close(r.fd) //nolint:errcheck // likewise
}
