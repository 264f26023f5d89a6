package audit

var ks8Cases = []ruleCase{}
