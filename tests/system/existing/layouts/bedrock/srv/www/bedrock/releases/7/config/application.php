<?php
$root_dir = dirname(__DIR__);
$webroot_dir = $root_dir . '/web';
define('CONTENT_DIR', '/app');
define('WP_CONTENT_DIR', $webroot_dir . CONTENT_DIR);
define('DB_NAME', 'bedrock');
define('DB_USER', 'bedrock');
define('DB_PASSWORD', 'secret');
define('DB_HOST', 'localhost');
$table_prefix = 'wp_';
if (!defined('ABSPATH')) {
  define('ABSPATH', $webroot_dir . '/wp/');
}
