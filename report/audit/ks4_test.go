package audit

var ks4Cases = []ruleCase{}
