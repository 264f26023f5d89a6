package audit

var ks5Cases = []ruleCase{}
