/**
 * Runs Adminer 4.8 or 5 for one request of one temporary user: without its login form, and for its
 * own database only. The user and the password come from the agent with the request. Requests that
 * name another driver, server, user or database are requests for this one. The token of its forms
 * follows from the password, so that forms outlive what PHP stores. An answer is whole if PHP met
 * no fatal error, and a file if the connection to the database is still there at its end too:
 * Adminer leaves out what it could not read without a word.
 */
export const TOOL_PHP = `<?php
register_shutdown_function(function () {
  $fatal = [E_ERROR, E_PARSE, E_CORE_ERROR, E_COMPILE_ERROR, E_USER_ERROR, E_RECOVERABLE_ERROR];
  if (in_array(error_get_last()['type'] ?? 0, $fatal)) return;
  $connection = function_exists('Adminer\\\\connection') ? 'Adminer\\\\connection' : 'connection';
  $isPage = preg_grep('~^content-type: *text/html~i', headers_list());
  if ($isPage || isset($_GET['file']) || !function_exists($connection) || $connection()->query('SELECT 1'))
    touch(__DIR__ . '/whole');
});
if (!isset($_GET['file'])) {
  (function () {
    $take = function ($name) {
      $value = $_SERVER[$name] ?? '';
      unset($_SERVER[$name]);
      return $value;
    };
    define('HOSTING_TOOL', [$take('HOSTING_USER'), $take('HOSTING_PASSWORD'), $take('HOSTING_DATABASE')]);
    foreach (['sqlite', 'sqlite2', 'pgsql', 'oracle', 'mssql', 'mongo', 'elastic', 'clickhouse', 'firebird',
      'simpledb', 'script', 'adminer_sid', 'ext'] as $name) unset($_GET[$name]);
    unset($_POST['auth'], $_POST['logout']);
    [$_GET['username'], , $_GET['db']] = HOSTING_TOOL;
    $_GET['server'] = '';
    session_cache_limiter('');
    session_name('adminer_sid');
    session_id('tool');
    session_start();
    $_SESSION['pwds']['server'][''][$_GET['username']] = '';
    $_SESSION['token'] = 1 + hexdec(substr(hash_hmac('sha256', 'token', HOSTING_TOOL[1]), 0, 8)) % 1000000;
  })();

  function adminer_object() {
    class_alias(class_exists('Adminer\\\\Adminer', false) ? 'Adminer\\\\Adminer' : 'Adminer', 'HostingBase');
    class HostingAdminer extends HostingBase {
      function name(): string { return 'Adminer'; }
      function credentials(): array { return ['', HOSTING_TOOL[0], HOSTING_TOOL[1]]; }
      function login($login, $password) { return true; }
      function database(): ?string { return HOSTING_TOOL[2]; }
      function databases($flush = true): array { return [HOSTING_TOOL[2]]; }
    }
    return new HostingAdminer;
  }
}
include '/usr/share/adminer/adminer.php';
`
