// Package kmsg compares ksniff's decoder with the Kafka messages of franz-go, which were written from the
// protocol independently. It is a module of its own, so that the product does not depend on them.
package kmsg
