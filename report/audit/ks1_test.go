package audit

var ks1Cases = []ruleCase{}
