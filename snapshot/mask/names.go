package mask

import "strings"

// secretWords are what the description of a field that holds a secret says, in
// the languages whose pages are met most.
var secretWords = []string{
	"password", "passwd", "passwort", "passphrase", "passcode", "kennwort", "mot de passe", "contraseña", "clave", "senha", "palavra-passe",
	"hasło", "wachtwoord", "lösenord", "adgangskode", "passord", "salasana", "jelszó", "heslo", "parola", "parolă", "şifre", "κωδικός",
	"пароль", "סיסמה", "كلمة المرور", "كلمة السر", "पासवर्ड", "รหัสผ่าน", "mật khẩu", "kata sandi", "密码", "密碼", "パスワード", "暗証番号", "비밀번호",
	"secret", "api key", "api-key", "apikey", "api_key", "access token", "auth token", "private key", "secret key", "clé api", "clave api",
	"one-time code", "otp", "security code", "cvv", "cvc", "2fa", "verification code", "recovery code", "recovery phrase", "seed phrase",
}

// wholeWords are no secret as a part of another word: a secretary, an enclave. Nor
// are those of three letters.
var wholeWords = map[string]bool{"secret": true, "clave": true, "parola": true, "heslo": true}

// SaysSecret reports whether a field's description tells of a secret.
func SaysSecret(description string) bool {
	n := strings.ToLower(description)
	for _, w := range secretWords {
		for at := 0; ; {
			i := strings.Index(n[at:], w)
			if i < 0 {
				break
			}
			i += at
			if len(w) > 3 && !wholeWords[w] || (edge(n, i-1) && edge(n, i+len(w))) {
				return true
			}
			at = i + len(w)
		}
	}
	return false
}

func edge(s string, i int) bool {
	return i < 0 || i >= len(s) || !isWordByte(s[i])
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// secretNames are names of parameters, JSON fields and headers whose value is a
// secret, in small letters and without the signs between their words.
var secretNames = map[string]bool{
	"pwd": true, "pass": true, "auth": true, "authorization": true, "jwt": true, "sig": true, "signature": true, "sid": true,
	"session": true, "apikey": true, "privatekey": true, "credential": true, "credentials": true, "cookie": true,
	"setcookie": true, "otp": true, "cvv": true, "cvc": true, "accesskey": true, "samlresponse": true,
}

// secretEnds are what such a name may end with.
var secretEnds = []string{"password", "passwd", "passphrase", "secret", "token", "apikey", "sessionid", "sessid", "secretkey", "signature"}

// isSecretName reports whether a parameter's name tells of a secret.
func isSecretName(name string) bool {
	var b [40]byte
	n := 0
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c == '-' || c == '_' || c == '.' {
			continue
		}
		if n == len(b) {
			return false
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		b[n] = c
		n++
	}
	if secretNames[string(b[:n])] {
		return true
	}
	for _, end := range secretEnds {
		if n >= len(end) && string(b[n-len(end):n]) == end {
			return true
		}
	}
	return false
}

// endsSecretName is a quick look at a name's last letter.
func endsSecretName(c byte) bool {
	switch c | 0x20 {
	case 'd', 'e', 't', 'n', 'y', 's', 'h', 'g', 'p', 'c', 'v', 'l':
		return true
	}
	return false
}

// isSecretValue reports whether what stands behind such a name can be a secret:
// "token=3" and "secret: true" are none.
func isSecretValue(name, value string) bool {
	if len(value) >= 8 {
		return true
	}
	n := strings.ToLower(name)
	return len(value) > 0 && (strings.Contains(n, "pass") || strings.Contains(n, "pwd") || strings.Contains(n, "otp") || strings.Contains(n, "cv"))
}
