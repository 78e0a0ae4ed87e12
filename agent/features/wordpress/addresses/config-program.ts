import { ADDRESS_FILES, ADDRESS_RULES, programWith } from './address-program.ts'

/** The standard input of the program: the new constants are secrets. */
export interface ConfigOrder {
  docroot: string
  /** The names of the original, the longest first, and its folder. */
  names: readonly string[]
  home: string
  domain: string
  scheme: string
  new_home: string
  /** Constants that wp-config.php must define, and their new values. */
  replaced: Readonly<Record<string, string>>
  /** Constants that are replaced, or defined first where they are missing. */
  added: Readonly<Record<string, string>>
  /** Constants that are replaced if they are defined. */
  matched: Readonly<Record<string, string>>
}

/**
 * Returns a program that changes wp-config.php, addresses and folders in the files where WordPress
 * and its plugins write them, and links to the old folder.
 */
export const configProgram = (order: ConfigOrder): string => programWith(order, PROGRAM)

const PROGRAM = String.raw`$config();
${ADDRESS_RULES}$change = function ($file) use ($rewrite, $isText, $put) {
  if (!$isText($file)) return;
  $text = file_get_contents($file);
  $new = $rewrite($text);
  if ($new === null) WP_CLI::error(basename($file) . ' cannot be changed');
  if ($new !== $text) $put($file, $new);
};
$change($path);

$config = $config();
$networked = fn($name) => $config->exists('constant', $name) &&
  strtolower($config->get_value('constant', $name)) === 'true';
if ($networked('MULTISITE') && $networked('SUBDOMAIN_INSTALL')) {
  WP_CLI::error('a network of sites with subdomains cannot be copied');
}
$update = fn($name, $value) => $config->update('constant', $name, $value, ['add' => false]);
$add = '';
foreach ($order['replaced'] as $name => $value) {
  if (!$config->exists('constant', $name)) {
    WP_CLI::error("wp-config.php does not define $name");
  }
  $update($name, $value);
}
foreach ($order['matched'] as $name => $value) {
  if ($config->exists('constant', $name)) $update($name, $value);
}
foreach ($order['added'] as $name => $value) {
  if ($config->exists('constant', $name)) $update($name, $value);
  else $add .= "define( '$name', " . var_export($value, true) . " );\n";
}
if ($add !== '') {
  $text = preg_replace_callback('~\A\s*<\?php\b~', fn($found) => "$found[0]\n$add",
    file_get_contents($path), 1, $count);
  if ($count !== 1) WP_CLI::error('wp-config.php does not begin with <?php');
  $put($path, $text);
}

${ADDRESS_FILES}foreach ($files as $file) $change($file);

$old = $order['home'] . '/';
$links = function ($folder) use (&$links, $old, $order) {
  foreach (scandir($folder) ?: [] as $name) {
    if ($name === '.' || $name === '..') continue;
    $entry = "$folder/$name";
    if (!is_link($entry)) {
      if (is_dir($entry) && is_readable($entry)) $links($entry);
      continue;
    }
    $target = readlink($entry);
    if (!str_starts_with($target, $old)) continue;
    unlink($entry);
    symlink($order['new_home'] . '/' . substr($target, strlen($old)), $entry);
  }
};
$links($root);
`
