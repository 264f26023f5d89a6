package audit

var ks7Cases = []ruleCase{}
