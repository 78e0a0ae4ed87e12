/** PHP: `$rewrite` changes the addresses and the folder of `$order` in a text. */
export const ADDRESS_RULES = String.raw`$slash = '\\\\*\/';
$end = '(?![\w-]|\.\w|:\d)';
$rules = [];
foreach ($order['names'] as $name) {
  $name = preg_quote($name, '~');
  $rules["~https?:(?=$slash$slash$name$end)~i"] = $order['scheme'] . ':';
}
foreach ($order['names'] as $name) {
  $name = preg_quote($name, '~');
  $rules["~(?<![\w.@-])$name$end~i"] = $order['domain'];
  $rules["~(?<=['\"]\.)$name(?=['\"])~i"] = $order['domain'];
}
$home = str_replace('/', $slash, preg_quote($order['home'], '~'));
$folder = $order['new_home'];
$rewrite = function ($text) use ($rules, $home, $folder) {
  foreach ($rules as $pattern => $to) $text = preg_replace($pattern, $to, $text);
  return preg_replace_callback("~$home(?![\w.-])~", fn($found) =>
    str_contains($found[0], '\/') ? str_replace('/', '\/', $folder) : $folder, $text);
};
`

/** PHP: the `$files` beside wp-config.php in which WordPress and its plugins write addresses. */
export const ADDRESS_FILES = `$content = $root . '/wp-content';
$files = ["$root/.htaccess", "$root/.user.ini", "$root/php.ini", "$root/wordfence-waf.php"];
foreach (['advanced-cache', 'wp-cache-config', 'db-config', 'sunrise'] as $name) {
  $files[] = "$content/$name.php";
}
foreach (['wp-rocket-config', 'w3tc-config'] as $name) {
  $files = [...$files, ...(glob("$content/$name/*") ?: [])];
}
`
