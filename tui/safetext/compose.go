package safetext

// Not every terminal draws a mark where it belongs. So a letter and its mark are
// put together where Unicode has one character for them (canonical composition:
// Latin, Greek, Cyrillic); marks.go has what becomes of the others.

// compositions are, by mark, the letters that it stands on and what both make,
// letter by letter.
var compositions = map[rune][2]string{
	0x300: {"AEIOUaeiouÜüNnĒēŌōWwÂâĂăÊêÔôƠơƯưYyЕИеи", "ÀÈÌÒÙàèìòùǛǜǸǹḔḕṐṑẀẁẦầẰằỀềỒồỜờỪừỲỳЀЍѐѝ"},
	0x301: {"AEIOUYaeiouyCcLlNnRrSsZzÜüGgÅåÆæØøÇçĒēÏïKkMmÕõŌōPpŨũWwÂâĂăÊêÔôƠơƯưΑΕΗΙΟΥΩϊαεηιϋουωГКгк", "ÁÉÍÓÚÝáéíóúýĆćĹĺŃńŔŕŚśŹźǗǘǴǵǺǻǼǽǾǿḈḉḖḗḮḯḰḱḾḿṌṍṒṓṔṕṸṹẂẃẤấẮắẾếỐốỚớỨứΆΈΉΊΌΎΏΐάέήίΰόύώЃЌѓќ"},
	0x302: {"AEIOUaeiouCcGgHhJjSsWwYyZzẠạẸẹỌọ", "ÂÊÎÔÛâêîôûĈĉĜĝĤĥĴĵŜŝŴŵŶŷẐẑẬậỆệỘộ"},
	0x303: {"ANOanoIiUuVvÂâĂăEeÊêÔôƠơƯưYy", "ÃÑÕãñõĨĩŨũṼṽẪẫẴẵẼẽỄễỖỗỠỡỮữỸỹ"},
	0x304: {"AaEeIiOoUuÜüÄäȦȧÆæǪǫÖöÕõȮȯYyGgḶḷṚṛИиУу", "ĀāĒēĪīŌōŪūǕǖǞǟǠǡǢǣǬǭȪȫȬȭȰȱȲȳḠḡḸḹṜṝӢӣӮӯ"},
	0x306: {"AaEeGgIiOoUuȨȩẠạУИиуЖжАаЕе", "ĂăĔĕĞğĬĭŎŏŬŭḜḝẶặЎЙйўӁӂӐӑӖӗ"},
	0x307: {"CcEeGgIZzAaOoBbDdFfHhMmNnPpRrSsŚśŠšṢṣTtWwXxYyſ", "ĊċĖėĠġİŻżȦȧȮȯḂḃḊḋḞḟḢḣṀṁṄṅṖṗṘṙṠṡṤṥṦṧṨṩṪṫẆẇẊẋẎẏẛ"},
	0x308: {"AEIOUaeiouyYHhÕõŪūWwXxtΙΥιυЕІеіАаӘәЖжЗзИиОоӨөЭэУуЧчЫ", "ÄËÏÖÜäëïöüÿŸḦḧṎṏṺṻẄẅẌẍẗΪΫϊϋЁЇёїӒӓӚӛӜӝӞӟӤӥӦӧӪӫӬӭӰӱӴӵӸ"},
	0x309: {"AaÂâĂăEeÊêIiOoÔôƠơUuƯưYy", "ẢảẨẩẲẳẺẻỂểỈỉỎỏỔổỞởỦủỬửỶỷ"},
	0x30a: {"AaUuwy", "ÅåŮůẘẙ"},
	0x30b: {"OoUuУу", "ŐőŰűӲӳ"},
	0x30c: {"CcDdEeLlNnRrSsTtZzAaIiOoUuÜüGgKkƷʒjHh", "ČčĎďĚěĽľŇňŘřŠšŤťŽžǍǎǏǐǑǒǓǔǙǚǦǧǨǩǮǯǰȞȟ"},
	0x30f: {"AaEeIiOoRrUuѴѵ", "ȀȁȄȅȈȉȌȍȐȑȔȕѶѷ"},
	0x311: {"AaEeIiOoRrUu", "ȂȃȆȇȊȋȎȏȒȓȖȗ"},
	0x31b: {"OoUu", "ƠơƯư"},
	0x323: {"BbDdHhKkLlMmNnRrSsTtVvWwZzAaEeIiOoƠơUuƯưYy", "ḄḅḌḍḤḥḲḳḶḷṂṃṆṇṚṛṢṣṬṭṾṿẈẉẒẓẠạẸẹỊịỌọỢợỤụỰựỴỵ"},
	0x324: {"Uu", "Ṳṳ"},
	0x325: {"Aa", "Ḁḁ"},
	0x326: {"SsTt", "ȘșȚț"},
	0x327: {"CcGgKkLlNnRrSsTtEeDdHh", "ÇçĢģĶķĻļŅņŖŗŞşŢţȨȩḐḑḨḩ"},
	0x328: {"AaEeIiUuOo", "ĄąĘęĮįŲųǪǫ"},
	0x32d: {"DdEeLlNnTtUu", "ḒḓḘḙḼḽṊṋṰṱṶṷ"},
	0x32e: {"Hh", "Ḫḫ"},
	0x330: {"EeIiUu", "ḚḛḬḭṴṵ"},
	0x331: {"BbDdKkLlNnRrTtZzh", "ḆḇḎḏḴḵḺḻṈṉṞṟṮṯẔẕẖ"},
}

// composed is the compositions by letter and mark.
var composed = func() map[[2]rune]rune {
	out := map[[2]rune]rune{}
	for mark, pair := range compositions {
		made := []rune(pair[1])
		for i, letter := range []rune(pair[0]) {
			out[[2]rune{letter, mark}] = made[i]
		}
	}
	return out
}()
