import {
  ADDRESS_FILES,
  ADDRESS_RULES,
  programWith,
} from '#agent/features/wordpress/addresses/address-program.ts'

/** Texts of files in the document root, in Base64, by path. */
export type FileTexts = Readonly<Record<string, string>>

interface ConfigOrder {
  docroot: string
  /** The names of the former address, the longest first. */
  names: readonly string[]
  home: string
  new_home: string
  domain: string
  scheme: string
  /** `look` changes nothing; `write` changes only the files of `kept`; `back` restores `kept`. */
  mode: 'look' | 'write' | 'back'
  kept: FileTexts
}

export const NETWORK = 'this WordPress is a network of sites'

/** Returns a program that changes the address in files, and prints their previous texts. */
export const configProgram = (order: ConfigOrder): string => programWith(order, PROGRAM)

const PROGRAM = String.raw`$mode = $order['mode'];
$kept = $order['kept'];
if ($mode === 'back') {
  foreach ($kept as $name => $text) {
    $file = "$root/$name";
    $text = base64_decode($text);
    if (is_link($file) || (is_file($file) && file_get_contents($file) === $text)) continue;
    $put($file, $text);
  }
  echo "\n{}";
  return;
}
$config = $config();
if ($config->exists('constant', 'MULTISITE') &&
  strtolower($config->get_value('constant', 'MULTISITE')) !== 'false') {
  WP_CLI::error('${NETWORK}');
}
${ADDRESS_RULES}
${ADDRESS_FILES}
$found = [];
foreach ([$path, ...$files] as $file) {
  if (!$isText($file)) continue;
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
