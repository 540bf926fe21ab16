// Package script reads what a session is told to do: step scripts in YAML and
// single actions as they are typed on the command line. Both are read off one
// table, session.Verbs; every error has its file, line and column where there
// is one.
package script
