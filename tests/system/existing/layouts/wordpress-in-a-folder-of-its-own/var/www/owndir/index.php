<?php
define('WP_USE_THEMES', true);
require __DIR__ . '/core/wp-blog-header.php';
