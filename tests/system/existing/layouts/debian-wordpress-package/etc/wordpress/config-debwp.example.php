<?php
define('DB_NAME', 'debwp');
define('DB_USER', 'debwp');
define('DB_PASSWORD', 'secret of debwp');
define('DB_HOST', 'localhost');
define('WP_CONTENT_DIR', '/var/lib/wordpress/wp-content');
?>
