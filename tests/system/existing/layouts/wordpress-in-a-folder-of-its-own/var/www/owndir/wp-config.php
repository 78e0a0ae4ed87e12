<?php
define('DB_NAME', 'owndir');
define('DB_USER', 'owndir');
define('DB_PASSWORD', 'secret');
define('DB_HOST', 'localhost');
$table_prefix = 'wp_';
if (!defined('ABSPATH')) {
  define('ABSPATH', __DIR__ . '/');
}
require_once ABSPATH . 'wp-settings.php';
