package strategy

// Interactive reports whether an agent acts on elements of a role: it clicks,
// fills, chooses or turns them.
func Interactive(role string) bool {
	switch role {
	case "button", "textbox", "searchbox", "checkbox", "radio", "switch", "combobox", "listbox", "slider", "spinbutton", "link", "tab",
		"option", "menuitem", "menuitemcheckbox", "menuitemradio", "treeitem":
		return true
	}
	return false
}
