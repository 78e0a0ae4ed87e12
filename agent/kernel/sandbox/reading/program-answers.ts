import { SETTINGS } from '#agent/kernel/host/wp-settings.ts'

/** Methods of the class in program.ts: the settings after the configuration has run. */
export const SETTINGS_OF_SITE = `
  private static function settings($answer) {
    $known = [];
    foreach (${JSON.stringify(SETTINGS)} as $name) {
      if (!defined($name)) continue;
      $value = constant($name);
      if (is_float($value)) $value = (string) $value;
      if (is_string($value) && strlen($value) <= 4096 && preg_match('//u', $value)) $known[$name] = $value;
      elseif (is_int($value) || is_bool($value)) $known[$name] = $value;
      else $answer['unsure'][] = $name;
    }
    foreach (['DB_NAME', 'DB_USER', 'DB_PASSWORD'] as $name) {
      if (!isset($known[$name]) || (!is_bool($known[$name]) && !self::fromElsewhere())) continue;
      unset($known[$name]);
      $answer['unsure'][] = $name;
      $answer['environment'] = self::fromElsewhere();
    }
    $prefix = isset($GLOBALS['table_prefix']) ? $GLOBALS['table_prefix'] : null;
    if (is_string($prefix) && preg_match('/^\\w{0,64}$/D', $prefix)) $answer['table_prefix'] = $prefix;
    $answer['constants'] = (object) $known;
    return $answer;
  }

  /** The account may come from variables of PHP-FPM's environment, which are not set here. */
  private static function fromElsewhere() {
    static $found = null;
    if ($found !== null) return $found;
    $found = false;
    $pattern = '~(?:getenv\\w*|\\benv)\\s*\\(\\s*[\\'"](\\w+)[\\'"]|\\$_(?:ENV|SERVER)\\s*\\[\\s*[\\'"](\\w+)[\\'"]\\s*\\]~i';
    foreach (array_slice(array_merge([self::$config], get_included_files()), 0, 200) as $file) {
      if (!is_file($file) || filesize($file) > 262144 || strpos($file, '/vendor/') !== false) continue;
      if (strpos($file, self::$core . '/wp-includes/') === 0) continue;
      preg_match_all($pattern, (string) file_get_contents($file), $names, PREG_SET_ORDER);
      foreach ($names as $match) {
        $name = $match[count($match) - 1];
        if (!preg_match('/(?:NAME|USER|USERNAME|PASS|PASSWD|PASSWORD|PWD|DATABASE)$/i', $name)) continue;
        if (!preg_match('/DB|DATABASE|MYSQL|MARIADB|SQL/i', $name)) continue;
        $found = $found || (getenv($name) === false && !isset($_ENV[$name]) && !isset($_SERVER[$name]));
      }
    }
    return $found;
  }
`

/** Also the plugins and themes in the configured folders. */
export const FOLDERS_OF_SITE = `
  private static function folders() {
    $content = defined('WP_CONTENT_DIR') ? (string) WP_CONTENT_DIR : self::$core . '/wp-content';
    $plugins = defined('WP_PLUGIN_DIR') ? (string) WP_PLUGIN_DIR : "$content/plugins";
    $found = self::entries($content, 'content', false);
    if ($found === null) self::$gaps = true;
    if (file_exists("$content/object-cache.php")) self::$exists['content/object-cache.php'] = true;
    foreach (self::entries($plugins, 'plugins', true) ?: [] as $name => $kind) {
      if ($kind === 'file') self::plugin($plugins, $name);
      else foreach (self::entries("$plugins/$name", "plugins/$name", true) ?: [] as $file => $below)
        if ($below === 'file') self::plugin($plugins, "$name/$file");
    }
    foreach (self::entries("$content/themes", 'content/themes', true) ?: [] as $name => $kind) {
      if ($kind !== 'directory' || self::theme($content, $name)) continue;
      foreach (self::entries("$content/themes/$name", "content/themes/$name", true) ?: [] as $below => $type)
        if ($type === 'directory') self::theme($content, "$name/$below");
    }
  }

  /** Folders, and the files that can be a plugin; null if the folder is missing. */
  private static function entries($path, $as, $keep) {
    if (!is_dir($path)) return null;
    $folder = @opendir($path);
    if (!$folder) self::$gaps = true;
    $found = [];
    while ($folder && ($name = readdir($folder)) !== false) {
      if ($name[0] === '.') continue;
      if (--self::$entries < 0) { self::$gaps = true; break; }
      if (is_dir("$path/$name")) $found[$name] = 'directory';
      elseif (substr($name, -4) === '.php' && is_file("$path/$name")) $found[$name] = 'file';
    }
    self::$lists[$as] = [];
    foreach ($keep ? $found : [] as $name => $kind) {
      if (preg_match('//u', $name) && strlen($name) <= 1000) self::$lists[$as][] = [(string) $name, $kind];
      else self::$gaps = true;
    }
    return $found;
  }

  private static function plugin($folder, $file) {
    $head = self::head("$folder/$file");
    if ($head !== null) self::$heads["plugins/$file"] = stripos($head, 'Plugin Name') === false ? '' : base64_encode($head);
  }

  private static function theme($content, $slug) {
    foreach (['index.php', 'templates/index.html', 'block-templates/index.html'] as $file)
      if (file_exists("$content/themes/$slug/$file")) self::$exists["content/themes/$slug/$file"] = true;
    if (!is_file("$content/themes/$slug/style.css")) return false;
    $head = self::head("$content/themes/$slug/style.css");
    if ($head !== null) self::$heads["content/themes/$slug/style.css"] = base64_encode($head);
    return true;
  }

  private static function head($path) {
    $head = is_file($path) ? @file_get_contents($path, false, null, 0, 8192) : false;
    self::$bytes -= $head === false ? 0 : strlen($head);
    if ($head !== false && self::$bytes >= 0) return $head;
    self::$gaps = true;
    return null;
  }
`
