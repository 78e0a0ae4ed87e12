<?php
define('DB_NAME', 'multifold');
define('DB_USER', 'multifold');
define('DB_PASSWORD', 'secret of multifold');
define('DB_HOST', 'localhost');
$table_prefix = 'wp_';
define('WP_ALLOW_MULTISITE', true);
define('MULTISITE', true);
define('SUBDOMAIN_INSTALL', false);
define('DOMAIN_CURRENT_SITE', 'multifold.example');
define('PATH_CURRENT_SITE', '/');
define('SITE_ID_CURRENT_SITE', 1);
define('BLOG_ID_CURRENT_SITE', 1);
if (!defined('ABSPATH')) {
  define('ABSPATH', __DIR__ . '/');
}
require_once ABSPATH . 'wp-settings.php';
