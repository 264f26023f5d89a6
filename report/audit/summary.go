package audit

// Unjudged says of a rule why it could not be judged, though there was traffic that it is about.
type Unjudged struct {
	Rule    *Rule
	Reasons []Reason
	// All says that it could be judged nowhere; otherwise it was for the rest of the traffic.
	All bool
}

// Reason is why, and how many frames or events it held for.
type Reason struct {
	Why   string
	Count int64
}

// Summary is what an audit says about itself.
type Summary struct {
	Frames   int64
	Rules    int   // wanted
	Judged   int   // of these, rules that could be judged at least once
	Idle     int   // of these, rules that the capture has no traffic for
	Withheld int64 // suspicions that the capture does not prove
	Unjudged []Unjudged
}

// Summary says which rules were judged, and which could not be and why.
func (a *Audit) Summary() Summary {
	s := Summary{Frames: a.frames, Withheld: a.held}
	for _, r := range Rules {
		if !a.wanted[r.index] {
			continue
		}
		s.Rules++
		judged, u := a.judged(r)
		switch {
		case judged > 0:
			s.Judged++
		case len(u.Reasons) == 0:
			s.Idle++
		}
		if u.All = judged == 0; len(u.Reasons) > 0 {
			s.Unjudged = append(s.Unjudged, u)
		}
	}
	return s
}

// judged adds up the cells of a rule's looks: how often it could be judged, and why it could not.
func (a *Audit) judged(r *Rule) (judged int64, u Unjudged) {
	u.Rule = r
	var lacks [len(needNames)]int64
	var skipped [skips]int64
	if a.serving == nil {
		a.serving = a.table.serving()
	}
	for _, c := range a.serving[r.index] {
		for have, n := range c.judged {
			lack := r.Needs & silent &^ Needs(have)
			if lack == 0 {
				judged += n
				continue
			}
			for i := range needNames {
				if lack&needNames[i].need != 0 {
					lacks[i] += n
					break
				}
			}
		}
		for i, n := range c.skipped {
			skipped[i] += n
		}
	}
	for i, n := range lacks {
		u.add(needNames[i].lack, n)
	}
	for i, n := range skipped {
		u.add(skipNames[i], n)
	}
	return judged, u
}

func (u *Unjudged) add(why string, n int64) {
	if n > 0 {
		u.Reasons = append(u.Reasons, Reason{why, n})
	}
}

// serving gives, by the index of each rule, the cells with a look that may find it. The end of the capture is no traffic.
func (t *table) serving() [][]*cell {
	all := make([][]*cell, len(Rules))
	for o := range onFinish {
		for _, c := range t[o] {
			if c == nil {
				continue
			}
			for _, l := range c.looks {
				for _, r := range l.rules {
					if of := &all[r.index]; len(*of) == 0 || (*of)[len(*of)-1] != c {
						*of = append(*of, c)
					}
				}
			}
		}
	}
	return all
}
