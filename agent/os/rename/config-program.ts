import { ADDRESS_FILES, ADDRESS_RULES } from '#agent/os/clone/address-program.ts'

/** Texts of files in the document root, in Base64, by path. */
export type Texts = Readonly<Record<string, string>>

interface ConfigOrder {
  docroot: string
  /** The names of the former address, the longest first. */
  names: readonly string[]
  home: string
  new_home: string
  domain: string
  scheme: string
  /** `look` changes nothing; `write` changes the files of `kept` alone; `back` writes `kept`. */
  mode: 'look' | 'write' | 'back'
  /** The texts before the change. */
  kept: Texts
}

/** The complaint about a network of sites. */
export const NETWORK = 'this WordPress is a network of sites'

/**
 * For `wp eval-file - --skip-wordpress`, as the site: changes the address in the text of wp-config.php
 * and of the files where plugins write it, and prints their former texts. It runs no code of the site.
 */
export const configProgram = (order: ConfigOrder): string => `<?php
$order = json_decode(base64_decode('${Buffer.from(JSON.stringify(order)).toString('base64')}'), true);
${PROGRAM}`

const PROGRAM = String.raw`
umask(0077);
// A stack trace would have the arguments, which are secrets.
set_exception_handler(fn($error) => WP_CLI::error($error->getMessage()));
$root = $order['docroot'];
$mode = $order['mode'];
$kept = $order['kept'];
$put = function ($path, $text) {
  if (file_put_contents($path, $text) !== strlen($text)) {
    WP_CLI::error(basename($path) . ' was not written');
  }
};
if ($mode === 'back') {
  foreach ($kept as $name => $text) {
    $path = "$root/$name";
    $text = base64_decode($text);
    if (is_link($path) || (is_file($path) && file_get_contents($path) === $text)) continue;
    $put($path, $text);
  }
  echo "\n{}";
  return;
}
$path = $root . '/wp-config.php';
if (is_link($path) || !is_file($path)) {
  WP_CLI::error('wp-config.php is not a file in the document root');
}
$config = new WPConfigTransformer($path);
if ($config->exists('constant', 'MULTISITE') &&
  strtolower($config->get_value('constant', 'MULTISITE')) !== 'false') {
  WP_CLI::error('${NETWORK}');
}
${ADDRESS_RULES}
${ADDRESS_FILES}
$found = [];
foreach (["$root/wp-config.php", ...$files] as $file) {
  if (is_link($file) || !is_file($file) || filesize($file) > 2 << 20) continue;
  $name = substr($file, strlen($root) + 1);
  $text = file_get_contents($file);
  $new = $rewrite($text);
  if ($new === null) WP_CLI::error("$name cannot be changed");
  if ($new === $text) continue;
  $found[$name] = base64_encode($text);
  if ($mode !== 'write') continue;
  if (($kept[$name] ?? null) !== $found[$name]) WP_CLI::error("$name has changed meanwhile");
  $put($file, $new);
}
echo "\n" . json_encode((object) $found);
`
