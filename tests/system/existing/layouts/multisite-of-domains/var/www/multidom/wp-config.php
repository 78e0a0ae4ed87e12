<?php
define('DB_NAME', 'multidom');
define('DB_USER', 'multidom');
define('DB_PASSWORD', 'secret of multidom');
define('DB_HOST', 'localhost');
$table_prefix = 'wp_';
define('WP_ALLOW_MULTISITE', true);
define('MULTISITE', true);
define('SUBDOMAIN_INSTALL', true);
define('DOMAIN_CURRENT_SITE', 'multidom.example');
define('PATH_CURRENT_SITE', '/');
define('SITE_ID_CURRENT_SITE', 1);
define('BLOG_ID_CURRENT_SITE', 1);
if (!defined('ABSPATH')) {
  define('ABSPATH', __DIR__ . '/');
}
require_once ABSPATH . 'wp-settings.php';
