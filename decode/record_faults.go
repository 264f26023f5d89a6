package decode

import "fmt"

// recordMessage tells what is wrong in a record set, "" for faults of other kinds.
func (f Fault) recordMessage() string {
	switch f.Code {
	case CRCMismatch:
		return fmt.Sprintf("the checksum is %08x, the bytes give %08x", uint32(f.Need), uint32(f.Have))
	case CodecChecksum:
		return "the compressed data decompress, but their own checksum is wrong"
	case LZ4HeaderChecksum:
		return "the checksum of the LZ4 header is wrong, as in message format 0 (KAFKA-3160), or simply wrong"
	case BadCodec:
		return "the records cannot be decompressed as what the attributes say"
	case DecompressError:
		return "the message cannot be decompressed"
	case CountMismatch:
		return fmt.Sprintf("the batch says that it has %d records, which is not so", f.Need)
	case BadMagic:
		return fmt.Sprintf("magic %d, the highest possible here is %d", f.Have, f.Need)
	case BadRecord:
		return "a record's fields do not fit its length, or its batch does not allow it"
	case TooLarge:
		return "too large to be looked into, or decompresses to too much"
	case TooDeep:
		return "too many messages nested in each other"
	}
	return ""
}
