<?php
$root_dir = dirname(__DIR__);
$webroot_dir = $root_dir . '/web';
foreach (file($root_dir . '/.env', FILE_IGNORE_NEW_LINES) as $line) {
  [$name, $value] = explode('=', $line, 2);
  putenv($name . '=' . trim($value, "'"));
}
define('WP_ENV', getenv('WP_ENV') ?: 'production');
define('CONTENT_DIR', '/app');
define('WP_CONTENT_DIR', $webroot_dir . CONTENT_DIR);
define('DB_NAME', getenv('DB_NAME'));
define('DB_USER', getenv('DB_USER'));
define('DB_PASSWORD', getenv('DB_PASSWORD'));
define('DB_HOST', getenv('DB_HOST') ?: 'localhost');
$table_prefix = getenv('DB_PREFIX') ?: 'wp_';
if (!defined('ABSPATH')) {
  define('ABSPATH', $webroot_dir . '/wp/');
}
