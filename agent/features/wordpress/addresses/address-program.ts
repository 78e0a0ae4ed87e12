/** Reads the order, which has secrets, from its input; `$put` writes a file. */
const BEGIN = `umask(0077);
// A stack trace would have the arguments, which are secrets.
set_exception_handler(fn($error) => WP_CLI::error($error->getMessage()));
$root = $order['docroot'];
$path = $root . '/wp-config.php';
$put = function ($file, $text) {
  if (file_put_contents($file, $text) !== strlen($text)) {
    WP_CLI::error(basename($file) . ' was not written');
  }
};
// A text of usual size that is no link.
$isText = fn($file) => !is_link($file) && is_file($file) && filesize($file) <= 2 << 20;
$config = function () use ($path) {
  if (is_link($path) || !is_file($path)) {
    WP_CLI::error('wp-config.php is not a file in the document root');
  }
  return new WPConfigTransformer($path);
};
`

/** Returns a program for `wp eval-file - --skip-wordpress`, which runs no code of the site. */
export const programWith = (order: object, program: string): string => `<?php
$order = json_decode(base64_decode('${Buffer.from(JSON.stringify(order)).toString('base64')}'), true);
${BEGIN}${program}`

/** PHP code: `$rewrite` changes the addresses and the folder of `$order` in a text. */
export const ADDRESS_RULES = String.raw`$slash = '\\\\*\/';
$end = '(?![\w-]|\.\w|:\d)';
$rules = [];
$names = [];
foreach ($order['names'] as $name) array_push($names, $name, trim(json_encode($name), '"'));
$names = array_unique($names);
foreach ($names as $name) {
  $name = preg_quote($name, '~');
  $rules["~https?:(?=$slash$slash$name$end)~i"] = $order['scheme'] . ':';
}
foreach ($names as $name) {
  $name = preg_quote($name, '~');
  $rules["~(?<![\w.@\x80-\xff-])$name$end~i"] = $order['domain'];
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

/** PHP code: `$files` are files beside wp-config.php in which plugins write addresses. */
export const ADDRESS_FILES = `$content = $root . '/wp-content';
$files = ["$root/.htaccess", "$root/.user.ini", "$root/php.ini", "$root/wordfence-waf.php"];
foreach (['advanced-cache', 'wp-cache-config', 'db-config', 'sunrise'] as $name) {
  $files[] = "$content/$name.php";
}
foreach (['wp-rocket-config', 'w3tc-config'] as $name) {
  $files = [...$files, ...(glob("$content/$name/*") ?: [])];
}
`
