package audit

var ks6Cases = []ruleCase{}
