import { WP_CONSTANTS } from '#agent/kernel/host/wp-settings.ts'

/** PHP methods that return the settings after the configuration has run. */
const SETTINGS_OF_SITE = `
  private static function settings($answer) {
    $known = [];
    foreach (${JSON.stringify(WP_CONSTANTS)} as $name) {
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

/** PHP methods that also report the plugins and themes in the configured folders. */
const FOLDERS_OF_SITE = `
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

/**
 * A PHP program that reports the configuration, the plugins and the themes of a WordPress. It runs
 * the configuration up to where that loads WordPress, with the rights of the site: see
 * `scanner.ts`. It receives its request as JSON on standard input, and answers on one line of
 * standard output that begins with the word of the request: other output is the site's. A
 * configuration that ends before it loads WordPress leaves no answer. A site can forge any answer.
 */
export const PROGRAM = `
final class HostingReader {
  private static $request, $out, $config, $core, $code, $answered = false;
  private static $entries = 20000, $bytes = 3000000, $gaps = false;
  private static $lists = [], $heads = [], $exists = [];

  public static function begin() {
    self::$out = fopen('php://stdout', 'wb');
    // What it writes fails, and does not end it: setrlimit(2).
    if (function_exists('pcntl_signal')) pcntl_signal(SIGXFSZ, SIG_IGN);
    self::$request = json_decode(stream_get_contents(STDIN), true);
    $docroot = self::$request['docroot'];
    @chdir($docroot);
    self::$core = self::core($docroot);
    if (self::$core === null) return;
    $config = self::$core . '/wp-config.php';
    $upper = dirname(self::$core);
    if (!file_exists($config) && !file_exists("$upper/wp-settings.php")) $config = "$upper/wp-config.php";
    self::$config = is_file($config) && filesize($config) <= 1048576 ? realpath($config) : null;
    if (self::$config === null) return;
    if (self::$request['as_owner'] && !self::own(self::$config)) exit(77);
    $source = file_get_contents(self::$config);
    self::$code = $source === false ? null : self::prepared($source);
    $server = ['HTTP_HOST' => self::$request['domain'], 'SERVER_NAME' => self::$request['domain'],
      'REQUEST_METHOD' => 'GET', 'REQUEST_URI' => '/', 'SERVER_PORT' => '443', 'HTTPS' => 'on',
      'SERVER_PROTOCOL' => 'HTTP/1.1', 'REMOTE_ADDR' => '127.0.0.1', 'QUERY_STRING' => '',
      'DOCUMENT_ROOT' => $docroot, 'SCRIPT_FILENAME' => "$docroot/index.php",
      'SCRIPT_NAME' => '/index.php', 'PHP_SELF' => '/index.php'];
    foreach ($server as $name => $value) $_SERVER[$name] = $value;
    set_include_path('.' . PATH_SEPARATOR . dirname(self::$config) . PATH_SEPARATOR . get_include_path());
    define('ABSPATH', self::$core . '/');
    register_shutdown_function(['HostingReader', 'last']);
  }

  public static function code() { return (string) self::$code; }

  /** Files that others can write do not run with the rights of their owner. */
  private static function own($file) {
    foreach ([$file, dirname($file)] as $path) {
      if (!function_exists('posix_geteuid') || fileowner($path) !== posix_geteuid()) return false;
      if (fileperms($path) & 022) return false;
    }
    return true;
  }

  private static function core($docroot) {
    $folders = ['', '/wp', '/wordpress', '/blog'];
    $index = is_file("$docroot/index.php") ? (string) @file_get_contents("$docroot/index.php", false, null, 0, 8192) : '';
    if (preg_match('~[\\'"]/?([\\w.-]+(?:/[\\w.-]+)*)/wp-blog-header\\.php[\\'"]~', $index, $found))
      array_splice($folders, 1, 0, ['/' . $found[1]]);
    foreach ($folders as $folder) {
      $path = realpath($docroot . $folder);
      if ($path === false || !is_file("$path/wp-includes/version.php")) continue;
      $loader = realpath("$path/wp-load.php");
      return $loader === false ? $path : dirname($loader);
    }
    return null;
  }

  /** Returns the code without the line that loads WordPress, with the constants that eval() lacks. */
  private static function prepared($source) {
    if (strncmp($source, "\\xef\\xbb\\xbf", 3) === 0) $source = substr($source, 3);
    $tokens = token_get_all($source);
    $code = '';
    for ($at = 0; $at < count($tokens); $at++) {
      $kind = is_array($tokens[$at]) ? $tokens[$at][0] : null;
      $text = is_array($tokens[$at]) ? $tokens[$at][1] : $tokens[$at];
      if ($kind === T_FILE) $code .= var_export(self::$config, true);
      elseif ($kind === T_DIR) $code .= var_export(dirname(self::$config), true);
      elseif (in_array($kind, [T_REQUIRE, T_REQUIRE_ONCE, T_INCLUDE, T_INCLUDE_ONCE], true)) {
        $end = $at;
        $path = '';
        while ($end < count($tokens) && $tokens[$end] !== ';' && $tokens[$end][0] !== T_CLOSE_TAG) {
          $path .= is_array($tokens[$end]) ? $tokens[$end][1] : $tokens[$end];
          $end++;
        }
        if (strpos($path, 'wp-settings.php') === false) $code .= $text;
        else {
          $code .= ' \\\\HostingReader::finish()';
          $at = $end - 1;
        }
      } else $code .= $text;
    }
    return preg_match('/^<\\?php\\s/i', $code) ? substr($code, 5) : '?>' . $code;
  }

  /** A file of the configuration has loaded WordPress itself: the settings are complete. */
  public static function last() {
    if (!self::$answered && in_array(self::$core . '/wp-settings.php', get_included_files(), true)) self::finish();
  }

  public static function finish() {
    if (self::$answered) return;
    self::$answered = true;
    $answer = ['wordpress' => self::$core !== null, 'version' => null, 'constants' => (object) [],
      'table_prefix' => null, 'unsure' => [], 'environment' => false];
    if (self::$core !== null) {
      $answer['version'] = base64_encode((string) self::head(self::$core . '/wp-includes/version.php'));
      if (self::$config !== null && self::$code !== null) $answer = self::settings($answer);
      elseif (file_exists(self::$core . '/wp-config.php')) $answer['unsure'] = ['DB_NAME'];
      if (self::$request['folders']) self::folders();
    }
    $answer += ['lists' => (object) self::$lists, 'heads' => (object) self::$heads,
      'exists' => array_keys(self::$exists), 'gaps' => self::$gaps];
    @fwrite(self::$out, "\\n" . self::$request['word'] . ' ' . json_encode($answer) . "\\n");
    @fflush(self::$out);
    // Prevents any further code of the site.
    if (function_exists('posix_kill')) posix_kill(posix_getpid(), 9);
    exit(0);
  }
${SETTINGS_OF_SITE}${FOLDERS_OF_SITE}}
HostingReader::begin();
eval(HostingReader::code());
HostingReader::finish();
`
