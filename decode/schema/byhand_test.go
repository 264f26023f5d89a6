package schema_test

// byHand are the messages that no file of Apache's describes: they are written from the classes that
// read and write them.
var byHand = map[string]bool{"ConnectMetadata": true, "ConnectAssignment": true, "SubscriptionInfoData": true, "AssignmentInfo": true}
