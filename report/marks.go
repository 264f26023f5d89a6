package report

// marks are the ends of the partitions of a topic as far as the capture tells: at least so many offsets
// are there. Fetch responses tell the end (the high watermark), Produce requests move it on.
type marks []*[markPage]int64

const markPage = 8

// at is the place of a partition, nil for those that are not followed.
func (m *marks) at(partition int32, b *budget) *int64 {
	if uint32(partition) >= nearPartitions {
		return nil
	}
	i := int(partition) / markPage
	if n := i + 1 - len(*m); n > 0 {
		if !b.take(int64(n) * 8) {
			return nil
		}
		*m = append(*m, make([]*[markPage]int64, n)...)
	}
	if (*m)[i] == nil {
		if !b.take(markPage * 8) {
			return nil
		}
		(*m)[i] = new([markPage]int64)
	}
	return &(*m)[i][partition%markPage]
}

// beyond says whether nothing is known to be at offset.
func (m marks) beyond(partition int32, offset int64) bool {
	i := uint32(partition) / markPage
	return i >= uint32(len(m)) || m[i] == nil || offset >= m[i][partition%markPage]
}
