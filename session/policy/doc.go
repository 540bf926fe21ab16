// Package policy holds what an agent is given to read: a named row of
// strategies with their knobs, and what becomes of a session under it.
//
//	policy.go   Policy and Stage; the built-in policies; finding one by name
//	file.go     policies in a TOML file that a person writes
//	render.go   the Renderer: snapshots of a timeline under a policy, remembered
//	reader.go   the Reader: what goes out of each page of a session, in its order
//	export.go   a policy as another system's own configuration
//
// A stage holds its strategy and values, resolved once where it is read; who
// uses a policy has no name to look up and no error to expect.
package policy
