package audit

var ks3Cases = []ruleCase{}
