package transcript

import (
	"strconv"
	"strings"

	"snapscope/session"
)

// What the tools of the known servers mean in snapscope's vocabulary. The
// table is by the tool's own name; prefixes that agents put before it are taken
// off first.

// toolRow is one tool: its verb, and where its arguments keep the element.
type toolRow struct {
	verb   session.Verb
	target []string // arguments that may hold a ref, in order
}

var (
	pwTarget = []string{"target", "ref"}
	uidArg   = []string{"uid"}
	indexArg = []string{"index"}
)

// distinct are names that say by themselves that they are a browser's.
var distinct = map[string]toolRow{
	// Playwright MCP and its relatives.
	"browser_navigate":         {session.Goto, nil},
	"browser_navigate_back":    {session.Back, nil},
	"browser_navigate_forward": {session.Forward, nil},
	"browser_go_back":          {session.Back, nil},
	"browser_go_forward":       {session.Forward, nil},
	"browser_reload":           {session.Reload, nil},
	"browser_click":            {session.Click, []string{"target", "ref", "index"}},
	"browser_hover":            {session.Hover, pwTarget},
	"browser_type":             {session.Type, []string{"target", "ref", "index"}},
	"browser_fill":             {session.Fill, pwTarget},
	"browser_fill_form":        {session.Fill, nil},
	"browser_press_key":        {session.Press, nil},
	"browser_press_sequentially": {
		session.Type, nil,
	},
	"browser_check":            {session.Check, pwTarget},
	"browser_uncheck":          {session.Uncheck, pwTarget},
	"browser_select_option":    {session.Select, pwTarget},
	"browser_scroll":           {session.Scroll, pwTarget},
	"browser_mouse_wheel":      {session.Scroll, nil},
	"browser_mouse_click_xy":   {session.Click, nil},
	"browser_mouse_drag_xy":    {session.Drag, nil},
	"browser_mouse_move_xy":    {session.Hover, nil},
	"browser_drag":             {session.Drag, []string{"startTarget", "startRef"}},
	"browser_file_upload":      {session.Upload, nil},
	"browser_handle_dialog":    {session.Dialog, nil},
	"browser_tabs":             {session.Tab, nil},
	"browser_tab_new":          {session.Tab, nil},
	"browser_tab_select":       {session.Tab, nil},
	"browser_tab_close":        {session.Tab, nil},
	"browser_tab_list":         {session.Tab, nil},
	"browser_evaluate":         {session.Evaluate, pwTarget},
	"browser_run_code":         {session.Evaluate, nil},
	"browser_run_code_unsafe":  {session.Evaluate, nil},
	"browser_wait_for":         {session.Wait, nil},
	"browser_wait":             {session.Wait, nil},
	"browser_snapshot":         {session.Snapshot, nil},
	"browser_take_snapshot":    {session.Snapshot, nil},
	"browser_get_state":        {session.Snapshot, nil},
	"browser_take_screenshot":  {session.Screenshot, pwTarget},
	"browser_screenshot":       {session.Screenshot, nil},
	"browser_screen_capture":   {session.Screenshot, nil},
	"browser_close":            {},
	"browser_resize":           {},
	"browser_install":          {},
	"browser_console_messages": {},
	"browser_network_requests": {},
	"browser_network_request":  {},
	"browser_pdf_save":         {},
	"browser_generate_locator": {"", pwTarget},
	"browser_find":             {},
	"browser_batch_execute":    {},
	"browser_start_tracing":    {},
	"browser_stop_tracing":     {},
	"browser_verify_text_visible": {
		session.Wait, nil,
	},
	"browser_verify_element_visible": {session.Wait, nil},
	"browser_verify_value":           {session.Wait, pwTarget},
	"browser_verify_list_visible":    {session.Wait, pwTarget},

	// chrome-devtools-mcp.
	"take_snapshot":         {session.Snapshot, nil},
	"take_screenshot":       {session.Screenshot, uidArg},
	"navigate_page":         {session.Goto, nil},
	"navigate_page_history": {session.Back, nil},
	"new_page":              {session.Tab, nil},
	"close_page":            {session.Tab, nil},
	"select_page":           {session.Tab, nil},
	"list_pages":            {session.Tab, nil},
	"evaluate_script":       {session.Evaluate, nil},
	"list_console_messages": {},
	"list_network_requests": {},

	// browser-use.
	"go_to_url":                 {session.Goto, nil},
	"click_element_by_index":    {session.Click, indexArg},
	"click_element":             {session.Click, indexArg},
	"input_text":                {session.Fill, indexArg},
	"send_keys":                 {session.Press, nil},
	"switch_tab":                {session.Tab, nil},
	"open_tab":                  {session.Tab, nil},
	"close_tab":                 {session.Tab, nil},
	"scroll_down":               {session.Scroll, indexArg},
	"scroll_up":                 {session.Scroll, indexArg},
	"scroll_to_text":            {session.Scroll, nil},
	"select_dropdown":           {session.Select, indexArg},
	"select_dropdown_option":    {session.Select, indexArg},
	"dropdown_options":          {"", indexArg},
	"get_dropdown_options":      {"", indexArg},
	"search_google":             {session.Goto, nil},
	"extract_structured_data":   {},
	"extract_content":           {},
	"upload_file_to_element":    {session.Upload, indexArg},
	"drag_drop":                 {session.Drag, nil},
	"go_back":                   {session.Back, nil},
	"navigate_back":             {session.Back, nil},
	"navigate_forward":          {session.Forward, nil},
	"ariaSnapshot":              {session.Snapshot, nil},
	"snapshotForAI":             {session.Snapshot, nil},
	"_snapshotForAI":            {session.Snapshot, nil},
	"handle_dialog":             {session.Dialog, nil},
	"press_key":                 {session.Press, nil},
	"upload_file":               {session.Upload, []string{"uid", "index"}},
	"fill_form":                 {session.Fill, nil},
	"wait_for":                  {session.Wait, nil},
	"type_text":                 {session.Type, nil},
	"resize_page":               {},
	"emulate":                   {},
	"performance_start_trace":   {},
	"performance_stop_trace":    {},
	"get_console_message":       {},
	"get_network_request":       {},
	"lighthouse_audit":          {},
	"take_memory_snapshot":      {},
	"browser_mouse_down":        {},
	"browser_mouse_up":          {},
	"browser_keydown":           {session.Press, nil},
	"browser_keyup":             {session.Press, nil},
	"browser_highlight":         {"", pwTarget},
	"browser_annotate":          {},
	"browser_storage_state":     {},
	"browser_set_storage_state": {},
}

// plain are names that other tools have too: they count only in a transcript
// that is a browser's, or behind a browser server's prefix.
var plain = map[string]toolRow{
	"navigate":   {session.Goto, nil},
	"goto":       {session.Goto, nil},
	"open":       {session.Goto, nil},
	"search":     {session.Goto, nil},
	"back":       {session.Back, nil},
	"goBack":     {session.Back, nil},
	"forward":    {session.Forward, nil},
	"goForward":  {session.Forward, nil},
	"reload":     {session.Reload, nil},
	"click":      {session.Click, []string{"uid", "index", "ref", "target"}},
	"tap":        {session.Click, []string{"ref"}},
	"dblclick":   {session.DblClick, []string{"uid", "ref", "target"}},
	"hover":      {session.Hover, []string{"uid", "ref", "target"}},
	"fill":       {session.Fill, []string{"uid", "ref", "target"}},
	"input":      {session.Fill, indexArg},
	"type":       {session.Type, []string{"ref", "target", "uid", "index"}},
	"press":      {session.Press, []string{"ref"}},
	"check":      {session.Check, []string{"ref", "target"}},
	"uncheck":    {session.Uncheck, []string{"ref", "target"}},
	"select":     {session.Select, []string{"ref", "target"}},
	"scroll":     {session.Scroll, []string{"ref", "index"}},
	"drag":       {session.Drag, []string{"from_uid", "startRef", "startTarget"}},
	"upload":     {session.Upload, []string{"ref", "index"}},
	"dialog":     {session.Dialog, nil},
	"switch":     {session.Tab, nil},
	"close":      {session.Tab, nil},
	"tabs":       {session.Tab, nil},
	"tab":        {session.Tab, nil},
	"focus":      {session.Tab, nil},
	"evaluate":   {session.Evaluate, []string{"ref"}},
	"eval":       {session.Evaluate, nil},
	"wait":       {session.Wait, nil},
	"snapshot":   {session.Snapshot, nil},
	"screenshot": {session.Screenshot, []string{"ref"}},

	"selectOption":             {session.Select, nil},
	"setInputFiles":            {session.Upload, nil},
	"waitForTimeout":           {session.Wait, nil},
	"waitForSelector":          {session.Wait, nil},
	"evaluateExpression":       {session.Evaluate, nil},
	"evaluateExpressionHandle": {session.Evaluate, nil},
	"dragAndDrop":              {session.Drag, nil},
	"keyboardPress":            {session.Press, nil},
	"keyboardType":             {session.Type, nil},
	"pressSequentially":        {session.Type, nil},
	"mouseWheel":               {session.Scroll, nil},
	"act":                      {},
	"observe":                  {},
	"extract":                  {},
	"done":                     {},
}

// known finds what a tool means. browser says that its name, or the server
// before it, is a browser's, verb or not.
func known(tool string, browserOnly bool) (row toolRow, browser bool) {
	name, server := splitTool(tool)
	if rest, ok := strings.CutPrefix(name, "agent_browser_"); ok || server == "agent_browser" { // its own MCP server
		return agentBrowser(rest), true
	}
	if r, ok := distinct[name]; ok {
		return r, true
	}
	for _, cut := range []string{"_browser_", ".browser_", "/browser_", "-browser_", ":browser_"} {
		if i := strings.LastIndex(tool, cut); i >= 0 {
			if r, ok := distinct[tool[i+1:]]; ok {
				return r, true
			}
			return toolRow{}, true
		}
	}
	if strings.HasPrefix(name, "browser_") {
		return toolRow{}, true
	}
	if browserOnly || isBrowserServer(server) {
		r, ok := plain[name]
		if !ok {
			if _, rest, cut := strings.Cut(name, "_"); cut {
				if r, ok = distinct[rest]; !ok {
					r, ok = plain[rest]
				}
			}
		}
		return r, ok || isBrowserServer(server)
	}
	return toolRow{}, false
}

// agentBrowser finds what a tool of agent-browser's MCP server means; its
// elements are selectors, "@e12" among them.
func agentBrowser(name string) toolRow {
	r, ok := plain[name]
	if !ok {
		switch verb, _, _ := strings.Cut(name, "_"); verb {
		case "tab", "window", "dialog", "wait", "mouse", "scroll":
			r = plain[verb]
		}
	}
	if !strings.HasPrefix(name, "tab") {
		r.target = append([]string{"selector"}, r.target...)
	}
	return r
}

// splitTool takes the prefixes off: mcp__server__tool, mcp_server_tool,
// server.tool, server/tool, server_tool of a known server.
func splitTool(tool string) (name, server string) {
	name = strings.TrimPrefix(tool, "functions.")
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		if i := strings.LastIndex(rest, "__"); i > 0 {
			return rest[i+2:], rest[:i]
		}
		return rest, ""
	}
	if i := strings.LastIndexAny(name, "./:"); i > 0 && i+1 < len(name) {
		return name[i+1:], name[:i]
	}
	name = strings.TrimPrefix(name, "mcp_")
	for _, s := range []string{"playwright_", "chrome-devtools_", "chrome_devtools_", "browser-use_", "browser_use_", "agent-browser_", "agent_browser_", "devtools_"} {
		if rest, ok := strings.CutPrefix(name, s); ok {
			return rest, strings.TrimSuffix(s, "_")
		}
	}
	return name, ""
}

func isBrowserServer(server string) bool {
	s := strings.ToLower(server)
	for _, w := range []string{"playwright", "devtools", "browser", "puppeteer", "stagehand"} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// element is the element an action names, as far as its arguments tell.
func element(row toolRow, args map[string]any) *session.Target {
	for _, key := range row.target {
		if s := argText(args[key]); s != "" {
			return targetOf(s)
		}
	}
	for _, key := range []string{"selectors", "startSelectors"} {
		if t := selector(args[key]); t != nil {
			return t
		}
	}
	switch row.verb {
	case session.Upload, session.Click, session.Type, session.Select, session.Hover, session.Drag, session.Scroll, session.Evaluate, session.Press:
		if s := argText(args["selector"]); s != "" {
			return targetOf(s)
		}
	}
	return nil
}

// selector is the first of fast-playwright's ways to one element: by ref, by
// role and text, or by CSS.
func selector(x any) *session.Target {
	list, _ := x.([]any)
	if len(list) == 0 {
		return nil
	}
	s, _ := list[0].(map[string]any)
	if ref := argText(s["ref"]); ref != "" {
		return targetOf(ref)
	}
	if css := argText(s["css"]); css != "" {
		return &session.Target{CSS: css}
	}
	if role := argText(s["role"]); role != "" {
		return &session.Target{Role: role, Name: argText(s["text"])}
	}
	return nil
}

// others are the further elements an action names: a form's fields, and where
// a drag ends.
func others(row toolRow, args map[string]any) []session.Target {
	var out []session.Target
	switch row.verb {
	case session.Fill:
		for _, key := range []string{"fields", "elements"} {
			list, _ := args[key].([]any)
			for _, x := range list {
				if f, ok := x.(map[string]any); ok {
					if t := element(toolRow{target: []string{"target", "ref", "uid", "selector"}}, f); t != nil {
						out = append(out, *t)
					}
				}
			}
		}
	case session.Drag:
		if t := selector(args["endSelectors"]); t != nil {
			return []session.Target{*t}
		}
		for _, key := range []string{"endTarget", "endRef", "to_uid", "toRef"} {
			if s := argText(args[key]); s != "" {
				if t := targetOf(s); t != nil {
					return []session.Target{*t}
				}
			}
		}
	}
	return out
}

// targetOf reads one handle: a ref, or a selector.
func targetOf(s string) *session.Target {
	s = strings.TrimSpace(s)
	for _, p := range []string{"aria-ref=", "ref=", "uid=", "@"} {
		s = strings.TrimPrefix(s, p)
	}
	if s == "" {
		return nil
	}
	if isRef(s) {
		return &session.Target{Ref: s}
	}
	return &session.Target{CSS: s}
}

// isRef knows e12, f1e3, s1e5, ax12, uids like 1_21 and plain indexes; h1 is a
// selector.
func isRef(s string) bool {
	if len(s) == 2 && s[0] == 'h' {
		return false
	}
	digits, other := 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z', c == '_':
			other++
		default:
			return false
		}
	}
	return digits > 0 && other <= 4 && s[len(s)-1] >= '0' && s[len(s)-1] <= '9'
}

func argText(x any) string {
	switch v := x.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}
