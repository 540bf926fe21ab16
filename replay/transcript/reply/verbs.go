package reply

import (
	"strconv"
	"strings"

	"snapscope/session"
	"snapscope/snapshot/notation"
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
	"browser_navigate":         {session.VerbGoto, nil},
	"browser_navigate_back":    {session.VerbBack, nil},
	"browser_navigate_forward": {session.VerbForward, nil},
	"browser_go_back":          {session.VerbBack, nil},
	"browser_go_forward":       {session.VerbForward, nil},
	"browser_reload":           {session.VerbReload, nil},
	"browser_click":            {session.VerbClick, []string{"target", "ref", "index"}},
	"browser_hover":            {session.VerbHover, pwTarget},
	"browser_type":             {session.VerbType, []string{"target", "ref", "index"}},
	"browser_fill":             {session.VerbFill, pwTarget},
	"browser_fill_form":        {session.VerbFill, nil},
	"browser_press_key":        {session.VerbPress, nil},
	"browser_press_sequentially": {
		session.VerbType, nil,
	},
	"browser_check":            {session.VerbCheck, pwTarget},
	"browser_uncheck":          {session.VerbUncheck, pwTarget},
	"browser_select_option":    {session.VerbSelect, pwTarget},
	"browser_scroll":           {session.VerbScroll, pwTarget},
	"browser_mouse_wheel":      {session.VerbScroll, nil},
	"browser_mouse_click_xy":   {session.VerbClick, nil},
	"browser_mouse_drag_xy":    {session.VerbDrag, nil},
	"browser_mouse_move_xy":    {session.VerbHover, nil},
	"browser_drag":             {session.VerbDrag, []string{"startTarget", "startRef"}},
	"browser_file_upload":      {session.VerbUpload, nil},
	"browser_handle_dialog":    {session.VerbDialog, nil},
	"browser_tabs":             {session.VerbTab, nil},
	"browser_tab_new":          {session.VerbTab, nil},
	"browser_tab_select":       {session.VerbTab, nil},
	"browser_tab_close":        {session.VerbTab, nil},
	"browser_tab_list":         {session.VerbTab, nil},
	"browser_evaluate":         {session.VerbEvaluate, pwTarget},
	"browser_run_code":         {session.VerbEvaluate, nil},
	"browser_run_code_unsafe":  {session.VerbEvaluate, nil},
	"browser_wait_for":         {session.VerbWait, nil},
	"browser_wait":             {session.VerbWait, nil},
	"browser_snapshot":         {session.VerbSnapshot, nil},
	"browser_take_snapshot":    {session.VerbSnapshot, nil},
	"browser_get_state":        {session.VerbSnapshot, nil},
	"browser_take_screenshot":  {session.VerbScreenshot, pwTarget},
	"browser_screenshot":       {session.VerbScreenshot, nil},
	"browser_screen_capture":   {session.VerbScreenshot, nil},
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
		session.VerbWait, nil,
	},
	"browser_verify_element_visible": {session.VerbWait, nil},
	"browser_verify_value":           {session.VerbWait, pwTarget},
	"browser_verify_list_visible":    {session.VerbWait, pwTarget},

	// chrome-devtools-mcp.
	"take_snapshot":         {session.VerbSnapshot, nil},
	"take_screenshot":       {session.VerbScreenshot, uidArg},
	"navigate_page":         {session.VerbGoto, nil},
	"navigate_page_history": {session.VerbBack, nil},
	"new_page":              {session.VerbTab, nil},
	"close_page":            {session.VerbTab, nil},
	"select_page":           {session.VerbTab, nil},
	"list_pages":            {session.VerbTab, nil},
	"evaluate_script":       {session.VerbEvaluate, nil},
	"list_console_messages": {},
	"list_network_requests": {},

	// browser-use.
	"go_to_url":                 {session.VerbGoto, nil},
	"click_element_by_index":    {session.VerbClick, indexArg},
	"click_element":             {session.VerbClick, indexArg},
	"input_text":                {session.VerbFill, indexArg},
	"send_keys":                 {session.VerbPress, nil},
	"switch_tab":                {session.VerbTab, nil},
	"open_tab":                  {session.VerbTab, nil},
	"close_tab":                 {session.VerbTab, nil},
	"scroll_down":               {session.VerbScroll, indexArg},
	"scroll_up":                 {session.VerbScroll, indexArg},
	"scroll_to_text":            {session.VerbScroll, nil},
	"select_dropdown":           {session.VerbSelect, indexArg},
	"select_dropdown_option":    {session.VerbSelect, indexArg},
	"dropdown_options":          {"", indexArg},
	"get_dropdown_options":      {"", indexArg},
	"search_google":             {session.VerbGoto, nil},
	"extract_structured_data":   {},
	"extract_content":           {},
	"upload_file_to_element":    {session.VerbUpload, indexArg},
	"drag_drop":                 {session.VerbDrag, nil},
	"go_back":                   {session.VerbBack, nil},
	"navigate_back":             {session.VerbBack, nil},
	"navigate_forward":          {session.VerbForward, nil},
	"ariaSnapshot":              {session.VerbSnapshot, nil},
	"ariaTree":                  {session.VerbSnapshot, nil},
	"snapshotForAI":             {session.VerbSnapshot, nil},
	"_snapshotForAI":            {session.VerbSnapshot, nil},
	"handle_dialog":             {session.VerbDialog, nil},
	"press_key":                 {session.VerbPress, nil},
	"upload_file":               {session.VerbUpload, []string{"uid", "index"}},
	"fill_form":                 {session.VerbFill, nil},
	"wait_for":                  {session.VerbWait, nil},
	"type_text":                 {session.VerbType, nil},
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
	"browser_keydown":           {session.VerbPress, nil},
	"browser_keyup":             {session.VerbPress, nil},
	"browser_highlight":         {"", pwTarget},
	"browser_annotate":          {},
	"browser_storage_state":     {},
	"browser_set_storage_state": {},
}

// plain are names that other tools have too: they count only in a transcript
// that is a browser's, or behind a browser server's prefix.
var plain = map[string]toolRow{
	"navigate":  {session.VerbGoto, nil},
	"goto":      {session.VerbGoto, nil},
	"open":      {session.VerbGoto, nil},
	"search":    {session.VerbGoto, nil},
	"back":      {session.VerbBack, nil},
	"goBack":    {session.VerbBack, nil},
	"forward":   {session.VerbForward, nil},
	"goForward": {session.VerbForward, nil},
	"reload":    {session.VerbReload, nil},
	"click":     {session.VerbClick, []string{"uid", "index", "ref", "target"}},
	"tap":       {session.VerbClick, []string{"ref"}},
	"dblclick":  {session.VerbDblClick, []string{"uid", "ref", "target"}},
	"hover":     {session.VerbHover, []string{"uid", "ref", "target"}},
	"fill":      {session.VerbFill, []string{"uid", "ref", "target"}},
	"input":     {session.VerbFill, indexArg},
	"type":      {session.VerbType, []string{"ref", "target", "uid", "index"}},
	"press":     {session.VerbPress, []string{"ref"}},
	"check":     {session.VerbCheck, []string{"ref", "target"}},
	"uncheck":   {session.VerbUncheck, []string{"ref", "target"}},
	"select":    {session.VerbSelect, []string{"ref", "target"}},
	"scroll":    {session.VerbScroll, []string{"ref", "index"}},
	"drag":      {session.VerbDrag, []string{"from_uid", "startRef", "startTarget"}},
	"upload":    {session.VerbUpload, []string{"ref", "index"}},
	"dialog":    {session.VerbDialog, nil},
	"switch":    {session.VerbTab, nil},
	"close":     {session.VerbTab, nil},
	"tabs":      {session.VerbTab, nil},
	"tab":       {session.VerbTab, nil},
	"focus":     {session.VerbTab, nil},
	"evaluate":  {session.VerbEvaluate, []string{"ref"}},
	"eval":      {session.VerbEvaluate, nil},
	"wait":      {session.VerbWait, nil},
	"snapshot":  {session.VerbSnapshot, nil},

	// Claude in Chrome; what computer does is its action, see refine.
	"read_page":        {session.VerbSnapshot, nil},
	"computer":         {"", []string{"ref"}},
	"form_input":       {session.VerbFill, []string{"ref"}},
	"javascript_tool":  {session.VerbEvaluate, nil},
	"tabs_context_mcp": {session.VerbTab, nil},
	"tabs_create_mcp":  {session.VerbTab, nil},
	"tabs_close_mcp":   {session.VerbTab, nil},
	"upload_image":     {session.VerbUpload, []string{"ref"}},
	"file_upload":      {session.VerbUpload, []string{"ref"}},
	"screenshot":       {session.VerbScreenshot, []string{"ref"}},

	"selectOption":             {session.VerbSelect, nil},
	"setInputFiles":            {session.VerbUpload, nil},
	"waitForTimeout":           {session.VerbWait, nil},
	"waitForSelector":          {session.VerbWait, nil},
	"evaluateExpression":       {session.VerbEvaluate, nil},
	"evaluateExpressionHandle": {session.VerbEvaluate, nil},
	"dragAndDrop":              {session.VerbDrag, nil},
	"keyboardPress":            {session.VerbPress, nil},
	"keyboardType":             {session.VerbType, nil},
	"pressSequentially":        {session.VerbType, nil},
	"mouseWheel":               {session.VerbScroll, nil},
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
		if i := strings.LastIndex(tool, cut); i >= 0 && !strings.HasPrefix(tool[i+len(cut):], "_") { // mcp__browser__click is click of a server "browser"
			if r, ok := distinct[tool[i+1:]]; ok {
				return r, true
			}
			return toolRow{}, true
		}
	}
	if rest, ok := strings.CutPrefix(name, "browser_"); ok { // a tool that is not known, or any tool of a server that is called so
		r, ok := distinct[rest]
		if !ok {
			r = plain[rest]
		}
		return r, true
	}
	if browserOnly || IsBrowserServer(server) {
		r, ok := plain[name]
		if !ok {
			if _, rest, cut := strings.Cut(name, "_"); cut {
				if r, ok = distinct[rest]; !ok {
					r, ok = plain[rest]
				}
			}
		}
		return r, ok || IsBrowserServer(server)
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

// IsBrowserServer reports whether an MCP server of this name drives a browser.
func IsBrowserServer(server string) bool {
	s := strings.ToLower(server)
	for _, w := range []string{"playwright", "devtools", "browser", "puppeteer", "stagehand", "in-chrome"} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// element is the element an action names, as far as its arguments tell.
func element(row toolRow, args map[string]any) *session.Target {
	for _, key := range append(row.target[:len(row.target):len(row.target)], "uid") {
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
	case session.VerbUpload, session.VerbClick, session.VerbType, session.VerbSelect, session.VerbHover, session.VerbDrag, session.VerbScroll, session.VerbEvaluate, session.VerbPress:
		if s := argText(args["selector"]); s != "" {
			return targetOf(s)
		}
	}
	return nil
}

// markTargets are the elements that Convergence's agents name by their number on
// the page: {mark_id}, or {entries: [{mark_id, content}]}. −1 is the page itself.
func markTargets(args map[string]any) (out []session.Target) {
	list, _ := args["entries"].([]any)
	for _, x := range append([]any{args}, list...) {
		f, _ := x.(map[string]any)
		if n := argText(f["mark_id"]); n != "" && isRef(n) {
			out = append(out, session.Target{Ref: n})
		}
	}
	return out
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
	case session.VerbFill:
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
	case session.VerbDrag:
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
	s = notation.BareRef(s)
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
	if frame, node, ok := strings.Cut(s, "-"); ok { // Stagehand's 0-12
		return digitsOnly(frame) && digitsOnly(node)
	}
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

func digitsOnly(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
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
